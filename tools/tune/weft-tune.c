/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-tune: plans problems with much rigor and writes the decisions to a wisdom file; lists,
 * merges and prunes such files. Rank 0 reads the command line and the files and broadcasts them.
 */
#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kernels/base/error.h"
#include "planner/wisdom/wisdom.h"
#include "tools/bench/output.h"
#include "tools/tune/tune.h"

static const char usage[] =
    "Usage: mpiexec -n RANKS weft-tune [options] [SIZES ...]\n"
    "       weft-tune --list FILE ...\n"
    "       weft-tune --merge FILE ... -o FILE\n"
    "       weft-tune --prune weft|fftw|mpi|processor|rigor|all FILE [-o FILE]\n"
    "Plans transforms of sizes such as 256x256x256 with FFTW_PATIENT, and keeps the results in a\n"
    "file of wisdom.\n"
    "\n"
    "  --problems FILE       problems, each a line with these options; a program with\n"
    "                        WEFT_RECORD=FILE writes them\n"
    "  --wisdom FILE         the wisdom file to write (default: WEFT_WISDOM)\n"
    "  --rigor R             measure, patient (default) or exhaustive\n"
    "  --before R            compare with this rigor: estimate (default) or measure\n"
    "  --again               also plan problems that are in the file\n"
    "  --seconds S           time both plans for about this long (0.5)\n"
    "  --list                print the decisions in files\n"
    "  --merge               merge several files; the last decision for a problem counts\n"
    "  --prune WHAT,...      remove decisions for another weft, fftw, mpi or processor, or "
    "(rigor)\n"
    "                        with less rigor than another one; without -o only print them\n"
    "  -o, --output FILE     the file that --merge and --prune write\n"
    "  --force               overwrite FILE if it exists\n"
    "  --help                this text\n"
    "\n"
    "What to transform:\n"
    "\n";

typedef enum { TUNE, LIST, MERGE, PRUNE, HELP } task;

/* The state while rank 0 reads the command line. */
typedef struct {
    task task;
    tune_options options;
    tune_problems problems;
    tune_files files;
    bench_case model;
    const char *problems_in[TUNE_FILES];
    int files_of_problems;
    char error[TUNE_ERROR];
} reader;

/* Reads a rigor from `least` to `most`. */
static bool read_rigor(const char *text, int least, int most, unsigned *rigor)
{
    for (int place = least; place <= most; place++)
        if (strcmp(text, tune_rigors[place]) == 0) {
            *rigor = tune_rigor(place);
            return true;
        }
    return false;
}

static bool read_path(const char *text, char path[TUNE_PATH])
{
    return *text && (size_t)snprintf(path, TUNE_PATH, "%s", text) < TUNE_PATH;
}

static bool one_option(void *context, int letter, const char *text)
{
    reader *r = context;
    switch (letter) {
    case 'f':
        r->problems_in[r->files_of_problems++] = text;
        return r->files_of_problems < TUNE_FILES;
    case 'w':
        return read_path(text, r->options.wisdom);
    case 'r':
        return read_rigor(text, 1, 3, &r->options.rigor);
    case 'b':
        return read_rigor(text, 0, 1, &r->options.before);
    case 'S':
        return bench_seconds(text, &r->options.seconds);
    case 'P':
        r->files.drop = text;
        r->task = PRUNE;
        break;
    case 'l':
        r->task = LIST;
        break;
    case 'M':
        r->task = MERGE;
        break;
    case 'o':
        r->files.output = text;
        break;
    case 'a':
        r->options.again = true;
        break;
    case 'O':
        r->files.force = true;
        break;
    case 'h':
        r->task = HELP;
        break;
    default:
        return bench_case_option(&r->model, letter, text);
    }
    return true;
}

/* Reads all options. The problem files are read afterwards, because they are parsed with getopt,
 * too. */
static bool all_options(reader *r, int argc, char **argv)
{
    static const struct option names[] = {
        BENCH_CASE_OPTIONS,        {"problems", 1, NULL, 'f'}, {"wisdom", 1, NULL, 'w'},
        {"rigor", 1, NULL, 'r'},   {"before", 1, NULL, 'b'},   {"again", 0, NULL, 'a'},
        {"seconds", 1, NULL, 'S'}, {"list", 0, NULL, 'l'},     {"merge", 0, NULL, 'M'},
        {"prune", 1, NULL, 'P'},   {"output", 1, NULL, 'o'},   {"force", 0, NULL, 'O'},
        {"help", 0, NULL, 'h'},    {NULL, 0, NULL, 0}};
    if (!bench_options_each(argc, argv, ":o:", names, one_option, r, r->error, sizeof r->error))
        return false;
    const int operands = optind;
    for (int i = 0; i < r->files_of_problems; i++)
        if (!tune_problems_read(&r->problems, r->problems_in[i], r->error))
            return false;
    optind = operands;
    return true;
}

static bool read_operands(reader *r, int argc, char **argv)
{
    for (; optind < argc; optind++) {
        if (r->task == TUNE && !tune_problem_add(&r->problems, &r->model, argv[optind], r->error))
            return false;
        if (r->task == TUNE)
            continue;
        if (r->files.files == TUNE_FILES) {
            snprintf(r->error, sizeof r->error, "there are more than %d files", TUNE_FILES);
            return false;
        }
        r->files.file[r->files.files++] = argv[optind];
    }
    return true;
}

/* Whether the wisdom file can be read and written; checked before tuning, which may take hours. */
static bool wisdom_fits(reader *r)
{
    const char *path = r->options.wisdom;
    char folder[TUNE_PATH];
    const weft_file_state state = weft_wisdom_load(path);
    if (state == WEFT_FILE_UNUSABLE) {
        snprintf(r->error, sizeof r->error, "%s", weft_error_text());
        return false;
    }
    if (state == WEFT_FILE_PARTLY)
        fprintf(stderr, "weft-tune: %s\n", weft_error_text());
    snprintf(folder, sizeof folder, "%s", path);
    if (access(dirname(folder), W_OK) != 0 ||
        (access(path, F_OK) == 0 && access(path, W_OK) != 0)) {
        snprintf(r->error, sizeof r->error, "%s cannot be written: %s", path, strerror(errno));
        return false;
    }
    return true;
}

static const char *why_not(reader *r)
{
    const char *given = getenv("WEFT_WISDOM");
    if (r->task == HELP)
        return NULL;
    if (r->task == LIST && r->files.files == 0)
        return "--list needs a file of wisdom";
    if (r->task == MERGE && (r->files.files == 0 || !r->files.output))
        return "--merge needs files of wisdom, and -o FILE";
    if (r->task == PRUNE && r->files.files != 1)
        return "--prune needs one file of wisdom";
    if (r->files.output && r->task != MERGE && r->task != PRUNE)
        return "-o is for --merge and --prune; use --wisdom FILE for the file to write";
    if (r->task != TUNE)
        return NULL;
    if (r->problems.count == 0)
        return "there is no problem; give sizes such as 128x128x128, or --problems FILE";
    if (!r->options.wisdom[0] && (!given || !read_path(given, r->options.wisdom)))
        return "there is no file of wisdom; give --wisdom FILE, or set WEFT_WISDOM";
    return wisdom_fits(r) ? NULL : r->error;
}

static bool read_all(reader *r, int argc, char **argv)
{
    *r = (reader){.options = {.rigor = FFTW_PATIENT, .before = FFTW_ESTIMATE, .seconds = 0.5},
                  .model = {.howmany = 1}};
    bool ok = all_options(r, argc, argv) && read_operands(r, argc, argv);
    const char *why = ok ? why_not(r) : r->error;
    if (why)
        fprintf(stderr, "weft-tune: %s; weft-tune --help lists the options\n", why);
    return !why;
}

/* Broadcasts what rank 0 has read. */
static bool broadcast(reader *r)
{
    int count = r->problems.count;
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    const size_t bytes = (size_t)count * sizeof *r->problems.item;
    bench_case *item = realloc(r->problems.item, bytes);
    int there = item != NULL, all;
    MPI_Allreduce(&there, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (item)
        r->problems.item = item;
    if (!all)
        return false;
    r->problems.count = count;
    MPI_Bcast(&r->options, (int)sizeof r->options, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        MPI_Bcast(&item[i], (int)sizeof *item, MPI_BYTE, 0, MPI_COMM_WORLD);
    return true;
}

static int run(reader *r, int rank)
{
    unsetenv("WEFT_WISDOM"); /* tuning writes to this file itself, */
    unsetenv("WEFT_RECORD"); /* and its plans must not be recorded as problems */
    if (r->task == TUNE)
        return broadcast(r) ? tune_all(&r->options, &r->problems) : 1;
    if (r->task == PRUNE)
        tune_make_keys();
    if (rank > 0)
        return 0;
    return r->task == LIST    ? tune_list(&r->files)
           : r->task == MERGE ? tune_merge(&r->files)
           : r->task == PRUNE ? tune_prune(&r->files)
                              : printf("%s%s", usage, bench_case_usage) < 0;
}

int main(int argc, char **argv)
{
    static reader r;
    int rank, status = 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int from_rank_0[2] = {rank == 0 && read_all(&r, argc, argv), (int)r.task};
    MPI_Bcast(from_rank_0, 2, MPI_INT, 0, MPI_COMM_WORLD);
    r.task = (task)from_rank_0[1];
    if (from_rank_0[0])
        status = run(&r, rank);
    status = bench_printed("weft-tune", status);
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(r.problems.item);
    MPI_Finalize();
    return status;
}
