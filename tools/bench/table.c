/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the results of weft-bench: a table, JSON or CSV. */
#include <fftw3.h>
#include <math.h>
#include <string.h>
#include "tools/bench/bench.h"

static const char *rigor_name(unsigned rigor)
{
    return rigor == FFTW_ESTIMATE  ? "estimate"
           : rigor == FFTW_PATIENT ? "patient"
           : rigor == FFTW_MEASURE ? "measure"
                                   : "exhaustive";
}

static void print_surroundings(FILE *file, const bench_options *options,
                               const bench_surroundings *where)
{
    fprintf(file,
            "{\"processor\": \"%s\", \"level2_bytes\": %zu, \"last_cache_bytes\": %zu, "
            "\"mpi\": \"%s\", \"fftw\": \"%s\", \"ranks\": %d, \"ranks_per_node\": %d, "
            "\"cores\": %d, \"bound\": %s, \"crowded\": %s, \"load\": %.2f, \"rigor\": \"%s\", "
            "\"timed\": \"%s\",\n\"cases\": [\n",
            where->processor, where->level2, where->last, where->mpi, where->fftw, where->ranks,
            where->per_node, where->cores, where->bound ? "true" : "false",
            where->crowded ? "true" : "false", where->load, rigor_name(options->rigor),
            options->lifecycle ? "lives" : "runs");
}

static void say_surroundings(FILE *file, const bench_options *options,
                             const bench_surroundings *where)
{
    fprintf(file, "# %s, %d cores, level 2 %zu KiB, last cache %zu KiB\n", where->processor,
            where->cores, where->level2 >> 10, where->last >> 10);
    fprintf(file, "# %s; %s\n# %d ranks, %d on each node, %s; rigor %s\n", where->mpi, where->fftw,
            where->ranks, where->per_node,
            where->crowded ? "which share cores"
            : where->bound ? "bound to cores"
                           : "not bound to cores",
            rigor_name(options->rigor));
}

void bench_print_head(FILE *file, const bench_options *options, const bench_surroundings *where)
{
    if (options->format == BENCH_JSON) {
        print_surroundings(file, options, where);
        return;
    }
    if (options->format == BENCH_CSV) {
        fputs("case,by,median_s,minimum_s,gflops,ratio,planning_s,difference,rounds,error,"
              "sent_bytes,gb_per_s,memory_bytes,passes_s,moving_s,waiting_s\n",
              file);
        return;
    }
    say_surroundings(file, options, where);
    fprintf(file, "%-*s %-*s %10s %10s %8s %6s %10s %10s", options->case_width, "case",
            options->by_width, "by", "median ms", "minimum ms", "GFLOP/s", "ratio", "planning s",
            "difference");
    if (options->split)
        fprintf(file, " %11s %11s %11s", "passes ms", "moving ms", "waiting ms");
    if (options->bytes)
        fprintf(file, " %11s %8s %11s", "moved MB", "GB/s", "memory MB");
    putc('\n', file);
}

/* Negative if it is not known. */
static double gb_per_second(const bench_result *it)
{
    return it->sent < 0 ? -1 : 1e-9 * it->sent / it->median;
}

static void print_number(FILE *file, int width, int digits, double number)
{
    if (number < 0)
        fprintf(file, " %*s", width, "-");
    else
        fprintf(file, " %*.*f", width, digits, number);
}

static void print_more(FILE *file, const bench_options *options, const bench_result *it)
{
    if (options->split) {
        print_number(file, 11, 4, 1e3 * it->passes);
        print_number(file, 11, 4, 1e3 * it->moving);
        print_number(file, 11, 4, 1e3 * it->waiting);
    }
    if (options->bytes) {
        print_number(file, 11, 3, 1e-6 * it->sent);
        print_number(file, 8, 3, gb_per_second(it));
        print_number(file, 11, 3, 1e-6 * it->memory);
    }
}

static void print_times(FILE *file, const bench_result *it, const bench_result *reference)
{
    fprintf(file, " %10.4f %10.4f", 1e3 * it->median, 1e3 * it->minimum);
    print_number(file, 8, 3, it->operations > 0 ? 1e-9 * it->operations / it->median : -1);
    print_number(file, 6, 2, reference && reference->made ? reference->median / it->median : -1);
    fprintf(file, " %10.3f %10.1e", it->planning, it->difference);
}

/* A line for each contender; one that could not be timed is in the summary only. */
void bench_print_case(FILE *file, const bench_options *options, const char *name,
                      const bench_contender *contender, int contenders, const bench_result *result,
                      int reference)
{
    bool named = false;
    for (int i = 0; i < contenders; i++) {
        const bench_result *it = &result[i];
        if (!it->made)
            continue;
        fprintf(file, "%-*s %-*s", options->case_width, named ? "" : name, options->by_width,
                contender[i].label);
        print_times(file, it, reference >= 0 ? &result[reference] : NULL);
        print_more(file, options, it);
        putc('\n', file);
        named = true;
    }
    if (!named)
        fprintf(file, "%-*s not timed, see below\n", options->case_width, name);
    fflush(file);
}

/* Whether `list`, of labels with ", " between them, has the label. */
static bool listed(const char *list, const char *label)
{
    const size_t length = strlen(label);
    for (const char *at = list; (at = strstr(at, label)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* Of "backend NAME cannot carry out this exchange: REASON; these can: ..." the reason alone. */
static void shorten(const char *error, char *why, size_t capacity)
{
    static const char before[] = "this exchange: ";
    const char *reason = strstr(error, before);
    reason = reason ? reason + strlen(before) : error;
    snprintf(why, capacity, "%.*s", (int)strcspn(reason, ";"), reason);
}

void bench_sum_up_failures(bench_summary *summary, const bench_contender *contender, int contenders,
                           const bench_result *result)
{
    for (int i = 0; i < contenders; i++) {
        int place = 0;
        char why[sizeof summary->reason->why];
        if (result[i].made)
            continue;
        shorten(result[i].error, why, sizeof why);
        while (place < summary->reasons && strcmp(summary->reason[place].why, why) != 0)
            place++;
        if (place == BENCH_MAX_REASONS)
            continue;
        char *who = summary->reason[place].who;
        if (place == summary->reasons) {
            summary->reasons++;
            *who = '\0';
            snprintf(summary->reason[place].why, sizeof why, "%s", why);
        }
        const size_t used = strlen(who);
        if (!listed(who, contender[i].label))
            snprintf(who + used, sizeof summary->reason[place].who - used, "%s%s", used ? ", " : "",
                     contender[i].label);
    }
}

void bench_sum_up(bench_summary *summary, const char *name, const bench_result *result,
                  int reference)
{
    const bench_result *ours = &result[reference + 1];
    if (reference < 0 || !result[reference].made || !ours->made)
        return;
    const double ratio = result[reference].median / ours->median;
    if (summary->cases == 0 || ratio < summary->lowest) {
        summary->lowest = ratio;
        snprintf(summary->lowest_name, sizeof summary->lowest_name, "%s", name);
    }
    summary->cases++;
    summary->logarithms += log(ratio);
}

/* Prints a text between quotes, and each quote in the text twice. */
static void print_quoted(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++)
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    putc('"', file);
}

void bench_print_csv(FILE *file, const char *name, const bench_contender *contender, int contenders,
                     const bench_result *result, int reference)
{
    for (int i = 0; i < contenders; i++) {
        const bench_result *it = &result[i];
        fprintf(file, "%s,%s,", name, contender[i].label);
        if (!it->made) {
            fputs(",,,,,,,", file);
            print_quoted(file, it->error);
            fputs(",,,,,,\n", file);
            continue;
        }
        fprintf(file, "%.9g,%.9g,", it->median, it->minimum);
        if (it->operations > 0)
            fprintf(file, "%.6g", 1e-9 * it->operations / it->median);
        fputc(',', file);
        if (reference >= 0 && result[reference].made)
            fprintf(file, "%.4f", result[reference].median / it->median);
        fprintf(file, ",%.6g,%.3g,%d,", it->planning, it->difference, it->rounds);
        const double more[] = {it->sent,   gb_per_second(it), it->memory,
                               it->passes, it->moving,        it->waiting};
        for (int k = 0; k < 6; k++)
            more[k] < 0 ? fputs(",", file) : fprintf(file, ",%.9g", more[k]);
        putc('\n', file);
    }
    fflush(file);
}

void bench_print_end(FILE *file, bench_format format, const bench_summary *summary)
{
    if (format == BENCH_JSON)
        fprintf(file, "\n]}\n");
    if (format != BENCH_TABLE)
        return;
    for (int i = 0; i < summary->reasons; i++)
        fprintf(file, "not timed: %s: %s\n", summary->reason[i].who, summary->reason[i].why);
    if (summary->cases > 1)
        fprintf(file, "\n%d cases: geometric mean of weft's ratios %.2f, lowest %.2f (%s)\n",
                summary->cases, exp(summary->logarithms / summary->cases), summary->lowest,
                summary->lowest_name);
}

/* Prints the fields whose values are known. */
static void print_fields(FILE *file, const bench_result *it)
{
    const struct {
        const char *field;
        double value;
    } more[] = {{", \"sent_bytes\": ", it->sent},     {", \"gb_per_second\": ", gb_per_second(it)},
                {", \"memory_bytes\": ", it->memory}, {", \"passes\": ", it->passes},
                {", \"moving\": ", it->moving},       {", \"waiting\": ", it->waiting}};
    for (size_t k = 0; k < sizeof more / sizeof *more; k++)
        if (more[k].value >= 0)
            fprintf(file, "%s%.15g", more[k].field, more[k].value);
}

void bench_print_json(FILE *file, const char *name, const bench_contender *contender,
                      int contenders, const bench_result *result, int reference, bool first)
{
    fprintf(file, "%s  {\"case\": \"%s\", \"results\": [", first ? "" : ",\n", name);
    for (int i = 0; i < contenders; i++) {
        fprintf(file, "%s\n    {\"by\": \"%s\", \"made\": %s", i ? "," : "", contender[i].label,
                result[i].made ? "true" : "false");
        if (result[i].made)
            fprintf(file,
                    ", \"median\": %.9g, \"minimum\": %.9g, \"rounds\": %d, \"planning\": %.6g, "
                    "\"difference\": %.3g",
                    result[i].median, result[i].minimum, result[i].rounds, result[i].planning,
                    result[i].difference);
        if (result[i].made && result[i].operations > 0)
            fprintf(file, ", \"gflops\": %.6g", 1e-9 * result[i].operations / result[i].median);
        if (result[i].made && reference >= 0 && result[reference].made)
            fprintf(file, ", \"ratio\": %.4f", result[reference].median / result[i].median);
        if (result[i].made)
            print_fields(file, &result[i]);
        fprintf(file, "}");
    }
    fprintf(file, "]}");
    fflush(file);
}
