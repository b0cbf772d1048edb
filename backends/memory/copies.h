/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An exchange through shared memory of any kind, for passes that cannot write to and read from this
 * memory themselves: each rank copies its blocks to its own part, and copies the blocks it receives
 * from the parts of others.
 */
#ifndef WEFT_COPIES_H
#define WEFT_COPIES_H

#include "backends/weft-backend.h"

/* Collective over the exchange's ranks. Returns the state for the functions start, finish and
 * release of weft_copies, which defines no other functions. Returns NULL on all ranks, with an
 * error, when any rank fails. */
void *weft_copies_prepare(const weft_exchange *exchange, const weft_memory *memory);
extern const weft_backend weft_copies;

/* Calls `open` of the memory, or `open_on` where the arrays lie on a device. */
void *weft_memory_open(const weft_memory *memory, MPI_Comm comm, size_t bytes,
                       struct weft_device *device);

#endif
