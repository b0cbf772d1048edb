/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The struct behind weft_copy and the kernels that run it. Internal to the copy kernels, the copies
 * on a device (kernels/device/strided-copies.c) and their tests. A "unit" is the number of bytes
 * that are contiguous both in the source and in the target.
 */
#ifndef WEFT_COPY_KERNEL_H
#define WEFT_COPY_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include "kernels/base/cache.h"
#include "kernels/copy/copy.h"

/* Before a loop of few, constant iterations: the compiler unrolls it. At -O2 GCC would not, and an
 * array that the loop indexes would be in memory, not in registers. */
#define UNROLL _Pragma("GCC unroll 16")

/* Copies the innermost axes; weft_copy_run loops over the other axes. */
typedef void weft_copy_kernel(const weft_copy *copy, const char *from, char *to);

/* Transposes a column of tiles. Each tile has WEFT_LINE bytes in one direction and as many elements
 * in the other as fit in WEFT_LINE bytes. Rows of a tile are from_step bytes apart in the source;
 * they become columns, which are to_step bytes apart in the target. With `stream`, columns are
 * aligned lines and get streaming stores. */
typedef void weft_copy_strip(const char *from, ptrdiff_t from_step, char *to, ptrdiff_t to_step,
                             ptrdiff_t tiles, bool stream);

struct weft_copy {
    bool empty;  /* nothing to copy */
    size_t unit; /* bytes that are contiguous on both sides */
    ptrdiff_t from_offset, to_offset;
    int axes;    /* axes that remain after joining, the slowest first */
    int inner;   /* the number of axes, the last ones, that the kernel loops over */
    bool stream; /* use streaming stores, since the arrays do not fit in cache */
    weft_copy_kernel *kernel;
    union {
        weft_copy_strip *strip;     /* for weft_copy_transpose */
        struct weft_device *device; /* for a copy on a device */
    };
    int from_array, to_array; /* for a copy of a pass on a device: the numbers of its arrays */
    weft_copy *next;          /* the copy to run after this one, or NULL */
    weft_copy_axis axis[];    /* only as many as there are: an exchange has a copy for each peer */
};

/* Thresholds. weft_copy_prepare derives them from the machine; tests set their own. */
typedef struct {
    size_t stream; /* use streaming stores for arrays that span at least this many bytes */
    bool baseline; /* use no optional instructions of this processor */
} weft_copy_limits;

/* Makes a copy with the fewest axes that describe it. The caller chooses the kernel, unless there
 * is nothing to copy. */
weft_copy *weft_copy_reduce(size_t element, int axes, const ptrdiff_t *count, ptrdiff_t from_offset,
                            const ptrdiff_t *from_stride, ptrdiff_t to_offset,
                            const ptrdiff_t *to_stride);
weft_copy *weft_copy_prepare_limited(const weft_copy_limits *limits, size_t element, int axes,
                                     const ptrdiff_t *count, ptrdiff_t from_offset,
                                     const ptrdiff_t *from_stride, ptrdiff_t to_offset,
                                     const ptrdiff_t *to_stride);

/* units.c: units of a cache line or more; smaller units along one axis, or along two axes in
 * blocks. */
void weft_copy_rows(const weft_copy *copy, const char *from, char *to);
void weft_copy_line(const weft_copy *copy, const char *from, char *to);
void weft_copy_patches(const weft_copy *copy, const char *from, char *to);
void weft_copy_patch(size_t unit, const weft_copy_axis *down, const weft_copy_axis *across,
                     const char *from, char *to);
/* transpose.c: small units that are contiguous along the last axis but one in the source and along
 * the last axis in the target. */
void weft_copy_transpose(const weft_copy *copy, const char *from, char *to);
/* strips.c: the strip for this processor, with `baseline` for every processor; NULL if there is
 * none for the unit. strips-avx512.c: the same for processors with AVX-512. */
weft_copy_strip *weft_copy_pick_strip(size_t unit, bool baseline);
weft_copy_strip *weft_copy_pick_strip_avx512(size_t unit);

#endif
