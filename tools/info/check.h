/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info --check: compares small transforms of all kinds with serial FFTW on the ranks of the
 * program. */
#ifndef INFO_CHECK_H
#define INFO_CHECK_H

#include <stddef.h>

/* The groups of cases. The cases of CHECK_BACKENDS run once with every backend; in all other groups
 * Weft chooses the backend. */
typedef enum {
    CHECK_C2C,
    CHECK_REAL,
    CHECK_R2R,
    CHECK_TRANSPOSES,
    CHECK_LINES,
    CHECK_GRIDS,
    CHECK_ROWS,
    CHECK_BRICKS,
    CHECK_REDISTRIBUTION,
    CHECK_MODES,
    CHECK_TILES,
    CHECK_BACKENDS
} check_group;

/* The result of a group's cases; the same on all ranks, except that `why` is rank 0's. */
typedef struct {
    int cases, wrong, refused;
    double error;    /* largest error, relative to the largest number of the transform */
    char first[400]; /* the first case that is wrong */
    char why[256];   /* the reason why a plan could not be made */
} check_result;

/* The functions for one precision. `open` loads the installed library; if there is no shared
 * library it uses the code that is linked into this program. `open` sets `file` to the file that it
 * uses. `open` and `run` are collective. */
typedef struct {
    const char *name;
    const char *(*open)(
        char *file,
        size_t capacity); /* returns NULL, or the reason why the library cannot be used */
    void (*run)(check_group group, const char *backend, check_result *result);
    const char *(*backend)(int place); /* returns NULL past the end */
} check_precision;

extern const check_precision weft_check_precision, weftf_check_precision, weftl_check_precision;

/* Runs all checks and returns the exit status. */
int info_check(void);

#endif
