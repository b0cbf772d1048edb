/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a prepared copy is made of. Internal to the copy kernels and their tests.
 */
#ifndef WEFT_COPY_PLAN_H
#define WEFT_COPY_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include "copy.h"

/* Steps in bytes. */
typedef struct {
    ptrdiff_t count, from, to;
} weft_copy_axis;

/* Moves what the innermost axes span; the loops over the other axes are in weft_copy_run. */
typedef void weft_copy_kernel(const weft_copy *copy, const char *from, char *to);

struct weft_copy {
    ptrdiff_t units; /* 0: nothing to copy */
    size_t unit;     /* bytes that lie together on both sides */
    ptrdiff_t from_offset, to_offset;
    int axes;  /* those that are left, slowest first */
    int inner; /* how many of them, the last ones, the kernel takes */
    weft_copy_axis axis[WEFT_MAX_AXES];
    bool stream; /* the target does not fit in cache */
    weft_copy_kernel *kernel;
};

/* Sizes in bytes; weft_copy_prepare takes them from the machine, tests make them small. */
typedef struct {
    size_t stream; /* targets at least so large are streamed */
} weft_copy_limits;

weft_copy *weft_copy_prepare_limited(const weft_copy_limits *limits, size_t element, int axes,
                                     const ptrdiff_t *count, ptrdiff_t from_offset,
                                     const ptrdiff_t *from_stride, ptrdiff_t to_offset,
                                     const ptrdiff_t *to_stride);

/* copy-axes.c: drops axes of one index, sorts the others by their step in the target, joins those
 * that both sides can walk as one, and grows the unit. */
void weft_copy_simplify(weft_copy *copy);

/* copy-rows.c: units of many bytes, one axis. */
weft_copy_kernel *weft_copy_rows(const weft_copy *copy);
/* copy-tiles.c: small units. The last axis is the one of the smallest step in the target, the one
 * before it (when inner is 2) that of the smallest step in the source. */
weft_copy_kernel *weft_copy_line(const weft_copy *copy);
weft_copy_kernel *weft_copy_tiles(const weft_copy *copy);

#endif
