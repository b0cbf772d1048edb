/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cases of FFTW's own interface: slabs. The place of each number is computed here, from FFTW's
 * manual, independently of the library. A side is the input, or the output with `out`.
 */
#ifndef DROPIN_H
#define DROPIN_H

#include "api/fftw3-mpi.h"
#include <stdbool.h>
#include "tests/mpi/arrays.h"

enum { DROPIN_RANK = ARRAYS_RANK, DROPIN_TEXT = 400 };

typedef enum { DROPIN_C2C, DROPIN_R2C, DROPIN_C2R, DROPIN_R2R, DROPIN_TRANSPOSE } dropin_what;

/* Through which function: the basic one of any rank, that of two or three dimensions, or the
 * advanced one. */
typedef enum { DROPIN_BASIC, DROPIN_SHAPED, DROPIN_MANY } dropin_entry;

typedef struct {
    dropin_what what;
    dropin_entry entry;
    int rank;
    ptrdiff_t n[DROPIN_RANK];
    ptrdiff_t howmany;
    ptrdiff_t in_block, out_block;
    int sign;
    FFTW(r2r_kind) kind[DROPIN_RANK];
    unsigned flags;
    bool in_place;
    bool nulls;       /* NULL for arrays of ranks that hold nothing */
    bool new_arrays;  /* run on other arrays as well */
    bool by_libfftw3; /* by its fftw_execute_dft and the like, which do not know of MPI */
    unsigned null;    /* bits 0, 1: planned for an input, an output of NULL, and run on new arrays
                         only; 2: on rank 0 alone */
    bool other_place; /* new arrays are in place if those of planning are not, and vice versa */
    /* By how many real numbers the arrays of planning, and the others, are off the alignment of
     * FFTW(malloc). */
    int shift, new_shift;
    /* One dimension: the index held at each position; NULL: the natural order. */
    const ptrdiff_t *in_order, *out_order;
} dropin_case;

/* Plans, runs, compares and asserts (trials.c); collective over all ranks, of which some may stay
 * out with MPI_COMM_NULL. */
void dropin_check(const dropin_case *it, MPI_Comm comm);
/* Does not assert: the text says what is wrong on this rank, "" if nothing. Collective over comm.
 */
void dropin_run(const dropin_case *it, MPI_Comm comm, char text[DROPIN_TEXT]);

/* The case for one array, through the advanced function, with more flags. */
dropin_case dropin_single(const dropin_case *it, unsigned flags);
/* The case in a line. */
void dropin_describe(const dropin_case *it, char text[DROPIN_TEXT]);
FFTW(plan) dropin_plan(const dropin_case *it, weft_real *in, weft_real *out, MPI_Comm comm);
/* By the new-array function of the kind. */
void dropin_execute(const dropin_case *it, FFTW(plan) plan, weft_real *in, weft_real *out);

/* A random case; and, for a case with what, n, in_place and orders, the rest of it. The same on
 * all ranks. */
void dropin_any(dropin_case *it, unsigned *state, MPI_Comm comm);
void dropin_options(dropin_case *it, unsigned *state, MPI_Comm comm);
/* The flags for bit 0, transposed in, and bit 1, transposed out, as far as FFTW-MPI has them. */
unsigned dropin_orders(dropin_what what, int rank, unsigned wanted);

/* Real to complex or back: the complex side has n / 2 + 1 of the last axis. */
bool dropin_halved(const dropin_case *it);
ptrdiff_t dropin_length(const dropin_case *it, bool out, int axis);
/* The axes of a side as they lie in memory, and which of them is divided. */
int dropin_arrange(const dropin_case *it, bool out, int order[DROPIN_RANK]);
/* This rank's part. */
arrays_map dropin_map(const dropin_case *it, bool out, MPI_Comm comm);
/* What a program allocates, in real numbers: what local_size says, for the larger side. */
ptrdiff_t dropin_allocation(const dropin_case *it, MPI_Comm comm, ptrdiff_t in_slots,
                            ptrdiff_t out_slots);
/* Whether the manual promises that a run leaves the input as it was. */
bool dropin_preserves(const dropin_case *it);

#endif
