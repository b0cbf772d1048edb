/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs any backend that sends messages for arrays on a device, through pinned host memory. */
#ifndef WEFT_STAGED_H
#define WEFT_STAGED_H

#include "backends/weft-backend.h"

/* The functions of the wrapping backend, without a name; weft_staged_prepare replaces its prepare.
 */
extern const weft_backend weft_staged;

/* Like `prepare` of a backend, for exchanges of at least two ranks. Sets the bytes needed of device
 * workspace and of pinned host memory. */
void *weft_staged_prepare(const weft_exchange *exchange, const weft_backend *backend, int value,
                          size_t *workspace, size_t *pinned);
/* Sets the pinned memory for all later runs. */
void weft_staged_pin(void *state, void *pinned);

#endif
