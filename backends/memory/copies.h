/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An exchange through memory that ranks share, whatever memory that is, where the passes before and
 * after it do not write and read there themselves: pieces are copied to the own part, and from the
 * parts of others.
 */
#ifndef WEFT_COPIES_H
#define WEFT_COPIES_H

#include "backends/weft-backend.h"

/* Collective over the exchange's ranks; what comes back is for the functions start, finish and
 * release of weft_copies, which has no others. NULL on all of them, with an error, when any cannot.
 */
void *weft_copies_prepare(const weft_exchange *exchange, const weft_memory *memory);
extern const weft_backend weft_copies;

/* As `open` of the memory, or `open_on` where arrays lie on a device. */
void *weft_memory_open(const weft_memory *memory, MPI_Comm comm, size_t bytes,
                       struct weft_device *device);

#endif
