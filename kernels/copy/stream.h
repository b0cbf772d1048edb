/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies with streaming stores: lines of the target are written to memory without being read first,
 * and they evict nothing from the caches. This pays for data that will not be in cache at its next
 * use. On processors without streaming stores these functions make ordinary copies.
 */
#ifndef WEFT_STREAM_H
#define WEFT_STREAM_H

#include <stddef.h>

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
