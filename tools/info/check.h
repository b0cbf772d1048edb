/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info --check: small transforms of all kinds against serial FFTW, on the ranks it runs on. */
#ifndef INFO_CHECK_H
#define INFO_CHECK_H

#include <stddef.h>

/* Those of CHECK_BACKENDS run once with every backend, all others with those that Weft chooses. */
typedef enum {
    CHECK_C2C,
    CHECK_REAL,
    CHECK_R2R,
    CHECK_TRANSPOSES,
    CHECK_LINES,
    CHECK_GRIDS,
    CHECK_ROWS,
    CHECK_BRICKS,
    CHECK_MOVES,
    CHECK_MODES,
    CHECK_TILES,
    CHECK_BACKENDS
} check_group;

/* What came of the cases of a group; the same on all ranks, but for `why`, which is rank 0's. */
typedef struct {
    int cases, wrong, refused;
    double error;    /* the largest, relative to the largest number of its transform */
    char first[400]; /* the first case that is wrong */
    char why[256];   /* why no plan could be made for one */
} check_result;

/* All of one precision. `open` loads the installed library, or takes the code that is linked into
 * this program where there is no shared library: `file` says which. Both are collective. */
typedef struct {
    const char *name;
    const char *(*open)(char *file, size_t room); /* NULL, or why the library cannot be used */
    void (*run)(check_group group, const char *backend, check_result *result);
    const char *(*backend)(int place); /* NULL past the end */
} check_precision;

extern const check_precision weft_check_precision, weftf_check_precision, weftl_check_precision;

/* The exit status. */
int info_check(void);

#endif
