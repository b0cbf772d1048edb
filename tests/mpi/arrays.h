/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local arrays of distributed transforms, as dropin.c and grids.c check them: which number of the
 * whole array lies where, filling in and comparing, and guards behind what was allocated.
 */
#ifndef ARRAYS_H
#define ARRAYS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "kernels/base/precision.h"

enum { ARRAYS_RANK = 5 };

/* A rank's part of an array, and how it lies in memory. */
typedef struct {
    int rank;
    int order[ARRAYS_RANK];        /* the axes, slowest first */
    ptrdiff_t length[ARRAYS_RANK]; /* of the whole array, by axis */
    ptrdiff_t start[ARRAYS_RANK], count[ARRAYS_RANK];
    ptrdiff_t stored[ARRAYS_RANK]; /* count, and padding */
    ptrdiff_t before[ARRAYS_RANK]; /* how much of the padding comes first */
    ptrdiff_t tuple;               /* real numbers at every point */
    const ptrdiff_t *index_at;     /* the index of axis 0 at each position; NULL: natural order */
} arrays_part;

/* For every real number in local memory, which number of the whole array it is (the parts of
 * complex numbers count as two), or -1 for padding. */
typedef struct {
    ptrdiff_t slots;
    ptrdiff_t *global; /* to be freed */
} arrays_map;

arrays_map arrays_map_of(const arrays_part *part);

/* Numbers below `bound`, the same on all ranks and machines. */
unsigned arrays_random(unsigned *state, unsigned bound);
/* Random numbers from -1 to 1, the same on all ranks. */
void arrays_noise(weft_real *array, ptrdiff_t numbers);
/* The largest absolute value. */
weft_real arrays_largest(const weft_real *array, ptrdiff_t numbers);

/* An array of stale numbers with a guard behind it, which begins `shift` numbers behind where
 * FFTW(malloc) would have it. */
weft_real *arrays_fresh(ptrdiff_t numbers, int shift);
/* The same of memory that ranks share; collective. */
weft_real *arrays_shared(ptrdiff_t numbers, MPI_Comm comm);
void arrays_free(weft_real *array, int shift);
/* Makes all of it stale again, but not the guard. */
void arrays_spoil(weft_real *array, ptrdiff_t numbers);
/* What the map says of the whole array; padding stays stale. */
void arrays_fill(weft_real *array, const arrays_map *map, const weft_real *whole);

/* Whether the array is as arrays_fresh made it; whether its guard is. */
bool arrays_untouched(const weft_real *array, ptrdiff_t numbers);
bool arrays_guarded(const weft_real *array, ptrdiff_t numbers);
/* Whether it is as arrays_fill made it. False: `text` says where it is not. */
bool arrays_unchanged(const weft_real *array, const arrays_map *map, const weft_real *whole,
                      char *text, size_t capacity);
/* Whether what the map has no number for is still stale, but where `other` has one (NULL: none). */
bool arrays_kept_holes(const weft_real *array, const arrays_map *map, const arrays_map *other);
/* Whether its numbers are those of the whole array within rounding, of transforms whose largest
 * number is `largest`; padding does not count. */
bool arrays_right(const weft_real *array, const arrays_map *map, const weft_real *whole,
                  weft_real largest, char *text, size_t capacity);

#endif
