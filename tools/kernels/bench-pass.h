/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What bench-pass times: the two passes of a slab, and the FFTW plan that does the same.
 */
#ifndef BENCH_PASS_H
#define BENCH_PASS_H

#include <fftw3.h>
#include "kernels/pass/pass.h"

enum { MOST_PEERS = 64, AXES = 3 };

/* What is transformed: two or three axes, natural or transposed order. */
typedef struct {
    int axes;
    ptrdiff_t size[AXES];
    weft_kind kind; /* of the last axis; WEFT_FORWARD, WEFT_R2C, WEFT_C2R or an r2r kind */
    bool in_place, transposed;
} transform;

/* A view in some memory order, divided for peers. */
typedef struct {
    weft_view view;
    weft_view_piece piece[MOST_PEERS];
} slab_view;

static const int order_012[] = {0, 1, 2}, order_102[] = {1, 0, 2};

/* `axis` is divided into blocks, one behind the other, each in this order of axes. */
void divide(slab_view *v, int axes, const ptrdiff_t *size, const int *order, int axis, int peers);
/* The views of the given and the resulting array, and of what lies between the passes. */
void slab_views(const transform *t, slab_view *given, slab_view *between, slab_view *result);
/* Transforms along n0, or along all other axes. */
weft_pass_spec slab_pass(const transform *t, bool along_first, const slab_view *source,
                         const slab_view *target, unsigned flags);
fftw_plan serial_plan(const transform *t, void *in, void *out, unsigned flags);

#endif
