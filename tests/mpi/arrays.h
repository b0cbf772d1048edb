/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local arrays of distributed transforms: which number of the whole array is at which address,
 * filling, comparing, and guard numbers behind each array.
 */
#ifndef ARRAYS_H
#define ARRAYS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "kernels/base/precision.h"

enum { ARRAYS_RANK = 5 };

/* A rank's part of an array, and its order in memory. */
typedef struct {
    int rank;
    int order[ARRAYS_RANK];        /* the axes, slowest first */
    ptrdiff_t length[ARRAYS_RANK]; /* of the whole array, by axis */
    ptrdiff_t start[ARRAYS_RANK], count[ARRAYS_RANK];
    ptrdiff_t stored[ARRAYS_RANK]; /* count and padding */
    ptrdiff_t before[ARRAYS_RANK]; /* padding before the first index */
    ptrdiff_t tuple;               /* real numbers at every point */
    const ptrdiff_t *index_at;     /* index of axis 0 at each position; NULL: natural order */
} arrays_part;

/* For every real number in local memory: its index in the whole array (a complex number counts as
 * two real numbers), or -1 for padding. */
typedef struct {
    ptrdiff_t slots;
    ptrdiff_t *global; /* the caller frees it */
} arrays_map;

arrays_map arrays_map_of(const arrays_part *part);

/* Returns a random number below `bound`, the same on all ranks and machines. */
unsigned arrays_random(unsigned *state, unsigned bound);
/* Allocates an array of stale numbers with a guard behind it. It begins `shift` numbers after an
 * address of FFTW(malloc). */
weft_real *arrays_fresh(ptrdiff_t numbers, int shift);
/* The same in memory that the ranks share; collective. */
weft_real *arrays_shared(ptrdiff_t numbers, MPI_Comm comm);
void arrays_free(weft_real *array, int shift);
/* Makes all numbers stale again, except the guard. */
void arrays_spoil(weft_real *array, ptrdiff_t numbers);
/* Copies the numbers of the map from the whole array; makes padding stale. */
void arrays_fill(weft_real *array, const arrays_map *map, const weft_real *whole);

/* Whether all numbers are stale, as arrays_fresh made them; whether the guard is. */
bool arrays_untouched(const weft_real *array, ptrdiff_t numbers);
bool arrays_guarded(const weft_real *array, ptrdiff_t numbers);
/* Whether the array is as arrays_fill made it. If not, `text` says where it differs. */
bool arrays_unchanged(const weft_real *array, const arrays_map *map, const weft_real *whole,
                      char *text, size_t capacity);
/* Whether all padding is still stale, except where `other` has a number (NULL: no exception). */
bool arrays_kept_holes(const weft_real *array, const arrays_map *map, const arrays_map *other);
/* Whether the numbers equal the whole array's within rounding. `largest` is the largest number of
 * the transform. Padding is not compared. If they differ, `text` says where. */
bool arrays_right(const weft_real *array, const arrays_map *map, const weft_real *whole,
                  weft_real largest, char *text, size_t capacity);

#endif
