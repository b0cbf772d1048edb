/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scratch array of a pass on a device, in which the device's FFT library transforms the
 * numbers. The order of its axes makes it a batch of transforms along some axes, as the FFT library
 * needs it:
 *
 *     kept axes, slowest first  |  transformed axes, the axis of r2c or c2r last
 */
#ifndef WEFT_SCRATCH_ARRAY_H
#define WEFT_SCRATCH_ARRAY_H

#include "kernels/base/precision.h"
#include "kernels/pass/views.h"

enum { WEFT_AT_ONCE = 3 /* the most axes of one transform */ };

typedef struct {
    ptrdiff_t size[WEFT_MAX_AXES];
    bool changes[WEFT_MAX_AXES]; /* the axis is transformed; false for axes of one index */
    int kept, transformed;       /* how many axes are kept, and how many are transformed */
    int halved;                  /* the axis of r2c or c2r, or -1 */
    int order[WEFT_MAX_AXES];    /* the slowest first */
} weft_scratch_array;

/* Places of numbers as the FFT library describes them: `embed` and `stride` for the transformed
 * axes, `distance` for the batch. */
typedef struct {
    ptrdiff_t embed[WEFT_AT_ONCE], stride, distance;
} weft_embedding;

/* Orders the axes: the kept axes by their steps on the side `by`, and likewise the transformed
 * axes, except that the axis of r2c or c2r comes last. */
void weft_scratch_array_order_axes(weft_scratch_array *scratch, const weft_side *by);
/* Describes one compact array for the numbers, complex or real, of the side `like`. Real rows of
 * r2c and c2r are padded, so that complex rows fit in the same place. Returns false with an error
 * if there is no memory. */
bool weft_scratch_array_make_side(const weft_scratch_array *scratch, const weft_side *like,
                                  weft_side *made);
/* The product of the counts, on this side, of the scratch array's axes from the i-th on. */
ptrdiff_t weft_scratch_array_inner_count(const weft_scratch_array *scratch, const weft_side *side,
                                         int i);
/* Whether a side, as it is in memory, is a batch in the order of the scratch array; sets its
 * description. */
bool weft_scratch_array_matches(const weft_scratch_array *scratch, const weft_side *side,
                                weft_embedding *as);
/* The description of an array that weft_scratch_array_make_side made, for the innermost axes, at
 * most WEFT_AT_ONCE of them. */
weft_embedding weft_scratch_array_embedding(const weft_scratch_array *scratch,
                                            const weft_side *made);

#endif
