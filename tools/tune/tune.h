/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of weft-tune: problems (from the command line and from files), tuning, and wisdom
 * files. */
#ifndef TUNE_H
#define TUNE_H

#include "tools/bench/bench.h"

enum { TUNE_PATH = 4096, TUNE_ERROR = TUNE_PATH + 256, TUNE_FILES = 64 };

/* A list of problems; all zeros is an empty list. */
typedef struct {
    bench_case *item;
    int count;
} tune_problems;

/* Adds a problem: the options that are in `model`, and one word of sizes. Returns false, with the
 * reason in `error`. */
bool tune_problem_add(tune_problems *all, const bench_case *model, const char *sizes, char *error);
/* Adds the problems of a file's lines. Returns false, with the reason in `error`. */
bool tune_problems_read(tune_problems *all, const char *path, char *error);

/* The values of the command line for tuning. */
typedef struct {
    char wisdom[TUNE_PATH];
    unsigned rigor, before;
    double seconds;
    bool again;
} tune_options;

extern const char *const tune_rigors[]; /* the names of rigors; NULL is the last entry */
unsigned tune_rigor(int place);

/* Tunes all problems and returns the exit status. Collective. */
int tune_all(const tune_options *options, const tune_problems *problems);

/* Operations on wisdom files, on one rank only. Each returns the exit status. */
typedef struct {
    const char *file[TUNE_FILES], *output; /* output: NULL if the command line names none */
    int files;
    const char *drop; /* the list of --prune */
    bool force;
} tune_files;
int tune_list(const tune_files *files);
int tune_merge(const tune_files *files);
int tune_prune(const tune_files *files);
/* Makes the plans whose keys tune_prune compares with. Collective. */
void tune_make_keys(void);

#endif
