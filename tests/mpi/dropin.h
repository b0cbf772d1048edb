/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cases of FFTW's own interface: slabs. This file computes the place of each number from FFTW's
 * manual, independently of the library. A side is the input, or with `out` the output.
 */
#ifndef DROPIN_H
#define DROPIN_H

#include "api/fftw3-mpi.h"
#include <stdbool.h>
#include "tests/mpi/arrays.h"

enum { DROPIN_RANK = ARRAYS_RANK, DROPIN_TEXT = 400 };

typedef enum { DROPIN_C2C, DROPIN_R2C, DROPIN_C2R, DROPIN_R2R, DROPIN_TRANSPOSE } dropin_what;

/* The function that plans: the basic one for any rank, the one for two or three dimensions, or the
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
    bool nulls;       /* NULL for arrays of ranks without numbers */
    bool new_arrays;  /* also run on other arrays */
    bool by_libfftw3; /* run by the new-array functions of libfftw3, which do not know MPI */
    unsigned null; /* bits 0, 1: the input, the output of planning is NULL, and the plan runs on new
                      arrays only; 2: NULL on rank 0 only */
    bool
        other_place; /* new arrays are in place if the arrays of planning are not, and vice versa */
    /* Offset of the arrays of planning, and of the other arrays, from the alignment of
     * FFTW(malloc), in real numbers. */
    int shift, new_shift;
    /* One dimension: the index at each position; NULL: natural order. */
    const ptrdiff_t *in_order, *out_order;
} dropin_case;

/* Plans, runs, compares and asserts (trials.c). Collective over all ranks; ranks that take no part
 * pass MPI_COMM_NULL. */
void dropin_check(const dropin_case *it, MPI_Comm comm);
/* Cases of each kind of transform, in place and not, in all orders. */
enum { DROPIN_SAMPLES = 12 };
extern const dropin_case dropin_samples[DROPIN_SAMPLES];
/* Collective: asserts that a call made nothing on any rank, with a sentence that has these words.
 */
void refused(bool made, const char *says);
/* The same case for one array, by the advanced function, with more flags; forward if it has no
 * sign. */
dropin_case dropin_single(const dropin_case *it, unsigned flags);
/* Removes all wisdom of this rank, as if the program began. */
void dropin_forget(void);
/* Writes the case as one line. */
void dropin_describe(const dropin_case *it, char text[DROPIN_TEXT]);
FFTW(plan) dropin_plan(const dropin_case *it, void *in, void *out, MPI_Comm comm);
/* Runs the plan by the new-array function of its kind. */
void dropin_execute(const dropin_case *it, FFTW(plan) plan, void *in, void *out);

/* dropin_any makes a random case. dropin_options chooses the other fields of a case that has what,
 * n, in_place and orders. Both choose the same on all ranks. */
void dropin_any(dropin_case *it, unsigned *state, MPI_Comm comm);
void dropin_options(dropin_case *it, unsigned *state, MPI_Comm comm);
/* Returns the flags for bit 0, transposed in, and bit 1, transposed out, as far as FFTW-MPI allows
 * them. */
unsigned dropin_orders(dropin_what what, int rank, unsigned wanted);

/* Whether the case is real to complex or back: then the complex side has n / 2 + 1 indices of the
 * last axis. */
bool dropin_halved(const dropin_case *it);
ptrdiff_t dropin_length(const dropin_case *it, bool out, int axis);
/* Writes the axes of a side in memory order. Returns the divided axis. */
int dropin_arrange(const dropin_case *it, bool out, int order[DROPIN_RANK]);
/* Returns the map of this rank's part. */
arrays_map dropin_map(const dropin_case *it, bool out, MPI_Comm comm);
/* The real numbers that a program must allocate: the result of local_size, for the larger side. */
ptrdiff_t dropin_allocation(const dropin_case *it, MPI_Comm comm, ptrdiff_t in_slots,
                            ptrdiff_t out_slots);
/* Whether the manual promises that a run does not change the input. */
bool dropin_preserves(const dropin_case *it);

#endif
