/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A request is the arguments of a plan function as the program passed them. weft_request_valid
 * translates a request into a problem.
 */
#ifndef WEFT_REQUEST_H
#define WEFT_REQUEST_H

#include <fftw3.h>
#include <stdbool.h>
#include <stddef.h>
#include "backends/exchange/layout.h"
#include "planner/problem.h"
#include "api/weft.h"

/* The flags of fftw3-mpi.h. */
#define WEFT_SERIAL_FLAGS  ((1U << 22) - 1) /* of fftw3.h, documented and undocumented */
#define WEFT_SCRAMBLED_IN  (1U << 27)
#define WEFT_SCRAMBLED_OUT (1U << 28)

typedef enum {
    WEFT_ASK_C2C,
    WEFT_ASK_R2C,
    WEFT_ASK_C2R,
    WEFT_ASK_TRANSPOSE,
    WEFT_ASK_R2R,   /* from here on the program passes the kinds, except for REDISTRIBUTE */
    WEFT_ASK_KINDS, /* on a grid or between distributions: see `each` */
    WEFT_ASK_REDISTRIBUTE,
    WEFT_ASK_OPERATOR /* on a grid: see `each` and `apply` */
} weft_asked;

typedef struct {
    const char *function; /* the name for error messages, as the program knows it */
    weft_asked asked;
    int axes;
    const ptrdiff_t *size;
    ptrdiff_t howmany, in_block, out_block;
    int sign; /* for c2c and lines; in slabs, as in FFTW-MPI, any other number than FFTW_FORWARD
                 means FFTW_BACKWARD */
    const fftw_r2r_kind *kinds; /* for r2r, on a grid, too; the same type in all precisions */
    void *in, *out;
    MPI_Comm comm;
    unsigned flags;
    const weft_process_grid *process_grid; /* NULL: slabs, or between distributions */
    const int *each;                       /* used by KINDS: a kind of weft.h for each axis */
    const weft_layout *from, *to; /* used by REDISTRIBUTE, and by KINDS between distributions */
    const ptrdiff_t *modes;       /* modes of each axis, used by KINDS between distributions and by
                                     OPERATOR; NULL: its size */
    weft_operator apply;          /* used by OPERATOR */
    void *data;
    ptrdiff_t fields_out; /* used by OPERATOR: `howmany` of the output */
    bool convolves;       /* used by OPERATOR: the operator multiplies the fields */
    bool multiplies;      /* used by OPERATOR: the operator multiplies by `factors` */
    const void *factors;
    bool complex_factors;
} weft_request;

/* Checks that the sizes are at least 1 and that the size of the whole array in bytes does not
 * overflow. */
bool weft_sizes_valid(const char *function, int axes, const ptrdiff_t *size, ptrdiff_t howmany);
/* Checks the sizes of a request, and that it has only flags that requests of its kind may have. */
bool weft_sizes_and_flags_valid(const weft_request *request);

/* Makes all checks that a rank can make alone and sets up the problem, except for `in_place`, on
 * which the ranks have to agree, `device` and `threads`. */
bool weft_request_valid(const weft_request *request, int rank, int ranks, weft_problem *problem);
/* operators.c: for a request of kind OPERATOR: sets the callback, with data for a multiplication by
 * factors. Returns false, with an error, if an argument is wrong or there is no memory. */
bool weft_operator_make(const weft_request *request, const weft_problem *problem,
                        weft_callback *callback);

/* For weft_request_valid: sets what is transformed and how both sides are divided. The caller has
 * checked the sizes and the flags of the request. */
weft_problem weft_problem_of(const weft_request *request, weft_task task, int ranks);
bool weft_slab_problem(const weft_request *request, int ranks, weft_problem *problem);
bool weft_grid_problem(const weft_request *request, int ranks, weft_problem *problem);
/* Converts all kinds and finds out whether the Fourier transforms go backward. */
bool weft_kinds_valid(const weft_request *request, weft_problem *problem, bool *backward);
/* Sets the error that a grid has too many dimensions for an array. Returns false. */
bool weft_grid_too_large(const char *function, int dimensions, int axes);

/* Writes a span to element i of both arrays, which may be NULL. */
static inline void weft_put_span(weft_span span, int i, ptrdiff_t *start, ptrdiff_t *count)
{
    if (start)
        start[i] = span.start;
    if (count)
        count[i] = span.count;
}

/* Writes the boxes of a process, `axes` numbers each, and returns their number. */
int weft_layout_list(const weft_layout *layout, int process, ptrdiff_t *start, ptrdiff_t *count);

/* The flags of plans for slabs. FFTW-MPI ignores the bits of WEFT_IGNORED_FLAGS, which have no
 * meaning there, and so does Weft. */
#define WEFT_SLAB_FLAGS                                                                            \
    (WEFT_SERIAL_FLAGS | WEFT_SCRAMBLED_IN | WEFT_SCRAMBLED_OUT | WEFT_TRANSPOSED_IN |             \
     WEFT_TRANSPOSED_OUT)
#define WEFT_IGNORED_FLAGS (WEFT_SCRAMBLED_IN - 1)

/*
 * Set the layouts of both sides of a problem whose axes, kinds, `first` and `transposed` are set.
 * Blocks of slabs and lines are at least 1 and enough for all indices; the last ranks may have
 * fewer indices or none. `padded`: rows of the real side of r2c and c2r have 2 (n / 2 + 1) numbers.
 */
void weft_divide_in_slabs(weft_problem *problem, ptrdiff_t in_block, ptrdiff_t out_block);
void weft_divide_in_rows(weft_problem *problem, bool padded);
void weft_divide_on_grid(weft_problem *problem, weft_rule rule, bool padded);

/* Where a local_size function writes its results; pointers may be NULL. */
typedef struct {
    ptrdiff_t *local_n_in, *start_in, *local_n_out, *start_out;
} weft_local_place;
/* The local_size functions of slabs and lines. They are not collective, so each rank checks its
 * arguments for itself. Where FFTW-MPI crashes (howmany of 0, sizes below 1) the result is 0. */
ptrdiff_t weft_slab_local(const weft_request *request, weft_local_place place);

typedef struct {
    ptrdiff_t allocation; /* in numbers of the transform, complex or real */
    weft_span in, out;    /* parts of n0 and n1; with one dimension, of the input and the output */
} weft_slab_size;

/* How FFTW-MPI divides arrays between ranks, and how much memory its local_size functions return.
 * Programs rely on exactly these numbers, so this returns FFTW-MPI's numbers even where Weft needs
 * less (one exception: issue 174, see slabs.c). The caller has checked the request. */
weft_slab_size weft_slab_size_of(const weft_request *request, int rank, int ranks);
/* The indices of a rank when n indices are divided in blocks; {0, 0} if it has none. */
weft_span weft_block_span(ptrdiff_t n, ptrdiff_t block, int rank);

#endif
