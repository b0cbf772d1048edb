/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cases of bench-pass: the two passes of a slab, and an FFTW plan for the same transform.
 */
#ifndef BENCH_PASS_H
#define BENCH_PASS_H

#include <fftw3.h>
#include "kernels/pass/pass.h"

enum { MOST_PEERS = 64, AXES = 3 };

/* A transform of two or three axes, in natural or transposed order. */
typedef struct {
    int axes;
    ptrdiff_t size[AXES];
    weft_kind kind; /* of the last axis; WEFT_FORWARD, WEFT_R2C, WEFT_C2R or an r2r kind */
    bool in_place, transposed;
} transform;

/* A view with its blocks, one for each peer. */
typedef struct {
    weft_view view;
    weft_view_block block[MOST_PEERS];
} slab_view;

static const int order_012[] = {0, 1, 2}, order_102[] = {1, 0, 2};

/* Makes a view in which `axis` is divided into blocks. The blocks follow one another in memory,
 * each with the axes in this order. */
void divide(slab_view *v, int axes, const ptrdiff_t *size, const int *order, int axis, int peers);
/* Makes the views of the input, of the array between the passes, and of the output. */
void slab_views(const transform *t, slab_view *given, slab_view *between, slab_view *result);
/* Describes the pass that transforms n0 (`along_first`) or all other axes. */
weft_pass_spec slab_pass(const transform *t, bool along_first, const slab_view *source,
                         const slab_view *target, unsigned flags);
fftw_plan serial_plan(const transform *t, void *in, void *out, unsigned flags);

#endif
