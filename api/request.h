/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests: the arguments of a plan function as the program passed them, and what makes a problem
 * of them. The same for all precisions.
 */
#ifndef WEFT_REQUEST_H
#define WEFT_REQUEST_H

#include <fftw3.h>
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
    const weft_process_grid *process_grid; /* of KINDS: the process grid */
    const int *each;                       /* of KINDS: for each axis, in the numbers of weft.h */
    const weft_layout *from, *to;          /* of REDISTRIBUTE */
    const ptrdiff_t *modes;                /* between these, of each axis; NULL: its size */
} weft_request;

/* The sizes are there, at least 1, and all of it together can be counted in bytes. */
bool weft_sizes_valid(const char *function, int axes, const ptrdiff_t *size, ptrdiff_t howmany);
bool weft_blocks_valid(const char *function, ptrdiff_t block0, ptrdiff_t block1);
bool weft_flags_valid(const char *function, unsigned flags);

/* For FFTW-MPI every sign but FFTW_FORWARD is FFTW_BACKWARD. */
static inline int weft_sign(int sign)
{
    return sign == FFTW_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD;
}

/* What this rank can tell alone. The problem is complete but for `in_place`, on which ranks have to
 * agree, and `threads`. */
bool weft_request_valid(const weft_request *request, int rank, int ranks, weft_problem *problem);

/* The same for problems on grids, and for redistribution. */
bool weft_grid_request_valid(const weft_request *request, int rank, int ranks,
                             weft_problem *problem);

/* The problem of these axes and kinds (numbers of weft.h) on a grid: what it is, not where. */
bool weft_grid_problem(const weft_request *request, int ranks, weft_problem *problem);

bool weft_may_destroy(const weft_request *request, const weft_problem *problem);

/* Serial FFTW's kind of r2r in ours; false: there is no such kind. */
bool weft_kind_of(unsigned number, weft_kind *kind);

/* Collective: whether the problem is valid on all ranks, and all ask for the same; and whether in
 * place: as soon as one rank is. */
bool weft_problem_agreed(const weft_request *request, weft_problem *problem, bool valid);

#endif
