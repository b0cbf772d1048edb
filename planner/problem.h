/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Problems: what api/ asks of the planner, validated, with every default filled in. Nothing in here
 * differs between ranks but `rank`, `in`, `out` and `threads`. The same for all precisions.
 */
#ifndef WEFT_PROBLEM_H
#define WEFT_PROBLEM_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "backends/exchange/layout.h"
#include "kernels/pass/pass.h"

/* The most dimensions of a problem: howmany and one more axis of the algorithm's own must fit as
 * well. */
enum { WEFT_MAX_RANK = WEFT_MAX_AXES - 2 };

typedef enum {
    WEFT_TRANSFORM,
    WEFT_TRANSPOSE,   /* two axes, kept; from [n0][n1] divided along n0 to [n1][n0] divided along n1
                       */
    WEFT_REDISTRIBUTE /* from the layout `from` to the layout `to`, no transform */
} weft_task;

/* A process grid: so many ranks in each dimension, the last one varying fastest. */
typedef struct {
    int axes; /* 0: none */
    int extent[WEFT_MAX_RANK];
} weft_process_grid;

typedef struct {
    weft_task task;
    int axes;                      /* 1 to WEFT_MAX_RANK */
    ptrdiff_t size[WEFT_MAX_RANK]; /* n0, n1, ...: logical sizes, of the real side for r2c and c2r;
                                      at least 1 */
    weft_kind kind[WEFT_MAX_RANK]; /* all WEFT_FORWARD, all WEFT_BACKWARD; the same with WEFT_R2C or
                                    * WEFT_C2R last; all r2r; all WEFT_KEEP in a transpose; on a
                                    * grid any of them with each other, where they make sense */
    ptrdiff_t howmany;             /* contiguous numbers at every point; 0: nothing to do */
    bool real;                     /* numbers are real: r2r and transposes */

    /* The local arrays. Each side is divided along its slowest axis in blocks of `block` (at least
     * 1, enough for all indices; late ranks may hold less or nothing). That axis is n0, or n1 with
     * `transposed`: the side is then [n1][n0][n2]... For the real side of r2c and c2r the last axis
     * is stored with 2 (n / 2 + 1) real numbers (out of place, too); with two dimensions that side
     * is never transposed. A complex side with two dimensions, transposed, is divided along the n1
     * / 2 + 1 that it has. In a transpose the division is given by the task alone, and `transposed`
     * turns the local arrangement: in [n1][local n0], out [n0][local n1]. */
    ptrdiff_t in_block, out_block;
    bool transposed_in, transposed_out;

    /* One axis only. 0: natural order; else position a (n / r) + b holds index a + b r, for a < r
     * and b < n / r, where r is this number; it divides n. */
    ptrdiff_t scrambled_in, scrambled_out;

    /* On a grid of 1 to axes - 1 dimensions (axes 0 means the slabs above). A side is aligned along
     * the last axis: dimension i of the grid divides axis i; or, with `first`, along the first
     * axis: dimension i divides axis i + 1. Then `transposed` says that its axes lie in the order
     * 1, 2, ... grid.axes, 0, and the others; else in theirs. The real side of r2c and c2r is
     * padded as FFTW's unless `unpadded`. */
    weft_process_grid grid;
    bool first_in, first_out;
    weft_rule rule; /* how axes are divided */
    bool unpadded;

    const weft_layout *from, *to; /* WEFT_REDISTRIBUTE; they are looked at while planning only */

    MPI_Comm comm; /* the caller's, who may free it once the plan is made */
    int rank, ranks;
    void *in, *out;   /* may be NULL where this rank holds nothing */
    bool in_place;    /* on all ranks */
    bool may_destroy; /* out of place: the input may be overwritten at every run */
    unsigned
        flags; /* FFTW's: rigor, WISDOM_ONLY, UNALIGNED, CONSERVE_MEMORY count, others may be set */
    int threads; /* as fftw_plan_with_nthreads said, at least 1 */
} weft_problem;

/* Of the last axis, the one that r2c and c2r halve. */
static inline weft_kind weft_last_kind(const weft_problem *problem)
{
    return problem->kind[problem->axes - 1];
}

#endif
