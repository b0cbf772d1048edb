/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of weft-bench: cases (the transforms), libraries (several are open at once),
 * contenders (a library and the backend that it uses), timing, and the table.
 */
#ifndef BENCH_H
#define BENCH_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "planner/problem.h"
#include "tools/bench/plot.h"

enum {
    BENCH_MAX_AXES = WEFT_MAX_RANK,
    BENCH_MAX_CASES = 64,
    BENCH_MAX_CONTENDERS = 24,
    BENCH_MAX_ROUNDS = 400,
    BENCH_MAX_REASONS = 16
};

typedef enum { BENCH_DOUBLE, BENCH_FLOAT, BENCH_LONG_DOUBLE } bench_precision;
typedef enum { BENCH_C2C, BENCH_R2C, BENCH_C2R, BENCH_R2R, BENCH_TRANSPOSE } bench_kind;

typedef struct {
    bench_kind kind;
    bench_precision precision;
    int axes;
    ptrdiff_t size[BENCH_MAX_AXES];
    ptrdiff_t howmany;
    bool transposed; /* the output is transposed; of c2r the input */
    bool scrambled;  /* the output of a transform of one axis is scrambled */
    bool in_place;
    bool operates;       /* forward, an operator, and back */
    bool factors;        /* an array of factors in place of the operator */
    bool separate;       /* with an operator: as two plans, and a loop between them */
    bool changes_fields; /* with an operator: the output has other fields than the input */
    ptrdiff_t fields_out;
    ptrdiff_t modes[BENCH_MAX_AXES]; /* with an operator; the first is 0: as many as points */
    bool private;                    /* on grids: allocate arrays that other ranks cannot read */
    int grid_axes; /* 0: slabs, by FFTW's functions; otherwise the dimensions of a process grid, by
                      Weft's functions */
    int grid[BENCH_MAX_AXES];
    bool column_major; /* the first dimension of the grid varies fastest with the rank */
    bool backward;     /* c2c */
    int kinds; /* number of entries in `each`, kinds of weft.h: one for all axes, or one for each
                  axis; 0: use `kind` */
    int each[BENCH_MAX_AXES];
    ptrdiff_t block[2]; /* block sizes of slabs in the input and the output; 0: the default */
    unsigned flags;     /* further planning flags */
    int threads, ranks; /* 0: not set by the command line */
} bench_case;

/* A library with the interface of FFTW's MPI library, in all its precisions, and the serial FFTW
 * that it uses. */
typedef struct bench_library bench_library;

/* Opens a library. `name` is a path or a name for the loader. Returns NULL, with the reason in
 * `error`, if the library cannot be opened. */
bench_library *bench_library_open(const char *name, char *error, size_t capacity);
void bench_library_close(bench_library *library);
/* Whether the library exists in this precision. The file of another precision is in the same
 * folder. */
bool bench_library_has(bench_library *library, bench_precision precision);
/* The last error that Weft recorded; "" for other libraries. */
const char *bench_library_error(bench_library *library, bench_precision precision);
/* Whether the library is Weft. */
bool bench_library_is_weft(const bench_library *library);
/* The name of backend number `place` of Weft; NULL past the end. */
const char *bench_library_backend(bench_library *library, int place);

size_t bench_number_bytes(bench_precision precision);
/* Allocates an array of `numbers` real numbers for a case. Collective. The caller frees the array
 * with bench_array_free. NULL: no memory. */
void *bench_array(bench_library *library, const bench_case *that, ptrdiff_t numbers);
void bench_array_free(bench_library *library, const bench_case *that, void *array);

/* Opens Weft: the library with this name, or, if `name` is NULL, the library of the same build or
 * installation as this program. */
bench_library *bench_library_open_weft(const char *name, char *error, size_t capacity);
/* Loads FFTW's library of threads. To be called before Weft is opened, because Weft looks for the
 * functions of this library then. Returns false if there is no such library. */
bool bench_library_with_threads(void);
/* Sets the number of threads for the plans of a precision that are made from now on. */
void bench_library_threads(bench_precision precision, int threads);
/* Forgets the wisdom of Weft and of FFTW, so that the next plans are made without it. */
void bench_forget(bench_precision precision);
/* Finds a function of the library of a precision. `pattern` is the function's name with %s in place
 * of the precision's letter. NULL: the library has no such function. */
void *bench_library_function(bench_library *library, bench_precision precision,
                             const char *pattern);

/* The number of real numbers that each array needs on this rank. Sets *output to the number of them
 * that the output fills. */
ptrdiff_t bench_local_numbers(bench_library *library, const bench_case *that, ptrdiff_t *output);
/* Bytes that this rank sends to other ranks when FFTW's algorithm transposes slabs; negative:
 * unknown. */
double bench_slabs_sent(bench_library *library, const bench_case *that);
void *bench_plan(bench_library *library, const bench_case *that, void *in, void *out,
                 unsigned rigor);
void bench_execute(bench_library *library, const bench_case *that, void *plan);
void bench_destroy(bench_library *library, const bench_case *that, void *plan);
/* The library's own plan, for reports; NULL: the case is done by two plans. */
void *bench_operator_whole(const bench_case *that, void *plan);

void bench_case_name(const bench_case *that, char *text, size_t capacity);
/* The number of floating-point operations as they are usually counted: 5 N log2 N, half of this for
 * real numbers; 0: the case transforms nothing. */
double bench_case_operations(const bench_case *that);
/* Parses sizes such as "256x256x256"; returns false if the text is malformed. */
bool bench_case_sizes(const char *text, bench_case *that);
/* Explains sizes that are malformed. */
void bench_bad_sizes(const char *text, char *error, size_t capacity);
int bench_standard_suite(bench_case *cases);
/* The cases that papers on process grids time, on grids whose extents Weft chooses. */
int bench_papers_suite(bench_case *cases);
/* 50 small problems, as in programs that make plans at every time step. */
int bench_steps_suite(bench_case *cases);
/* Parses a grid such as "4x2" or "4x2:column-major"; Weft chooses extents of 0. Returns false if
 * the text is malformed. */
bool bench_case_grid(const char *text, bench_case *that);
/* Replaces extents of 0 by the extents that MPI_Dims_create chooses, if MPI_Dims_create can be
 * called. */
void bench_choose_grid(bench_case *that, int ranks);

/* The machine and the libraries of a timing. */
typedef struct {
    char processor[128], mpi[96], fftw[96];
    size_t level2, last;        /* cache sizes: level 2 per core, and the last level */
    int ranks, per_node, cores; /* cores of the node of rank 0 */
    bool bound, crowded;        /* each rank is bound to one core; several ranks run on one core */
    double load;                /* load average of the last minute */
} bench_surroundings;
void bench_surroundings_find(bench_surroundings *it); /* collective; sets the fields on rank 0 */
void bench_surroundings_warn(const bench_surroundings *it);

typedef enum { BENCH_TABLE, BENCH_JSON, BENCH_CSV } bench_format;

/* The options, for getopt_long, that describe the problem of all sizes that follow on the command
 * line. */
#define BENCH_CASE_OPTIONS                                                                         \
    {"kind", 1, NULL, 'k'}, {"howmany", 1, NULL, 'm'}, {"precision", 1, NULL, 'p'},                \
        {"transposed", 0, NULL, 't'}, {"scrambled", 0, NULL, 'c'}, {"in-place", 0, NULL, 'i'},     \
        {"grid", 1, NULL, 'g'}, {"backward", 0, NULL, 'B'}, {"kinds", 1, NULL, 'K'},               \
        {"blocks", 1, NULL, 'L'}, {"flags", 1, NULL, 'F'}, {"threads", 1, NULL, 'T'},              \
        {"operator", 0, NULL, 'A'}, {"factors", 0, NULL, 'X'}, {"modes", 1, NULL, 'E'},            \
        {"fields-out", 1, NULL, 'U'},                                                              \
    {                                                                                              \
        "ranks", 1, NULL, 'R'                                                                      \
    }
extern const char bench_case_usage[];
/* Takes one option. Returns false if there is no such option or its value is not valid. */
bool bench_case_option(bench_case *that, int letter, const char *text);
/* Reads the value of --seconds; false if it makes no sense. */
bool bench_seconds(const char *text, double *seconds);
/* Passes each option of a command line to `take`, as getopt_long finds them. Returns false, with
 * the reason in `error`, at the first word that is not an option, lacks a value, or that `take`
 * refuses. */
struct option;
bool bench_options_each(int argc, char **argv, const char *letters, const struct option *names,
                        bool (*take)(void *reader, int letter, const char *value), void *reader,
                        char *error, size_t capacity);
/* Whether the options of a case fit together; false, with the reason in `error`. */
bool bench_case_fits(const bench_case *that, char *error, size_t capacity);

/* The command line. */
typedef struct {
    bench_case cases[BENCH_MAX_CASES];
    int count;
    const char *plot; /* the picture; NULL: none */
    const char *results[PLOT_MOST_RUNS];
    int files;  /* of results, to be drawn; then nothing is timed */
    bool force; /* overwrite the picture */
    const char *only, *backends, *against, *weft; /* NULL: not given */
    unsigned rigor;
    double seconds;
    bench_format format;
    bool lifecycle, help;
    bool disturbed, machines; /* more contenders */
    bool split, bytes;        /* more columns of the table */
    int case_width, by_width; /* of the first two columns */
    char error[256];
} bench_options;

extern const char bench_usage[],
    bench_more_usage[]; /* the help prints bench_usage, bench_case_usage, bench_more_usage */
/* Reads the command line. Returns false, with the reason in `error`. With `help` the list of cases
 * may be empty. */
bool bench_options_read(int argc, char **argv, bench_options *options);

typedef struct {
    char label[64];
    bench_library *library;
    char backend[64]; /* value of WEFT_BACKEND while this contender plans; "": WEFT_BACKEND does not
                         change */
    char machine[64]; /* value of WEFT_MACHINE in the same way */
    bool disturbed;   /* makes its plan while another process keeps the core of every rank busy */
    bool separate;    /* of an operator: two plans, and a loop between them */
    const unsigned *rigor; /* planning rigor; NULL: the rigor of the command line */
} bench_contender;

typedef struct {
    double operations; /* floating-point operations of one run; 0: unknown */
    bool made;
    char error[160];
    double planning; /* planning time in seconds, of the slowest rank */
    double minimum, median;
    int rounds;
    double difference; /* largest difference from the result of the first contender that has a plan,
                          relative to the largest number */
    /* In the next three lines a negative value means unknown. */
    double sent;   /* bytes that all ranks together send to other ranks in a run */
    double memory; /* memory in bytes besides the arrays, on the rank that uses the most */
    double passes, moving,
        waiting; /* seconds of one run, the mean of all ranks, in the median of several runs */
} bench_result;

/* Times all contenders on one case. Collective. Returns false if there is no memory for the arrays.
 * With `split`, further runs find out how much time passes, moving and waiting take. */
bool bench_time(const bench_case *that, const bench_contender *contender, int contenders,
                unsigned rigor, double seconds, bool split, bench_result *result);
/* bench_read_report reads the library's report of a plan. Collective. *account becomes the sums
 * over all runs of the plan since its first report; before the first report there are no sums. The
 * differences from the previous *account give the times of a run. */
typedef struct {
    double runs, passes, exchanges, waits;
} bench_account;
void bench_read_report(bench_library *library, const bench_case *that, void *plan,
                       bench_account *account, bench_result *result);
/* Times planning, one run and destroying together, for several cases in turn. */
bool bench_time_lives(const bench_case *that, int cases, const bench_contender *contender,
                      int contenders, unsigned rigor, double seconds, bench_result *result);

/* Output, on rank 0 only: the table, and the same results as JSON or CSV. */
void bench_print_head(FILE *file, const bench_options *options, const bench_surroundings *where);
void bench_print_case(FILE *file, const bench_options *options, const char *name,
                      const bench_contender *contender, int contenders, const bench_result *result,
                      int reference);
/* Over all cases: the speed of Weft, the contender after the reference, and why contenders could
 * not be timed. */
typedef struct {
    int cases;
    double logarithms, lowest;
    char lowest_name[96];
    struct {
        char why[160], who[200];
    } reason[BENCH_MAX_REASONS];
    int reasons;
} bench_summary;
void bench_sum_up_failures(bench_summary *summary, const bench_contender *contender, int contenders,
                           const bench_result *result);
void bench_sum_up(bench_summary *summary, const char *name, const bench_result *result,
                  int reference);
void bench_print_json(FILE *file, const char *name, const bench_contender *contender,
                      int contenders, const bench_result *result, int reference, bool first);
void bench_print_csv(FILE *file, const char *name, const bench_contender *contender, int contenders,
                     const bench_result *result, int reference);
void bench_print_end(FILE *file, bench_format format, const bench_summary *summary);

#endif
