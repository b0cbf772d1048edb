/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Problems: what api/ asks of the planner: the transform, the distribution of the array before and
 * after, and the arrays. api/ has validated a problem and filled in all defaults. Only `rank`,
 * `in`, `out` and `threads` may differ between ranks. The same code serves all precisions.
 */
#ifndef WEFT_PROBLEM_H
#define WEFT_PROBLEM_H

#include <fftw3.h> /* for FFTW's flags */
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "backends/exchange/layout.h"
#include "kernels/device/memory.h"
#include "kernels/pass/spec.h"

/* The most dimensions of a problem. Layouts need two more axes: `howmany` and one axis that an
 * algorithm may add. */
enum { WEFT_MAX_RANK = WEFT_MAX_AXES - 2 };

/* Enough for the text of every problem. */
enum { WEFT_PROBLEM_TEXT = 1024 };

typedef enum {
    WEFT_TRANSFORM,
    WEFT_TRANSPOSE,   /* two axes, not transformed; from slabs along one to slabs along the other */
    WEFT_REDISTRIBUTE /* from any layout to any other, no transform */
} weft_task;

/* A process grid: the number of ranks in each dimension. */
typedef struct {
    int axes; /* 0: none */
    int extent[WEFT_MAX_RANK];
    int column_major; /* 1: the first dimension varies fastest with the rank; 0: the last dimension
                         does */
} weft_process_grid;

/* The index of a grid dimension in an order where the last one varies fastest. */
static inline int weft_process_grid_place(const weft_process_grid *grid, int dimension)
{
    return grid->column_major ? grid->axes - 1 - dimension : dimension;
}

/* The distribution of the array among ranks on one side (input or output) of a problem. */
typedef struct {
    weft_layout layout;
    bool real;  /* numbers are real; false: complex */
    bool first; /* true: axis 0 is undivided and axes after it are divided (for slabs axis 1, for
                   rows the last ones); false: axis 0 and possibly axes after it are divided, the
                   last is not */
    bool transposed; /* the divided axes are the slowest in memory, but axis 0 is not among them */
    /* Only for problems of one axis. 0: natural order; else position a (n / r) + b holds index a +
     * b r, for a < r and b < n / r, where r is this number, a divisor of n. The layout describes
     * positions, not indices. */
    ptrdiff_t scrambled;
} weft_problem_side;

typedef struct {
    weft_task task;
    int axes;                      /* 1 to WEFT_MAX_RANK */
    ptrdiff_t size[WEFT_MAX_RANK]; /* n0, n1, ...: logical sizes, at least 1; for r2c and c2r the
                                      sizes of the real side */
    /* all WEFT_FORWARD; all WEFT_BACKWARD; one of these with WEFT_R2C or WEFT_C2R last; all
     * r2r; all WEFT_KEEP for no transform. On a grid the kinds may be mixed where the result is
     * defined */
    weft_kind kind[WEFT_MAX_RANK];
    ptrdiff_t modes[WEFT_MAX_RANK]; /* modes of the spectrum kept along each axis; r2c and c2r keep
                                       modes / 2 + 1 along the last axis; 0: as many as `size` */
    ptrdiff_t howmany;              /* contiguous numbers at every point; 0: nothing to do */
    weft_process_grid grid;         /* process grid that both sides are divided on; 0 axes: slabs */
    bool rows;                      /* between input and output the array is divided in rows */
    bool between; /* the two sides have arbitrary layouts; for a transform the planner chooses the
                     division in between */
    weft_problem_side from, to;
    /* NULL: none. Otherwise the plan transforms, calls the function for every point of the
     * spectrum, and transforms back: `kind` describes the transform there, and `to` equals `from`,
     * except for the howmany of its layout. If that is 0, there is no way back */
    const weft_callback *callback;
    weft_problem_side spectrum; /* with a callback: the distribution where it is called */
    bool fixed; /* the function needs exactly `spectrum`; false: it takes any distribution */

    MPI_Comm comm; /* the caller's communicator; the caller may free it once the plan is made */
    int rank, ranks;
    void *in, *out;   /* may be NULL; planning then allocates arrays if it needs any */
    bool in_place;    /* the same on all ranks */
    bool may_destroy; /* out of place: every run may overwrite the input */
    unsigned flags;   /* FFTW's flags: rigor, WISDOM_ONLY, UNALIGNED and CONSERVE_MEMORY are used;
                         others are only in `text` */
    bool as_float;    /* numbers are doubles, and messages carry them as floats */
    int threads;      /* the argument of fftw_plan_with_nthreads, at least 1 */
    /* the device that holds all arrays of this rank; NULL, on all ranks: the host */
    weft_device *device;
    /* the transform and how it is planned, in the words of weft-bench: "--kind c2c --in-place
     * 64x64" */
    char text[WEFT_PROBLEM_TEXT];
} weft_problem;

static inline bool weft_little_memory(const weft_problem *problem)
{
    return problem->flags & FFTW_CONSERVE_MEMORY;
}

/* Whether the plan has a callback, which may not be set yet. */
static inline bool weft_operates(const weft_problem *problem)
{
    return problem->spectrum.layout.axes > 0;
}

/* The kind of the last axis, which r2c and c2r halve. */
static inline weft_kind weft_last_kind(const weft_problem *problem)
{
    return problem->kind[problem->axes - 1];
}

static inline bool weft_is_half_complex(const weft_problem *problem)
{
    return weft_kind_is_halving(weft_last_kind(problem));
}

/* The size of an axis on the complex side of r2c and c2r; of other transforms, on both sides. */
static inline ptrdiff_t weft_complex_size(const weft_problem *problem, int axis)
{
    const ptrdiff_t size = problem->size[axis];
    return weft_kind_is_halving(problem->kind[axis]) ? size / 2 + 1 : size;
}

/* The size of an axis of the spectrum, which may have another number of modes than of points. */
static inline ptrdiff_t weft_spectrum_size(const weft_problem *problem, int axis)
{
    const ptrdiff_t modes = problem->modes[axis] ? problem->modes[axis] : problem->size[axis];
    return weft_kind_is_halving(problem->kind[axis]) ? modes / 2 + 1 : modes;
}

/* Sets `real` of both sides: without Fourier transforms the numbers are real on both. */
static inline void weft_set_numbers(weft_problem *problem)
{
    bool real = true;
    for (int axis = 0; axis < problem->axes; axis++)
        real = real && !weft_kind_is_forward(problem->kind[axis]) &&
               !weft_kind_is_backward(problem->kind[axis]);
    problem->from.real = real || weft_last_kind(problem) == WEFT_R2C;
    problem->to.real = real || weft_last_kind(problem) == WEFT_C2R;
}

/* The undivided layout of the array while its numbers are real or complex. The complex numbers of
 * r2c and c2r are halved along the last axis. With `padded`, each row of the real numbers has space
 * for as many complex numbers as a row of the complex ones. */
static inline weft_layout weft_undivided_layout(const weft_problem *problem, bool real, bool padded)
{
    const int last = problem->axes - 1;
    weft_layout layout;
    weft_layout_init(&layout, problem->axes, problem->size, problem->howmany);
    if (!real)
        layout.axis[last].size = weft_complex_size(problem, last);
    else if (padded && weft_is_half_complex(problem))
        layout.padded = 2 * weft_complex_size(problem, last);
    return layout;
}

#endif
