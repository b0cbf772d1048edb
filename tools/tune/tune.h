/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-tune's parts: problems (from the command line and from files), tuning, and files of wisdom.
 */
#ifndef TUNE_H
#define TUNE_H

#include "tools/bench/bench.h"

enum { TUNE_PATH = 4096, TUNE_ERROR = TUNE_PATH + 256, TUNE_FILES = 64 };

/* Any number of problems; to begin with, none. */
typedef struct {
    bench_case *item;
    int count;
} tune_problems;

/* The words of a line, or of a command line but for its options of other sorts: options and sizes.
 * Each size is a problem more. */
bool tune_problem_add(tune_problems *all, const bench_case *model, const char *sizes, char *error);
/* Those of a file's lines. False, with why in `error`. */
bool tune_problems_read(tune_problems *all, const char *path, char *error);

/* What the command line says of tuning. */
typedef struct {
    char wisdom[TUNE_PATH];
    unsigned rigor, before;
    double seconds;
    bool again;
} tune_options;

extern const char *const tune_rigors[]; /* by their places, with NULL at the end */
unsigned tune_rigor(int place);

/* Collective; the exit status. */
int tune_all(const tune_options *options, const tune_problems *problems);

/* What is done with files of wisdom, on one rank; the exit status. */
typedef struct {
    const char *file[TUNE_FILES], *output; /* NULL: not given */
    int files;
    const char *drop; /* of --prune: a list */
    bool force;
} tune_files;
int tune_list(const tune_files *files);
int tune_merge(const tune_files *files);
int tune_prune(const tune_files *files);

#endif
