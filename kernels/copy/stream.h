/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copying with streaming stores: lines of the target go straight to memory and are not read first,
 * and nothing is evicted from the caches for them. Worth it for data that will not be in cache when
 * next it is used. Where the processor has no such stores these are ordinary copies.
 */
#ifndef WEFT_STREAM_H
#define WEFT_STREAM_H

#include <stddef.h>

/* Any alignment and length. Lines of which only a part is written get ordinary stores: whole lines
 * (64 bytes) and aligned targets are what makes it fast. */
void weft_stream_copy(void *to, const void *from, size_t bytes);
/* So many rows, which lie from_step and to_step bytes apart; rows to come are fetched ahead. */
void weft_stream_rows(void *to, ptrdiff_t to_step, const void *from, ptrdiff_t from_step,
                      size_t bytes, ptrdiff_t rows);
/* Makes the streamed data visible to others. Once, after the last of a series of copies. */
void weft_stream_fence(void);

#endif
