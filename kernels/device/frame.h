/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of axes in which a pass on a device has its numbers while it transforms them, and how
 * arrays look to the library that does: a batch of transforms of some axes.
 *
 *     kept axes, slowest first  |  transformed axes, that of r2c or c2r last
 */
#ifndef WEFT_FRAME_H
#define WEFT_FRAME_H

#include "kernels/base/precision.h"
#include "kernels/pass/views.h"

enum { WEFT_AT_ONCE = 3 /* axes of one transform */ };

typedef struct {
    ptrdiff_t size[WEFT_MAX_AXES];
    bool changes[WEFT_MAX_AXES]; /* it is transformed; axes of one index are not */
    int kept, transformed;       /* so many of each */
    int halved;                  /* the axis of r2c or c2r, or -1 */
    int order[WEFT_MAX_AXES];    /* the slowest first */
} weft_frame;

/* Places as the library names them: of the transformed axes, and of the batch. */
typedef struct {
    ptrdiff_t embed[WEFT_AT_ONCE], stride, distance;
} weft_embedding;

/* Kept axes by their steps on a side. */
void weft_frame_order(weft_frame *frame, const weft_side *by);
/* One compact array of the numbers of a side, complex or real; beside complex rows real ones have
 * room for them. False and an error: it has no addresses, or there is no memory. */
bool weft_frame_make(const weft_frame *frame, const weft_side *like, weft_side *made);
size_t weft_frame_bytes(const weft_side *made);
/* How many numbers the last axes have on a side, from the i-th on. */
ptrdiff_t weft_frame_inner(const weft_frame *frame, const weft_side *side, int i);
/* Whether a side as it lies is a batch in the order of the frame, and which. */
bool weft_frame_embeds(const weft_frame *frame, const weft_side *side, weft_embedding *as);
/* That of one that was made; of the innermost axes, as many as can be. */
weft_embedding weft_frame_embedding(const weft_frame *frame, const weft_side *made);

#endif
