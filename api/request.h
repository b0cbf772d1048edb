/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A request is the arguments of a plan function as the program passed them. weft_request_valid
 * makes a problem of a request, and weft_problem_agreed compares the problems of all ranks:
 *
 *     planning.c  weft_planned, weft_request_valid   every plan function comes through here
 *     request.c   weft_sizes_and_flags_valid         what slabs and grids have in common
 *     slabs.c     weft_slab_problem                  slabs and lines; or else
 *     grid.c      weft_grid_problem                  grids, rows, between distributions
 *     agreed.c    weft_problem_agreed                all ranks ask for the same
 *
 * The same for all precisions.
 */
#ifndef WEFT_REQUEST_H
#define WEFT_REQUEST_H

#include <fftw3.h>
#include <stdbool.h>
#include <stddef.h>
#include "backends/exchange/layout.h"
#include "planner/problem.h"

/* The flags of fftw3-mpi.h. */
#define WEFT_SERIAL_FLAGS   ((1U << 22) - 1) /* of fftw3.h: documented ones and those between */
#define WEFT_SCRAMBLED_IN   (1U << 27)
#define WEFT_SCRAMBLED_OUT  (1U << 28)
#define WEFT_TRANSPOSED_IN  (1U << 29)
#define WEFT_TRANSPOSED_OUT (1U << 30)

typedef enum {
    WEFT_ASK_C2C,
    WEFT_ASK_R2C,
    WEFT_ASK_C2R,
    WEFT_ASK_R2R,
    WEFT_ASK_TRANSPOSE,
    WEFT_ASK_KINDS, /* on a grid: `each` */
    WEFT_ASK_REDISTRIBUTE
} weft_asked;

typedef struct {
    const char *function; /* as the program knows it */
    weft_asked asked;
    int axes;
    const ptrdiff_t *size;
    ptrdiff_t howmany, in_block, out_block;
    int sign;                   /* of c2c and, on a grid, of any kinds */
    const fftw_r2r_kind *kinds; /* of r2r, on a grid, too; the same type in all precisions */
    void *in, *out;
    MPI_Comm comm;
    unsigned flags;
    const weft_process_grid *process_grid; /* of KINDS */
    const int *each;                       /* of KINDS: for each axis, in the numbers of weft.h */
    const weft_layout *from, *to;          /* of REDISTRIBUTE */
    const ptrdiff_t *modes; /* of each axis between `from` and `to`; NULL: its size */
} weft_request;

/* Checks that slabs and grids have in common (request.c). */

/* The sizes are at least 1, and all of the array can be counted in bytes. */
bool weft_sizes_valid(const char *function, int axes, const ptrdiff_t *size, ptrdiff_t howmany);
/* The flags have no bits besides these. */
bool weft_flags_valid(const char *function, unsigned flags, unsigned known);
/* Both, with the flags that a request of its kind may have. */
bool weft_sizes_and_flags_valid(const weft_request *request);

/* For FFTW-MPI every sign but FFTW_FORWARD is FFTW_BACKWARD. */
static inline int weft_sign(int sign)
{
    return sign == FFTW_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD;
}

/* The kind for serial FFTW's number, whose order is the same; false: there is no such kind. */
static inline bool weft_kind_of(unsigned number, weft_kind *kind)
{
    _Static_assert(WEFT_REDFT00 - WEFT_R2HC == FFTW_REDFT00 &&
                       WEFT_RODFT11 - WEFT_R2HC == FFTW_RODFT11,
                   "the kinds of r2r are in FFTW's order");
    *kind = number <= FFTW_RODFT11 ? (weft_kind)(WEFT_R2HC + (int)number) : WEFT_KEEP;
    return number <= FFTW_RODFT11;
}

/* All checks that a rank can make alone. The problem is then complete except for `in_place`, on
 * which the ranks have to agree, `device` and `threads`. */
bool weft_request_valid(const weft_request *request, int rank, int ranks, weft_problem *problem);
/* Collective: whether the problem is valid on all ranks and all ranks ask for the same. Sets
 * `device`, and `in_place` if on any rank the input is the output. */
bool weft_problem_agreed(const weft_request *request, weft_problem *problem, bool valid);

/* For weft_request_valid: what is transformed and how both sides are divided. The sizes and flags
 * of the request have been checked. */
bool weft_slab_problem(const weft_request *request, int ranks, weft_problem *problem);
bool weft_grid_problem(const weft_request *request, int ranks, weft_problem *problem);

/* The flags of slabs, besides the bits without a meaning, which FFTW-MPI ignores as well. */
#define WEFT_SLAB_FLAGS                                                                            \
    (WEFT_SERIAL_FLAGS | WEFT_SCRAMBLED_IN | WEFT_SCRAMBLED_OUT | WEFT_TRANSPOSED_IN |             \
     WEFT_TRANSPOSED_OUT)
#define WEFT_IGNORED_FLAGS (WEFT_SCRAMBLED_IN - 1)

/*
 * The layouts of both sides of a problem whose axes, kinds, `first` and `transposed` are known.
 * Blocks of slabs and lines are at least 1 and enough for all indices; the last ranks may have
 * less, or nothing. `padded`: rows of the real side of r2c and c2r have 2 (n / 2 + 1) numbers.
 */
void weft_holdings_slabs(weft_problem *problem, ptrdiff_t in_block, ptrdiff_t out_block);
void weft_holdings_rows(weft_problem *problem, bool padded);
void weft_holdings_grid(weft_problem *problem, weft_rule rule, bool padded);

/*
 * How FFTW-MPI divides arrays between ranks, and how much it tells programs to allocate (slabs.c).
 * Programs rely on these numbers to the last element, so they are FFTW-MPI's own, whatever Weft
 * itself would need. Arithmetic of (rank, ranks); the arguments have been checked.
 */

bool weft_blocks_valid(const char *function, ptrdiff_t block0, ptrdiff_t block1);

typedef struct {
    ptrdiff_t allocation; /* numbers: complex or real, as the transform's are */
    weft_span in, out;    /* of n0 and n1; one dimension: of the input and the output */
} weft_slab_size;

/* ceil(n / ranks), or the block that was asked for, but no more than n. */
ptrdiff_t weft_block(ptrdiff_t n, ptrdiff_t block, int ranks);
/* The part of a rank of n indices in blocks: {0, 0} when it has nothing. */
weft_span weft_block_span(ptrdiff_t n, ptrdiff_t block, int rank);
/* Whether blocks of that size are enough for all n indices on so many ranks. */
bool weft_block_fits(ptrdiff_t n, ptrdiff_t block, int ranks);

/* Two or more dimensions. Blocks of 0 are default ones; `block1` counts only when transposed. */
weft_slab_size weft_local_size_of(int axes, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block0,
                                  ptrdiff_t block1, bool transposed, int rank, int ranks);

/* One dimension, divided as FFTW-MPI's algorithm wants it: n as a matrix of radix x n / radix. */
typedef struct {
    ptrdiff_t in_block, out_block;
    ptrdiff_t scrambled_in, scrambled_out; /* as in weft_problem */
    bool any; /* with so many howmany to divide, FFTW-MPI takes other blocks as well; else it
                 ignores them */
} weft_line;
/* Whether all of it is on rank 0: one rank, or a prime, which FFTW-MPI cannot divide. */
bool weft_line_whole(ptrdiff_t n, int ranks);
weft_line weft_line_of(ptrdiff_t n, ptrdiff_t howmany, int sign, bool scrambled_in,
                       bool scrambled_out, int ranks);
weft_slab_size weft_local_size_line(ptrdiff_t n, ptrdiff_t howmany, int sign, bool scrambled_in,
                                    bool scrambled_out, int rank, int ranks);

#endif
