/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the command line of weft-bench. */
#include <fftw3.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "api/weft.h"
#include "tools/bench/bench.h"

const char bench_usage[] =
    "Usage: mpiexec -n RANKS weft-bench [options] [SIZES ...]\n"
    "Times distributed transforms. Each size, such as 256x256x256, is a case. What to "
    "transform:\n"
    "\n";

const char bench_more_usage[] =
    "  --private             on a grid: arrays from malloc, not from weft_alloc_real\n"
    "  --layout LAYOUT,...   each size in rows, slabs or on a grid (of --grid, or a grid of two\n"
    "                        dimensions)\n"
    "  --suite SUITE         standard, papers (on grids) or steps (50 small problems)\n"
    "  --only WORD           only the cases whose name contains WORD\n"
    "  --rigor R             estimate, measure (default), patient or exhaustive\n"
    "  --lifecycle           time plan, one run and destroy together, for each case and for all\n"
    "                        in turn; --rigor is estimate by default\n"
    "  --backends all|LIST   also Weft with each of these backends (waitall,bruck:4,...)\n"
    "  --disturbed           also plans that are made while other processes use the cores, and\n"
    "                        timed without them\n"
    "  --machines            also plans of Weft for five other machines (WEFT_MACHINE)\n"
    "  --against LIBRARY     also this library, such as /usr/lib/libfftw3_mpi.so; a ratio is its\n"
    "                        time over the time of the row\n"
    "  --weft LIBRARY        the Weft to time (default: the one installed with this program)\n"
    "  --seconds S           about this long for each case (1)\n"
    "  --split               more columns: the time of a run in passes over memory, moving data,\n"
    "                        and waiting, if the library reports it\n"
    "  --bytes               more columns: bytes that move between ranks in a run, and per "
    "second;\n"
    "                        memory of a rank besides the arrays\n"
    "  --json, --csv         print this instead of a table, with all columns\n"
    "  --plot FILE           also draw the results as FILE.svg, .png or .pdf (needs gnuplot)\n"
    "  --force               overwrite that FILE if it exists\n"
    "  --help                this text\n"
    "\n"
    "       weft-bench --plot FILE [--force] RESULT...\n"
    "Draws files that --json has written, of one run or several, and times nothing.\n";

/* The state while the command line is read. */
typedef struct {
    bench_options *options;
    bench_case model; /* the case that the options so far describe, without sizes */
    int (*suite)(bench_case *);
    const char *layouts; /* words with commas between them; NULL: as the model says */
    bool rigor;          /* was given */
    bool timing;         /* options were given that only timing uses */
} reader;

/* Sets *place to the index of a word in a list that ends with NULL. Reports an error if the list
 * does not contain the word. */
static bool choose(reader *r, const char *option, const char *text, const char *const *words,
                   int *place)
{
    for (*place = 0; words[*place]; (*place)++)
        if (strcmp(text, words[*place]) == 0)
            return true;
    size_t used = (size_t)snprintf(r->options->error, sizeof r->options->error,
                                   "--%s is \"%.100s\"; it must be one of", option, text);
    for (int i = 0; words[i] && used < sizeof r->options->error; i++)
        used += (size_t)snprintf(r->options->error + used, sizeof r->options->error - used, "%s %s",
                                 i ? "," : "", words[i]);
    return false;
}

/* Takes an option without a value. Returns false if the letter is none of these. */
static bool switched(reader *r, int letter)
{
    bench_options *o = r->options;
    switch (letter) {
    case 'l':
        return o->lifecycle = true;
    case 'D':
        return o->split = true;
    case 'Y':
        return o->bytes = true;
    case 'd':
        return o->disturbed = true;
    case 'M':
        return o->machines = true;
    case 'j':
        o->format = BENCH_JSON;
        return true;
    case 'C':
        o->format = BENCH_CSV;
        return true;
    case 'h':
        return o->help = true;
    case 'v':
        return r->model.private = true;
    default:
        return false;
    }
}

static bool read_rigor(reader *r, const char *text)
{
    static const char *const words[] = {"estimate", "measure", "patient", "exhaustive", NULL};
    static const unsigned rigor[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT, FFTW_EXHAUSTIVE};
    int place;
    r->rigor = choose(r, "rigor", text, words, &place);
    if (r->rigor)
        r->options->rigor = rigor[place];
    return r->rigor;
}

static bool read_suite(reader *r, const char *text)
{
    static const char *const words[] = {"standard", "papers", "steps", NULL};
    static int (*const suite[])(bench_case *) = {bench_standard_suite, bench_papers_suite,
                                                 bench_steps_suite};
    int place;
    const bool ok = choose(r, "suite", text, words, &place);
    if (ok)
        r->suite = suite[place];
    return ok;
}

static bool one_option(void *context, int letter, const char *text)
{
    reader *r = context;
    bench_options *o = r->options;
    r->timing |= letter != 'P' && letter != 'O';
    switch (letter) {
    case 'P':
        o->plot = text;
        return true;
    case 'O':
        return o->force = true;
    case 'r':
        return read_rigor(r, text);
    case 's':
        return read_suite(r, text);
    case 'y':
        r->layouts = text;
        return true;
    case 'S':
        return bench_seconds(text, &o->seconds);
    case 'o':
        o->only = text;
        return true;
    case 'b':
        o->backends = text;
        return true;
    case 'a':
        o->against = text;
        return true;
    case 'w':
        o->weft = text;
        return true;
    default:
        return switched(r, letter) || bench_case_option(&r->model, letter, text);
    }
}

static bool all_options(reader *r, int argc, char **argv)
{
    static const struct option names[] = {
        BENCH_CASE_OPTIONS,       {"suite", 1, NULL, 's'},     {"only", 1, NULL, 'o'},
        {"rigor", 1, NULL, 'r'},  {"backends", 1, NULL, 'b'},  {"against", 1, NULL, 'a'},
        {"weft", 1, NULL, 'w'},   {"seconds", 1, NULL, 'S'},   {"json", 0, NULL, 'j'},
        {"csv", 0, NULL, 'C'},    {"help", 0, NULL, 'h'},      {"private", 0, NULL, 'v'},
        {"layout", 1, NULL, 'y'}, {"lifecycle", 0, NULL, 'l'}, {"split", 0, NULL, 'D'},
        {"bytes", 0, NULL, 'Y'},  {"disturbed", 0, NULL, 'd'}, {"machines", 0, NULL, 'M'},
        {"plot", 1, NULL, 'P'},   {"force", 0, NULL, 'O'},     {NULL, 0, NULL, 0}};
    return bench_options_each(argc, argv, ":", names, one_option, r, r->options->error,
                              sizeof r->options->error);
}

static bool add(bench_options *o, const bench_case *that, const char *sizes)
{
    if (o->count == BENCH_MAX_CASES) {
        snprintf(o->error, sizeof o->error, "there are more than %d cases at \"%.100s\"",
                 BENCH_MAX_CASES, sizes);
        return false;
    }
    o->cases[o->count++] = *that;
    return true;
}

/* Adds a case with these sizes for each layout of the list. */
static bool add_layouts(reader *r, const char *sizes)
{
    static const char *const words[] = {"rows", "slabs", "grid", NULL};
    char *copy = strdup(r->layouts), *rest = copy;
    bool ok = copy;
    for (const char *word; ok && (word = strsep(&rest, ","));) {
        bench_case that = r->model;
        int place;
        ok = choose(r, "layout", word, words, &place);
        if (ok && (place < 2 || that.grid_axes == 0)) {
            that.grid_axes = place < 2 ? 1 : 2;
            that.grid[0] = that.grid[1] = 0; /* Weft chooses the extents */
        }
        if (place == 0)
            that.flags |= WEFT_ROWS;
        ok = ok && add(r->options, &that, sizes);
    }
    free(copy);
    return ok;
}

/* Sizes; or with --plot the name of a file of results, which is no number. */
static bool read_operand(reader *r, const char *text)
{
    bench_options *o = r->options;
    if (bench_case_sizes(text, &r->model))
        return r->layouts ? add_layouts(r, text) : add(o, &r->model, text);
    if (!o->plot || strspn(text, "0123456789x+- ") == strlen(text)) {
        bench_bad_sizes(text, o->error, sizeof o->error);
        return false;
    }
    if (o->files == PLOT_MOST_RUNS) {
        snprintf(o->error, sizeof o->error, "--plot draws at most %d files of results",
                 PLOT_MOST_RUNS);
        return false;
    }
    o->results[o->files++] = text;
    return true;
}

/* NULL: what was given makes sense together. */
static const char *why_not(const reader *r)
{
    const bench_options *o = r->options;
    if (o->files > 0 && o->count > 0)
        return "--plot draws sizes or files of results, not both";
    if (o->files > 0 && r->timing)
        return "--plot with files of results accepts only --force, since nothing is timed";
    if (o->plot && o->format != BENCH_TABLE)
        return "--plot prints a table; keep results with --json, and draw that file later";
    if (o->force && !o->plot)
        return "--force is for --plot, and there is no --plot";
    if (r->model.operates && r->model.kinds > 0)
        return "--operator and --factors with --kinds are for weft-tune";
    if (r->model.operates && o->lifecycle)
        return "--operator cannot be combined with --lifecycle";
    if (o->count == 0 && o->files == 0)
        return o->plot ? "--plot needs sizes such as 128x128x128, or files that --json has written"
                       : "there is no size; give some, such as 128x128x128, or --suite standard";
    return NULL;
}

bool bench_options_read(int argc, char **argv, bench_options *o)
{
    reader r = {.options = o, .model = {.howmany = 1}};
    *o = (bench_options){.rigor = FFTW_MEASURE, .seconds = 1};
    if (!all_options(&r, argc, argv))
        return false;
    if (o->lifecycle && !r.rigor)
        o->rigor = FFTW_ESTIMATE;
    if (r.suite)
        o->count = r.suite(o->cases);
    for (; optind < argc; optind++)
        if (!read_operand(&r, argv[optind]))
            return false;
    for (int i = 0; i < o->count; i++) {
        o->cases[i].private = r.model.private;
        o->cases[i].operates = r.model.operates;
        if (!bench_case_fits(&o->cases[i], o->error, sizeof o->error))
            return false;
    }
    const char *why = o->help ? NULL : why_not(&r);
    snprintf(o->error, sizeof o->error, "%s", why ? why : "");
    return !why;
}
