/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tuning. Each problem is planned twice without existing wisdom, once with little rigor and once
 * with much rigor, and runs of the two plans are timed in turns. The new decision goes into the
 * file at once, so that an interruption loses only the current problem.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kernels/base/error.h"
#include "planner/wisdom/wisdom.h"
#include "tools/bench/bar.h"
#include "tools/tune/tune.h"

/* Functions of Weft in one precision that bench_library does not have. */
typedef struct {
    void (*forget)(void), (*fftw_forget)(void);
    int (*import)(const char *), (*report)(void *, FILE *);
    char *(*export)(void);
} wisdom_functions;

typedef struct {
    const tune_options *options;
    bench_library *weft;
    int rank, ranks;
    int tuned, known, elsewhere, failed;
    double before, after; /* seconds of a run, summed over all problems */
    double work, done; /* estimated work of all problems and of those done, for the estimate of the
                          time left */
} session;

static char
    farewell[TUNE_PATH + 200]; /* the text that is printed when a signal interrupts the program */

static void interrupted(int number)
{
    if (write(STDERR_FILENO, farewell, strlen(farewell)) < 0)
        farewell[0] = '\0';
    signal(number, SIG_DFL);
    raise(number);
}

static void set_farewell(const session *to, int problems)
{
    if (to->rank == 0)
        snprintf(farewell, sizeof farewell,
                 "\nweft-tune: interrupted; of %d problems, %d are in %s; the same command goes on "
                 "from there\n",
                 problems, to->tuned + to->known, to->options->wisdom);
}

static wisdom_functions functions_of(bench_library *weft, bench_precision precision)
{
    wisdom_functions of = {0};
    const struct {
        void *where;
        const char *pattern;
    } entry[] = {{&of.forget, "weft%s_forget_wisdom"},
                 {&of.fftw_forget, "fftw%s_forget_wisdom"},
                 {&of.import, "weft%s_import_wisdom_from_string"},
                 {&of.report, "weft%s_plan_report_json"},
                 {&of.export, "weft%s_export_wisdom_to_string"}};
    for (size_t i = 0; i < sizeof entry / sizeof *entry; i++) {
        void *address = bench_library_function(weft, precision, entry[i].pattern);
        memcpy(entry[i].where, &address, sizeof address);
    }
    return of;
}

static void forget(const wisdom_functions *of)
{
    of->forget();
    of->fftw_forget();
}

static const char *rigor_name(unsigned rigor)
{
    int place = 0;
    while (tune_rigors[place + 1] && tune_rigor(place) != rigor)
        place++;
    return tune_rigors[place];
}

/* Returns the wisdom in the file that was made with at least this rigor; the caller frees the text.
 */
static char *known_text(const char *path, unsigned rigor)
{
    char line[WEFT_WISDOM_LINE];
    bool enough = false;
    weft_wisdom_forget();
    weft_wisdom_load(path);
    for (int place = 0; tune_rigors[place]; place++) {
        enough |= tune_rigor(place) == rigor;
        char *text = enough ? NULL : weft_wisdom_text(), *rest = text;
        snprintf(line, sizeof line, " rigor=%s => ", tune_rigors[place]);
        for (char *key; (key = strsep(&rest, "\n"));) {
            char *end = strstr(key, line);
            if (!end)
                continue;
            *strstr(end, " => ") = '\0';
            weft_wisdom_drop(key, false);
        }
        free(text);
    }
    return weft_wisdom_text();
}

/* Whether a plan came from wisdom. */
static bool is_wise(const wisdom_functions *of, void *plan)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    const bool reported = file && of->report(plan, file);
    const bool wise =
        file && fclose(file) == 0 && reported && strstr(text, "\"found_by\": \"wisdom\"");
    free(text);
    return wise;
}

/* Whether the wisdom file knows the problem: a plan with FFTW_ESTIMATE then reports that it comes
 * from wisdom. */
static bool is_known(const session *to, const bench_case *that, const wisdom_functions *of)
{
    ptrdiff_t output;
    int known = 0;
    forget(of);
    char *text = to->rank == 0 ? known_text(to->options->wisdom, to->options->rigor) : NULL;
    if (text)
        of->import(text);
    free(text);
    const ptrdiff_t numbers = bench_local_numbers(to->weft, that, &output);
    void *in = bench_array(to->weft, that, numbers);
    void *out = that->in_place ? in : bench_array(to->weft, that, numbers);
    int there = in && out, all;
    MPI_Allreduce(&there, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    void *plan = all ? bench_plan(to->weft, that, in, out, FFTW_ESTIMATE) : NULL;
    if (plan) {
        known = is_wise(of, bench_operator_whole(that, plan));
        bench_destroy(to->weft, that, plan);
    }
    if (out && out != in)
        bench_array_free(to->weft, that, out);
    if (in)
        bench_array_free(to->weft, that, in);
    MPI_Bcast(&known, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return known;
}

/* Writes the new decisions of this rigor to the file, with signals blocked. Returns the number of
 * lines; -1: the file cannot be written. Only on rank 0. */
static int keep(const session *to, const wisdom_functions *of)
{
    sigset_t block, before;
    char *text = of->export(), *rest = text, wanted[32];
    int kept = 0;
    snprintf(wanted, sizeof wanted, " rigor=%s", rigor_name(to->options->rigor));
    sigemptyset(&block);
    sigaddset(&block, SIGINT);
    sigaddset(&block, SIGTERM);
    sigprocmask(SIG_BLOCK, &block, &before);
    for (char *line; kept >= 0 && (line = strsep(&rest, "\n"));) {
        char *arrow = strstr(line, " => "), *sum = arrow ? strrchr(arrow, '~') : NULL;
        if (!sum || arrow - line < (ptrdiff_t)strlen(wanted))
            continue;
        *arrow = sum[-1] = '\0';
        if (strcmp(arrow - strlen(wanted), wanted) == 0)
            kept = weft_wisdom_append(to->options->wisdom, line, arrow + strlen(" => ")) ? kept + 1
                                                                                         : -1;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(text);
    return kept;
}

static double work_of(const bench_case *that)
{
    const double operations = bench_case_operations(that);
    return 1e5 + (operations > 0 ? operations : (double)that->size[0] * (double)that->size[1]);
}

typedef enum { TUNED, KNOWN, ELSEWHERE, FAILED } outcome;

/* Prints a line about a problem to standard output, or an error to standard error. */
static void say(const session *to, FILE *file, const char *name, const char *what)
{
    if (to->rank > 0)
        return;
    bench_bar_end();
    fprintf(file, "%s%s: %s\n", file == stderr ? "weft-tune: " : "", name, what);
}

static outcome failed(const session *to, const char *name, const char *why)
{
    say(to, stderr, name, why);
    return FAILED;
}

static outcome measured(session *to, const char *name, const bench_result result[2],
                        const wisdom_functions *of)
{
    char what[200];
    int kept = to->rank == 0 ? keep(to, of) : 0;
    MPI_Bcast(&kept, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (kept < 0)
        return failed(to, name, weft_error_text());
    if (kept == 0)
        return failed(
            to, name,
            "there is no new wisdom: the time limit ended planning, or WEFT_BACKEND chooses");
    to->before += result[0].median;
    to->after += result[1].median;
    snprintf(what, sizeof what, "%s %.4g ms, %s %.4g ms, %.3g times as fast; planned in %.3g s",
             rigor_name(to->options->before), 1e3 * result[0].median,
             rigor_name(to->options->rigor), 1e3 * result[1].median,
             result[0].median / result[1].median, result[1].planning);
    say(to, stdout, name, what);
    return TUNED;
}

static outcome tune_one(session *to, const bench_case *that, const char *name)
{
    bench_result result[2];
    char what[80];
    const bench_contender contender[2] = {{.library = to->weft, .rigor = &to->options->before},
                                          {.library = to->weft, .rigor = &to->options->rigor}};
    if (that->ranks > 0 && that->ranks != to->ranks) {
        snprintf(what, sizeof what, "skipped, since it is for %d ranks", that->ranks);
        say(to, stdout, name, what);
        return ELSEWHERE;
    }
    if (!bench_library_has(to->weft, that->precision))
        return failed(to, name, "this Weft was built without that precision");
    const wisdom_functions of = functions_of(to->weft, that->precision);
    if (!to->options->again && is_known(to, that, &of)) {
        say(to, stdout, name, "known already");
        return KNOWN;
    }
    forget(&of);
    if (!bench_time(that, contender, 2, to->options->rigor, to->options->seconds, false, result))
        return failed(to, name, "no memory");
    for (int i = 0; i < 2; i++)
        if (!result[i].made)
            return failed(to, name, result[i].error);
    return measured(to, name, result, &of);
}

static void sum_up(const session *to, double seconds)
{
    if (to->rank > 0)
        return;
    printf("%d tuned, %d known already, %d for other numbers of ranks, %d failed, in %.3g s\n",
           to->tuned, to->known, to->elsewhere, to->failed, seconds);
    if (to->tuned > 0)
        printf("all %d together: %s %.4g ms, %s %.4g ms, %.3g times as fast; in %s\n", to->tuned,
               rigor_name(to->options->before), 1e3 * to->before, rigor_name(to->options->rigor),
               1e3 * to->after, to->before / to->after, to->options->wisdom);
}

static void tune_each(session *to, const tune_problems *problems)
{
    const double begin = MPI_Wtime();
    char name[160], left[64];
    for (int i = 0; i < problems->count; i++)
        to->work += work_of(&problems->item[i]);
    for (int i = 0; i < problems->count; i++) {
        bench_case *that = &problems->item[i];
        bench_choose_grid(that, to->ranks);
        bench_case_name(that, name, sizeof name);
        set_farewell(to, problems->count);
        if (to->rank == 0)
            bench_bar(to->done / to->work, MPI_Wtime() - begin, i + 1, problems->count, name);
        const outcome came = tune_one(to, that, name);
        to->tuned += came == TUNED;
        to->known += came == KNOWN;
        to->elsewhere += came == ELSEWHERE;
        to->failed += came == FAILED;
        to->done += work_of(that);
        if (to->rank == 0 && came == TUNED && i + 1 < problems->count && bench_bar_is_text()) {
            bench_bar_left(to->done / to->work, MPI_Wtime() - begin, left, sizeof left);
            printf("%d of %d done%s\n", i + 1, problems->count, left);
        }
        fflush(stdout);
    }
    if (to->rank == 0)
        bench_bar_end();
    sum_up(to, MPI_Wtime() - begin);
}

int tune_all(const tune_options *options, const tune_problems *problems)
{
    char error[1024] = "";
    session to = {.options = options};
    MPI_Comm_rank(MPI_COMM_WORLD, &to.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &to.ranks);
    bool threads = false;
    for (int i = 0; i < problems->count; i++)
        threads |= problems->item[i].threads > 1;
    if (threads && !bench_library_with_threads() && to.rank == 0)
        fputs("weft-tune: FFTW's threads are not installed, so --threads is ignored and plans "
              "use one thread\n",
              stderr);
    to.weft = bench_library_open_weft(NULL, error, sizeof error);
    int ok = to.weft != NULL, all;
    MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (!ok)
        fprintf(stderr, "weft-tune: Weft's library cannot be opened: %s\n", error);
    if (!all)
        return 2;
    signal(SIGINT, interrupted);
    signal(SIGTERM, interrupted);
    tune_each(&to, problems);
    bench_library_close(to.weft);
    return to.failed > 0;
}
