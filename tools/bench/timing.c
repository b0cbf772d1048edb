/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timing. All contenders make a plan for the same case on the same arrays and then take turns, so
 * that a disturbance of the machine affects all of them. In each turn, the first run does not
 * count, because arrays and caches are in the state in which the previous contender left them. The
 * time of a run is the time of the slowest rank; the result is the median. Before every run,
 * outside the timed part, the input is filled anew, because repeated runs in place would overflow.
 */
#include <fftw3.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/bench/bench.h"
#include "tools/median.h"

static double get(const void *numbers, bench_precision precision, ptrdiff_t i)
{
    if (precision == BENCH_DOUBLE)
        return ((const double *)numbers)[i];
    return precision == BENCH_FLOAT ? ((const float *)numbers)[i]
                                    : (double)((const long double *)numbers)[i];
}

static void put(void *numbers, bench_precision precision, ptrdiff_t i, double value)
{
    if (precision == BENCH_DOUBLE)
        ((double *)numbers)[i] = value;
    else if (precision == BENCH_FLOAT)
        ((float *)numbers)[i] = (float)value;
    else
        ((long double *)numbers)[i] = value;
}

typedef struct {
    const bench_case *that;
    bench_library *library; /* the library whose plans run first */
    int rank;
    ptrdiff_t numbers, output; /* real numbers in each array; how many of them the output fills */
    void *pattern, *in, *out, *kept;
} arrays;

static void make_pattern(arrays *a)
{
    unsigned long long state = 88172645463325252ull + (unsigned)a->rank * 2654435761ull;
    for (ptrdiff_t i = 0; i < a->numbers; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        put(a->pattern, a->that->precision, i, (double)(state >> 11) / 9007199254740992.0 - 0.5);
    }
}

static bool make_arrays(arrays *a)
{
    const bench_case *that = a->that;
    const size_t bytes = (size_t)a->numbers * bench_number_bytes(that->precision);
    a->pattern = fftw_malloc(bytes);
    a->in = bench_array(a->library, that, a->numbers);
    a->out = that->in_place ? a->in : bench_array(a->library, that, a->numbers);
    a->kept = fftw_malloc(bytes);
    int ok = a->pattern && a->in && a->out && a->kept, all;
    MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (!all)
        return false;
    make_pattern(a);
    memset(a->in, 0, bytes);
    memset(a->out, 0, bytes);
    return true;
}

static void free_arrays(arrays *a)
{
    fftw_free(a->pattern);
    if (a->out != a->in)
        bench_array_free(a->library, a->that, a->out);
    bench_array_free(a->library, a->that, a->in);
    fftw_free(a->kept);
}

static const bench_result nothing_known = {
    .sent = -1, .memory = -1, .passes = -1, .moving = -1, .waiting = -1};

static double slowest(double seconds)
{
    double most;
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static double run_once(const arrays *a, const bench_contender *contender, void *plan)
{
    memcpy(a->in, a->pattern, (size_t)a->numbers * bench_number_bytes(a->that->precision));
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    bench_execute(contender->library, a->that, plan);
    return slowest(MPI_Wtime() - begin);
}

/* Runs the plan twice and returns the time of the second run. */
static double take_turn(const arrays *a, const bench_contender *contender, void *plan)
{
    run_once(a, contender, plan);
    return run_once(a, contender, plan);
}

/* Sets an environment variable while a contender plans, unless `value` is "". Returns the old
 * value, which the caller passes to restore. */
static char *set(const char *name, const char *value)
{
    const char *before = getenv(name);
    char *kept = before ? strdup(before) : NULL;
    if (value[0])
        setenv(name, value, 1);
    return kept;
}

static void restore(const char *name, const char *value, char *before)
{
    if (value[0] && before)
        setenv(name, before, 1);
    else if (value[0])
        unsetenv(name);
    free(before);
}

/* Starts a process that keeps the core of this process busy; 0: it could not be started. */
static pid_t busy_process(void)
{
    pid_t it;
    static char shell[] = "sh", option[] = "-c", loop[] = "while :; do :; done";
    char *const arguments[] = {shell, option, loop, NULL};
    return posix_spawn(&it, "/bin/sh", NULL, NULL, arguments, environ) == 0 ? it : 0;
}

static void end_process(pid_t it)
{
    if (it > 0) {
        kill(it, SIGKILL);
        waitpid(it, NULL, 0);
    }
}

static void *make_plan(const arrays *a, const bench_contender *contender, unsigned rigor,
                       bench_result *result)
{
    char *const backend = set("WEFT_BACKEND", contender->backend);
    char *const machine = set("WEFT_MACHINE", contender->machine);
    /* Otherwise a row would use what FFTW has measured for the rows before it. */
    if (contender->disturbed || !getenv("WEFT_WISDOM"))
        bench_forget(a->that->precision);
    bench_case mine = *a->that;
    mine.separate = contender->separate;
    const pid_t busy = contender->disturbed ? busy_process() : 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    void *plan = bench_library_has(contender->library, a->that->precision)
                     ? bench_plan(contender->library, &mine, a->in, a->out,
                                  contender->rigor ? *contender->rigor : rigor)
                     : NULL;
    result->planning = slowest(MPI_Wtime() - begin);
    int made = plan != NULL, all;
    MPI_Allreduce(&made, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    result->made = all;
    if (!all) {
        const char *why = bench_library_error(contender->library, a->that->precision);
        snprintf(result->error, sizeof result->error, "%s", *why ? why : "no plan");
        if (plan)
            bench_destroy(contender->library, a->that, plan);
        plan = NULL;
    }
    end_process(busy);
    restore("WEFT_BACKEND", contender->backend, backend);
    restore("WEFT_MACHINE", contender->machine, machine);
    return plan;
}

/* Makes a plan, runs it once and destroys it. Returns the seconds of all three steps; -1: no plan.
 */
static double live_once(const arrays *a, const bench_contender *contender, unsigned rigor,
                        bench_result *result)
{
    memcpy(a->in, a->pattern, (size_t)a->numbers * bench_number_bytes(a->that->precision));
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    void *plan = make_plan(a, contender, rigor, result);
    if (!plan)
        return -1;
    bench_execute(contender->library, a->that, plan);
    bench_destroy(contender->library, a->that, plan);
    return slowest(MPI_Wtime() - begin);
}

/* The largest difference between the output and the kept output, relative to the largest number.
 * The padding in the rows of real output does not count. */
static double compare(const arrays *a)
{
    const bench_case *that = a->that;
    const ptrdiff_t used = that->size[that->axes - 1] * that->howmany;
    const ptrdiff_t stored = 2 * (that->size[that->axes - 1] / 2 + 1) * that->howmany;
    const bool padded = that->kind == BENCH_C2R || (that->operates && that->kind == BENCH_R2C);
    double most[2] = {0, 0}, all[2];
    for (ptrdiff_t i = 0; i < a->output; i++) {
        if (padded && i % stored >= used)
            continue;
        const double x = get(a->out, that->precision, i), y = get(a->kept, that->precision, i);
        const double difference = fabs(x - y);
        most[0] = difference <= most[0] ? most[0] : difference; /* NaN counts as the largest */
        most[1] = fmax(most[1], fabs(y));
    }
    MPI_Allreduce(most, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all[1] > 0 ? all[0] / all[1] : all[0];
}

static void first_runs(arrays *a, const bench_contender *contender, int contenders, void **plan,
                       bench_result *result)
{
    const size_t bytes = (size_t)a->numbers * bench_number_bytes(a->that->precision);
    bool have = false;
    for (int i = 0; i < contenders; i++) {
        if (!plan[i])
            continue;
        if (!a->that->in_place)
            memset(a->out, 0, bytes);
        run_once(a, &contender[i], plan[i]);
        if (have)
            result[i].difference = compare(a);
        else
            memcpy(a->kept, a->out, bytes);
        have = true;
    }
}

/* Allocates arrays that are large enough for every contender; false: no memory. */
static bool open_arrays(arrays *a, const bench_case *that, const bench_contender *contender,
                        int contenders)
{
    *a = (arrays){.that = that, .library = contender[0].library};
    MPI_Comm_rank(MPI_COMM_WORLD, &a->rank);
    for (int i = 0; i < contenders; i++)
        if (bench_library_has(contender[i].library, that->precision)) {
            const ptrdiff_t numbers = bench_local_numbers(contender[i].library, that, &a->output);
            a->numbers = numbers > a->numbers ? numbers : a->numbers;
        }
    const bool ok = make_arrays(a);
    if (!ok)
        free_arrays(a);
    return ok;
}

static double times[BENCH_MAX_CONTENDERS][BENCH_MAX_ROUNDS];

static void conclude(bench_result *result, double *time, int rounds)
{
    result->median = median_of(time, rounds);
    result->minimum = time[0];
    result->rounds = rounds;
}

static bool enough(int rounds, double spent, double seconds)
{
    return rounds == BENCH_MAX_ROUNDS || (rounds >= 5 && spent >= seconds);
}

static int by_median(const void *a, const void *b)
{
    return ascending(&((const bench_result *)a)->median, &((const bench_result *)b)->median);
}

/* Finds out more about a timed plan. How the time divides comes from the median of further runs. */
static void read_report(const arrays *a, const bench_contender *contender, void *plan, bool split,
                        bench_result *result)
{
    static bench_result run[BENCH_MAX_ROUNDS / 4 + 5];
    const int runs = result->rounds / 4 | 5; /* an odd number */
    bench_account account = {.runs = -1};
    bench_read_report(contender->library, a->that, plan, &account, result);
    if (!split || account.runs < 0)
        return;
    for (int i = 0; i < runs; i++) {
        run[i] = *result;
        run[i].median = run_once(a, contender, plan);
        bench_read_report(contender->library, a->that, plan, &account, &run[i]);
    }
    qsort(run, (size_t)runs, sizeof *run, by_median);
    result->passes = run[runs / 2].passes;
    result->moving = run[runs / 2].moving;
    result->waiting = run[runs / 2].waiting;
}

bool bench_time(const bench_case *that, const bench_contender *contender, int contenders,
                unsigned rigor, double seconds, bool split, bench_result *result)
{
    void *plan[BENCH_MAX_CONTENDERS];
    arrays a;
    int rounds = 0;
    if (!open_arrays(&a, that, contender, contenders))
        return false;
    for (int i = 0; i < contenders; i++) {
        result[i] = nothing_known;
        result[i].operations = bench_case_operations(that);
        plan[i] = make_plan(&a, &contender[i], rigor, &result[i]);
    }
    first_runs(&a, contender, contenders, plan, result);
    for (double spent = 0; !enough(rounds, spent, seconds); rounds++)
        for (int i = 0; i < contenders; i++)
            if (plan[i])
                spent += times[i][rounds] = take_turn(&a, &contender[i], plan[i]);
    for (int i = 0; i < contenders; i++)
        if (plan[i]) {
            conclude(&result[i], times[i], rounds);
            read_report(&a, &contender[i], plan[i], split, &result[i]);
            bench_destroy(contender[i].library, that, plan[i]);
        }
    free_arrays(&a);
    return true;
}

/* Makes, runs and destroys a plan for each case in turn. Returns the seconds of all; negative: a
 * plan could not be made. */
static double live_in_turn(const arrays *a, int cases, const bench_contender *contender,
                           unsigned rigor, bench_result *result)
{
    double all = 0, planning = 0;
    for (int i = 0; i < cases; i++) {
        const double seconds = live_once(&a[i], contender, rigor, result);
        if (seconds < 0)
            return -1;
        all += seconds;
        planning += result->planning;
    }
    result->planning = planning;
    return all;
}

/* Compares the result of each contender with the first result, and finds out which contenders can
 * make plans. */
static void first_lives(const arrays *a, int cases, const bench_contender *contender,
                        int contenders, unsigned rigor, bench_result *result)
{
    for (int i = 0; i < contenders; i++) {
        result[i] = nothing_known;
        result[i].made = true;
    }
    for (int k = 0; k < cases; k++) {
        bool have = false;
        for (int i = 0; i < contenders; i++) {
            if (!result[i].made || live_once(&a[k], &contender[i], rigor, &result[i]) < 0)
                continue;
            const double difference = have ? compare(&a[k]) : 0;
            result[i].difference = fmax(result[i].difference, difference);
            if (!have)
                memcpy(a[k].kept, a[k].out,
                       (size_t)a[k].numbers * bench_number_bytes(a[k].that->precision));
            have = true;
        }
    }
}

bool bench_time_lives(const bench_case *that, int cases, const bench_contender *contender,
                      int contenders, unsigned rigor, double seconds, bench_result *result)
{
    static arrays a[BENCH_MAX_CASES];
    int open = 0, rounds = 0;
    while (open < cases && open_arrays(&a[open], &that[open], contender, contenders))
        open++;
    if (open == cases) {
        first_lives(a, cases, contender, contenders, rigor, result);
        for (double spent = 0; !enough(rounds, spent, seconds); rounds++)
            for (int i = 0; i < contenders; i++)
                if (result[i].made)
                    spent += times[i][rounds] =
                        live_in_turn(a, cases, &contender[i], rigor, &result[i]);
        for (int i = 0; i < contenders; i++)
            if (result[i].made)
                conclude(&result[i], times[i], rounds);
    }
    for (int i = 0; i < open; i++)
        free_arrays(&a[i]);
    return open == cases;
}
