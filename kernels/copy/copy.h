/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strided n-dimensional copies: packing, unpacking and permuting with any mix of strides. A copy is
 * prepared once (axes are sorted and joined, loops and stores are chosen) and run any number of
 * times.
 */
#ifndef WEFT_COPY_H
#define WEFT_COPY_H

#include <stddef.h>

/* The largest number of axes of an array, including the axis of `howmany`. weft-backend.h repeats
 * this line, because plug-ins use that header alone. */
#define WEFT_MAX_AXES 32

typedef struct weft_copy weft_copy;

/* An axis of a copy. The steps in the source and in the target are in bytes. */
typedef struct {
    ptrdiff_t count, from, to;
} weft_copy_axis;

/* Prepares a copy. Strides and offsets are in elements of `element` bytes; source and target must
 * not overlap. Returns NULL if there is no memory. A count of 0 along any axis makes a copy that
 * does nothing. */
weft_copy *weft_copy_prepare(size_t element, int axes, const ptrdiff_t *count,
                             ptrdiff_t from_offset, const ptrdiff_t *from_stride,
                             ptrdiff_t to_offset, const ptrdiff_t *to_stride);
/* Makes a list of copies, which runs and is released as one: `copy` before `others`, which may be
 * NULL. Returns `copy`. */
weft_copy *weft_copy_prepend(weft_copy *copy, weft_copy *others);
void weft_copy_run(const weft_copy *copy, const void *from, void *to);
void weft_copy_release(weft_copy *copy);

/*
 * Copies with streaming stores: lines of the target are written to memory without being read first,
 * and they evict nothing from the caches. This pays for data that will not be in cache at its next
 * use. On processors without streaming stores these functions make ordinary copies.
 */

/* Copies any length with any alignment. Lines of the target that are written only in part get
 * ordinary stores, so aligned targets and whole lines (64 bytes) are fastest. */
void weft_stream_copy(void *to, const void *from, size_t bytes);
/* Copies `rows` rows of `bytes` bytes, from_step and to_step bytes apart, and prefetches later
 * rows. */
void weft_stream_rows(void *to, ptrdiff_t to_step, const void *from, ptrdiff_t from_step,
                      size_t bytes, ptrdiff_t rows);
/* Makes the streamed data visible to other threads and processes. Call it once, after the last of a
 * series of copies. */
void weft_stream_fence(void);

#endif
