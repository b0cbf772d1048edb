/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the command line of weft-bench. */
#include <fftw3.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "api/weft.h"
#include "tools/bench/bench.h"

const char bench_usage[] = "Usage: mpiexec -n RANKS weft-bench [options] [SIZES ...]\n"
                           "Times distributed transforms, as 256x256x256; more sizes, more cases. "
                           "Of what is transformed:\n"
                           "\n";

const char bench_more_usage[] =
    "  --private             on a grid: arrays as malloc gives them, not weft_alloc_real\n"
    "  --layout LAYOUT,...   each of the sizes in rows, slabs or on a grid (as --grid says, or of\n"
    "                        two dimensions), one after another\n"
    "  --suite SUITE         standard, papers (on grids) or steps (50 small problems)\n"
    "  --only WORD           of the cases just those whose name contains WORD\n"
    "  --rigor R             estimate, measure (default), patient or exhaustive\n"
    "  --lifecycle           plan, run once and destroy, again and again, each case and all in\n"
    "                        turn; by default with estimate\n"
    "  --backends all|LIST   also Weft with each of these backends forced (waitall,bruck:4,...)\n"
    "  --disturbed           also all libraries' plans made anew while other processes take turns\n"
    "                        on the ranks' cores; they are timed without them\n"
    "  --machines            also Weft's plans made as for five other machines (WEFT_MACHINE)\n"
    "  --against LIBRARY     also this library, as /usr/lib/libfftw3_mpi.so; ratios are its\n"
    "                        time over the others'\n"
    "  --weft LIBRARY        the Weft to time (default: the one installed with this program)\n"
    "  --seconds S           about so long for each case (1)\n"
    "  --split               more columns: what of a run's time goes into passes over memory,\n"
    "                        moving data and waiting, as far as the library says\n"
    "  --bytes               more columns: bytes that go from rank to rank in a run, and a "
    "second;\n"
    "                        memory of a rank beside the arrays\n"
    "  --json, --csv         instead of a table, with all columns; JSON says where was timed, too\n"
    "  --help                this text\n"
    "\n"
    "       weft-bench --plot FILE [--force] RESULT...\n"
    "Draws what --json has written, of one run or several, as FILE.svg, .png or .pdf (by "
    "gnuplot).\n"
    "A FILE that is there is written over with --force only.\n";

/* The state while the command line is read. */
typedef struct {
    bench_options *options;
    bench_case model; /* the case that the options so far describe, without sizes */
    int (*suite)(bench_case *);
    const char *layouts; /* list of layouts, separated by commas; NULL: the layout of the model */
    bool rigor;          /* --rigor was given */
} reader;

/* Sets *place to the index of a word in a list that ends with NULL. Reports an error if the list
 * does not contain the word. */
static bool choose(reader *r, const char *option, const char *text, const char *const *words,
                   int *place)
{
    for (*place = 0; words[*place]; (*place)++)
        if (strcmp(text, words[*place]) == 0)
            return true;
    snprintf(r->options->error, sizeof r->options->error, "--%s does not know %s", option, text);
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
    switch (letter) {
    case 'r':
        return read_rigor(r, text);
    case 's':
        return read_suite(r, text);
    case 'y':
        r->layouts = text;
        return true;
    case 'S':
        o->seconds = atof(text);
        return o->seconds > 0;
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
        {NULL, 0, NULL, 0}};
    return bench_options_each(argc, argv, ":", names, one_option, r, r->options->error,
                              sizeof r->options->error);
}

static bool add(bench_options *o, const bench_case *that, const char *sizes)
{
    if (o->count == BENCH_MAX_CASES) {
        snprintf(o->error, sizeof o->error, "there are more than %d cases: %s", BENCH_MAX_CASES,
                 sizes);
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
    for (; optind < argc; optind++) {
        if (!bench_case_sizes(argv[optind], &r.model)) {
            snprintf(o->error, sizeof o->error, "not sizes as 256x256x256: %s", argv[optind]);
            return false;
        }
        if (!(r.layouts ? add_layouts(&r, argv[optind]) : add(o, &r.model, argv[optind])))
            return false;
    }
    for (int i = 0; i < o->count; i++) {
        o->cases[i].private = r.model.private;
        if (!bench_case_fits(&o->cases[i], o->error, sizeof o->error))
            return false;
    }
    if (o->count == 0 && !o->help)
        snprintf(o->error, sizeof o->error, "give sizes, as 128x128x128, or --suite standard");
    return o->count > 0 || o->help;
}
