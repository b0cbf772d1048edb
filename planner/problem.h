/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Problems: what api/ asks of the planner, validated, with every default filled in: what is
 * transformed, what each rank holds before and after, and the arrays. Nothing in here differs
 * between ranks but `rank`, `in`, `out` and `threads`. The same for all precisions.
 */
#ifndef WEFT_PROBLEM_H
#define WEFT_PROBLEM_H

#include <fftw3.h> /* for its flags */
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "backends/exchange/layout.h"
#include "kernels/device/memory.h"
#include "kernels/pass/spec.h"

/* The most dimensions of a problem: howmany and one more axis of the algorithm's own must fit as
 * well. */
enum { WEFT_MAX_RANK = WEFT_MAX_AXES - 2 };

typedef enum {
    WEFT_TRANSFORM,
    WEFT_TRANSPOSE,   /* two axes, kept; from slabs of the one to slabs of the other */
    WEFT_REDISTRIBUTE /* any layout to any other, no transform */
} weft_task;

/* A process grid: so many ranks in each dimension. */
typedef struct {
    int axes; /* 0: none */
    int extent[WEFT_MAX_RANK];
    int column_major; /* 1: from rank to rank the first dimension varies fastest; 0: the last */
} weft_process_grid;

/* The place of a dimension among those of a layout, of which the last varies fastest. */
static inline int weft_process_grid_place(const weft_process_grid *grid, int dimension)
{
    return grid->column_major ? grid->axes - 1 - dimension : dimension;
}

/* What the ranks hold on one side of a problem. */
typedef struct {
    weft_layout layout;
    bool real;  /* numbers are real, else complex */
    bool first; /* aligned along the first axis: axis 0 is whole, those after it are divided (of
                   slabs, axis 1; in rows the last ones); else aligned along the last: axis 0 is
                   divided, and those after it */
    bool transposed; /* the divided axes lie slowest although axis 0 is not among them */
    /* One axis only. 0: natural order; else position a (n / r) + b holds index a + b r, for a < r
     * and b < n / r, where r is this number, which divides n. The layout is of positions. */
    ptrdiff_t scrambled;
} weft_holding;

typedef struct {
    weft_task task;
    int axes;                      /* 1 to WEFT_MAX_RANK */
    ptrdiff_t size[WEFT_MAX_RANK]; /* n0, n1, ...: logical sizes, of the real side for r2c and c2r;
                                      at least 1 */
    weft_kind
        kind[WEFT_MAX_RANK]; /* all WEFT_FORWARD, all WEFT_BACKWARD; the same with WEFT_R2C or
                              * WEFT_C2R last; all r2r; all WEFT_KEEP where nothing is transformed;
                              * on a grid any of them with each other, where they make sense */
    ptrdiff_t modes[WEFT_MAX_RANK]; /* of the spectrum along each axis, of r2c and c2r's modes / 2 +
                                     * 1 are there; 0: as many as `size` */
    ptrdiff_t howmany;              /* contiguous numbers at every point; 0: nothing to do */
    bool real;                      /* numbers are real on both sides */
    weft_process_grid grid;         /* that the sides lie on; axes 0: slabs */
    bool rows;                      /* instead the array is divided in rows on its way */
    bool between;                   /* the sides are any; how it is divided on its way is open */
    weft_holding from, to;

    MPI_Comm comm; /* the caller's, who may free it once the plan is made */
    int rank, ranks;
    void *in, *out;   /* may be NULL: what planning needs it then makes itself */
    bool in_place;    /* on all ranks */
    bool may_destroy; /* out of place: the input may be overwritten at every run */
    unsigned
        flags; /* FFTW's: rigor, WISDOM_ONLY, UNALIGNED, CONSERVE_MEMORY count, others may be set */
    int threads;         /* as fftw_plan_with_nthreads said, at least 1 */
    weft_device *device; /* that all arrays of this rank lie on; NULL, on all ranks: the host */
} weft_problem;

/* Of the last axis, the one that r2c and c2r halve. */
static inline weft_kind weft_last_kind(const weft_problem *problem)
{
    return problem->kind[problem->axes - 1];
}

static inline bool weft_is_half_complex(const weft_problem *problem)
{
    return weft_last_kind(problem) == WEFT_R2C || weft_last_kind(problem) == WEFT_C2R;
}

/* Sets on which side the numbers are real. */
static inline void weft_set_numbers(weft_problem *problem)
{
    problem->from.real = problem->real || weft_last_kind(problem) == WEFT_R2C;
    problem->to.real = problem->real || weft_last_kind(problem) == WEFT_C2R;
}

/* The undivided layout of a side: the complex side of r2c and c2r is halved along the last axis,
 * and where its rows are `padded` the real side has room for as many complex numbers. */
static inline weft_layout weft_holding_undivided(const weft_problem *problem,
                                                 const weft_holding *side, bool padded)
{
    const int last = problem->axes - 1;
    const ptrdiff_t complex_last = problem->size[last] / 2 + 1;
    weft_layout layout;
    weft_layout_init(&layout, problem->axes, problem->size, problem->howmany);
    if (weft_is_half_complex(problem) && !side->real)
        layout.axis[last].size = complex_last;
    else if (weft_is_half_complex(problem) && padded)
        layout.padded = 2 * complex_last;
    return layout;
}

/* Numbers of a side that a rank holds, padding and rooms included. */
static inline ptrdiff_t weft_numbers_held(const weft_holding *side, int of_rank)
{
    return weft_layout_held(&side->layout, of_rank);
}

#endif
