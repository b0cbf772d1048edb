/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges of arrays on a device by messages between hosts (staged.c). */
#ifndef WEFT_STAGED_H
#define WEFT_STAGED_H

#include "backends/exchange/blocks.h"

/* Collective over exchange->comm: prepares the exchange with a backend of messages, and sets the
 * bytes of device memory and of pinned host memory that a run needs. Returns NULL with an error if
 * this rank fails. */
void *weft_staged_prepare(const weft_exchange *exchange, const weft_backend *backend, int value,
                          size_t *workspace, size_t *pinned);
/* Sets the pinned memory of all later runs. */
void weft_staged_pin(void *state, void *pinned);

/* Runs, tests and releases what weft_staged_prepare has prepared. */
extern const weft_backend weft_staged_backend;

#endif
