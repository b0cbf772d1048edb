/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-bench's parts: cases (what is transformed), libraries (opened side by side), contenders (a
 * library and a way of exchanging), timing and the table.
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
    bool transposed; /* output, or input of c2r */
    bool scrambled;  /* 1-d output */
    bool in_place;
    bool private;  /* on grids: arrays that ranks do not share */
    int grid_axes; /* 0: slabs, through FFTW's interface; else Weft's process grids */
    int grid[BENCH_MAX_AXES];
    bool column_major; /* ranks of the grid */
    bool backward;     /* c2c */
    int kinds;         /* 0: as `kind` says; else one for each axis, in the numbers of weft.h */
    int each[BENCH_MAX_AXES];
    ptrdiff_t block[2]; /* of slabs, before and after; 0: the default */
    unsigned flags;     /* more of them */
    int threads, ranks; /* 0: as it comes */
} bench_case;

/* One precision of an MPI FFT library with FFTW's interface, and of the serial FFTW under it. */
typedef struct bench_library bench_library;

/* NULL, with why in `error`, when it cannot be opened. Name: a path, or what the loader finds. */
bench_library *bench_library_open(const char *name, char *error, size_t room);
void bench_library_close(bench_library *library);
/* Whether it has this precision: the library of another one lies beside it. */
bool bench_library_has(bench_library *library, bench_precision precision);
/* The last error of a Weft, "" of other libraries. */
const char *bench_library_error(bench_library *library, bench_precision precision);
/* Whether it is a Weft. */
bool bench_library_is_weft(const bench_library *library);
/* Weft's backends, by place; NULL past the end. */
const char *bench_library_backend(bench_library *library, int place);

size_t bench_number_bytes(bench_precision precision);
/* An array of so many real numbers for a case, collectively, and to be freed; NULL: no memory. */
void *bench_array(bench_library *library, const bench_case *that, ptrdiff_t numbers);
void bench_array_free(bench_library *library, const bench_case *that, void *array);

/* The Weft of this program's own build or installation, or, if not NULL, that of a name. */
bench_library *bench_library_open_weft(const char *name, char *error, size_t room);
/* Before a Weft is opened, so that it finds FFTW's threads; false: there are none. */
bool bench_library_with_threads(void);
/* How many of them plans of a precision get from now on. */
void bench_library_threads(bench_precision precision, int threads);
/* All that has been learnt of the fastest ways, so that what comes is planned anew. */
void bench_forget(bench_precision precision);
/* A function of a precision's library by its name with %s for the precision's letter; NULL. */
void *bench_library_function(bench_library *library, bench_precision precision,
                             const char *pattern);

/* Real numbers that each array needs on this rank, and how many of them the output fills. */
ptrdiff_t bench_local_numbers(bench_library *library, const bench_case *that, ptrdiff_t *output);
/* Bytes that this rank sends to others when slabs are transposed as FFTW does; negative: not known.
 */
double bench_slabs_sent(bench_library *library, const bench_case *that);
void *bench_plan(bench_library *library, const bench_case *that, void *in, void *out,
                 unsigned rigor);
void bench_execute(bench_library *library, const bench_case *that, void *plan);
void bench_destroy(bench_library *library, const bench_case *that, void *plan);

void bench_case_name(const bench_case *that, char *text, size_t room);
/* Operations as such transforms are usually counted, 5 N log2 N, half of it for real numbers; 0:
 * none. */
double bench_case_operations(const bench_case *that);
/* "256x256x256"; false when malformed. */
bool bench_case_sizes(const char *text, bench_case *that);
/* Explains sizes that are malformed. */
void bench_bad_sizes(const char *text, char *error, size_t room);
int bench_standard_suite(bench_case *cases);
/* What papers on process grids time, on grids chosen for the ranks. */
int bench_papers_suite(bench_case *cases);
/* 50 small problems, as codes have that plan at every step. */
int bench_steps_suite(bench_case *cases);
/* "4x2", "4x2:column-major"; extents of 0 are to be chosen. False when malformed. */
bool bench_case_grid(const char *text, bench_case *that);
/* Puts in extents of 0 what MPI_Dims_create does, if that can be. */
void bench_choose_grid(bench_case *that, int ranks);

/* Where is timed. */
typedef struct {
    char processor[128], mpi[96], fftw[96];
    size_t level2, last;        /* caches: of a core, and the last one */
    int ranks, per_node, cores; /* cores of the node of rank 0 */
    bool bound, crowded;        /* each rank to one core; several on one */
    double load;                /* of the last minute */
} bench_surroundings;
void bench_surroundings_find(bench_surroundings *it); /* collective; known on rank 0 */
void bench_surroundings_warn(const bench_surroundings *it);

typedef enum { BENCH_TABLE, BENCH_JSON, BENCH_CSV } bench_format;

/* Options that say of all sizes after them what is transformed, for getopt_long. */
#define BENCH_CASE_OPTIONS                                                                         \
    {"kind", 1, NULL, 'k'}, {"howmany", 1, NULL, 'm'}, {"precision", 1, NULL, 'p'},                \
        {"transposed", 0, NULL, 't'}, {"scrambled", 0, NULL, 'c'}, {"in-place", 0, NULL, 'i'},     \
        {"grid", 1, NULL, 'g'}, {"backward", 0, NULL, 'B'}, {"kinds", 1, NULL, 'K'},               \
        {"blocks", 1, NULL, 'L'}, {"flags", 1, NULL, 'F'}, {"threads", 1, NULL, 'T'},              \
    {                                                                                              \
        "ranks", 1, NULL, 'R'                                                                      \
    }
extern const char bench_case_usage[];
/* False: there is no such option, or it does not take this. */
bool bench_case_option(bench_case *that, int letter, const char *text);
/* Gives all options of a command line to `take`, as getopt_long finds them; false, with why in
 * `error`, at the first that is none, lacks a value, or that `take` does not take. */
struct option;
bool bench_options_each(int argc, char **argv, const char *letters, const struct option *names,
                        bool (*take)(void *reader, int letter, const char *value), void *reader,
                        char *error, size_t room);
/* Whether what was said makes sense together; false, with why in `error`. */
bool bench_case_fits(const bench_case *that, char *error, size_t room);

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

extern const char bench_usage[], bench_more_usage[]; /* bench_case_usage between them */
/* False, with why in `error`. With `help` there may be no cases. */
bool bench_options_read(int argc, char **argv, bench_options *options);

typedef struct {
    char label[64];
    bench_library *library;
    char backend[64];      /* WEFT_BACKEND; "" to leave it alone */
    char machine[64];      /* WEFT_MACHINE, likewise */
    bool disturbed;        /* plans anew while every rank's core has another process to run */
    const unsigned *rigor; /* NULL: that of all */
} bench_contender;

typedef struct {
    double operations; /* of one run; 0: not counted */
    bool made;
    char error[160];
    double planning; /* seconds, the slowest rank */
    double minimum, median;
    int rounds;
    double difference; /* of the result from the first contender's that made a plan, relative */
    /* Negative: not known. */
    double sent;                    /* bytes of a run that go from rank to rank, of all */
    double memory;                  /* bytes of the rank with the most, beside the arrays */
    double passes, moving, waiting; /* seconds of a run in the middle of some, the ranks' mean */
} bench_result;

/* Collective; false when there is no memory for the arrays. `split`: also where the time goes, in
 * runs of their own. */
bool bench_time(const bench_case *that, const bench_contender *contender, int contenders,
                unsigned rigor, double seconds, bool split, bench_result *result);
/* What the library says of a plan; collective. Of its runs, what went into each since the last
 * time that this was asked: first of none, of which nothing is known. */
typedef struct {
    double runs, passes, exchanges, waits;
} bench_account;
void bench_tell(bench_library *library, const bench_case *that, void *plan, bench_account *account,
                bench_result *result);
/* The same of plan, run and destroy together, of several cases in turn. */
bool bench_time_lives(const bench_case *that, int cases, const bench_contender *contender,
                      int contenders, unsigned rigor, double seconds, bench_result *result);

/* The table, and the same as JSON or CSV; on one rank. */
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
