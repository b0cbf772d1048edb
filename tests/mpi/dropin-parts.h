/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of dropin.h share. A side is the input, or the output with `out`. */
#ifndef DROPIN_PARTS_H
#define DROPIN_PARTS_H

#include "tests/mpi/dropin.h"

/* Real to complex or back: the complex side has n / 2 + 1 of the last axis. */
bool dropin_halved(const dropin_case *it);
/* Whether the numbers of a side are real. */
bool dropin_real(const dropin_case *it, bool out);
ptrdiff_t dropin_length(const dropin_case *it, bool out, int axis);
/* Real numbers in the whole array of a side. */
ptrdiff_t dropin_whole(const dropin_case *it, bool out);
/* The axes of a side as they lie in memory, and which of them is divided. */
int dropin_arrange(const dropin_case *it, bool out, int order[DROPIN_RANK]);
/* This rank's part. */
arrays_map dropin_map(const dropin_case *it, bool out, MPI_Comm comm);
/* What a program allocates, in real numbers: what local_size says, for the larger of the two sides.
 */
ptrdiff_t dropin_allocation(const dropin_case *it, MPI_Comm comm, ptrdiff_t in_slots,
                            ptrdiff_t out_slots);

/* The whole input, of noise, and the output that belongs to it. */
void dropin_compute(const dropin_case *it, weft_real *in, weft_real *out);

/* The whole arrays. Those of the last case are kept: cases that differ in flags alone follow each
 * other. */
typedef struct {
    dropin_case it;
    weft_real *in, *out;
    weft_real largest;
} dropin_reference;

const dropin_reference *dropin_reference_of(const dropin_case *it);

/* Whether the manual promises that a run leaves the input as it was. */
bool dropin_preserves(const dropin_case *it);

/* By the new-array function of the kind. */
void dropin_execute(const dropin_case *it, FFTW(plan) plan, weft_real *in, weft_real *out);

#endif
