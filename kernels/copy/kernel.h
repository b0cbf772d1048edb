/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a prepared copy is made of. Internal to the copy kernels and their tests.
 */
#ifndef WEFT_COPY_PLAN_H
#define WEFT_COPY_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include "kernels/base/cache.h"
#include "kernels/copy/copy.h"

/* Steps in bytes. */
typedef struct {
    ptrdiff_t count, from, to;
} weft_copy_axis;

/* Moves what the innermost axes span; the loops over the other axes are in weft_copy_run. */
typedef void weft_copy_kernel(const weft_copy *copy, const char *from, char *to);

/* Moves what two axes span, element by element. */
typedef void weft_copy_patch(const weft_copy_axis *down, const weft_copy_axis *across,
                             const char *from, char *to);

/* Moves tiles of WEFT_LINE bytes by as many elements as those hold, one tile below the other: the
 * rows of each lie from_step apart in the source and become columns, which lie to_step apart in the
 * target. */
typedef void weft_copy_strip(const char *from, ptrdiff_t from_step, char *to, ptrdiff_t to_step,
                             ptrdiff_t tiles);

struct weft_copy {
    ptrdiff_t units; /* 0: nothing to copy */
    size_t unit;     /* bytes that lie together on both sides */
    ptrdiff_t from_offset, to_offset;
    int axes;    /* those that are left, slowest first */
    int inner;   /* how many of them, the last ones, the kernel takes */
    bool stream; /* the target does not fit in cache */
    bool ahead;  /* nor does it in the second level: rows to come are worth fetching */
    weft_copy_kernel *kernel;
    weft_copy_patch *patch;
    weft_copy_strip *strip;        /* of ordinary stores */
    weft_copy_strip *strip_stream; /* of streaming stores, into aligned lines */
    weft_copy *next;               /* what is copied after it; NULL: nothing */
    weft_copy_axis axis[]; /* an exchange has a copy for each peer: no more than there are */
};

/* What tests force, and weft_copy_prepare takes from the machine. */
typedef struct {
    size_t stream; /* arrays that span at least so many bytes are streamed */
    size_t ahead;  /* of those that span so many, rows to come are fetched */
    bool baseline; /* without any optional instructions of this processor */
} weft_copy_limits;

weft_copy *weft_copy_prepare_limited(const weft_copy_limits *limits, size_t element, int axes,
                                     const ptrdiff_t *count, ptrdiff_t from_offset,
                                     const ptrdiff_t *from_stride, ptrdiff_t to_offset,
                                     const ptrdiff_t *to_stride);

/* units.c: units of a line or more, and smaller ones along one axis or in blocks of two. */
weft_copy_kernel *weft_copy_rows(const weft_copy *copy);
weft_copy_kernel *weft_copy_line(const weft_copy *copy);
weft_copy_patch *weft_copy_pick_patch(size_t unit);
void weft_copy_patches(const weft_copy *copy, const char *from, char *to);
/* transpose.c: small units that are contiguous along one axis in the source, the last but one,
 * and along the last in the target. NULL when they are not, or there is no strip for them. */
weft_copy_kernel *weft_copy_transpose(weft_copy *copy, const weft_copy_limits *limits);
/* strips.c, strips-avx512.c: NULL where there are none for the unit. */
weft_copy_strip *weft_copy_pick_strip(size_t unit, bool stream);
weft_copy_strip *weft_copy_pick_strip_avx512(size_t unit, bool stream);

#endif
