/* SPDX-License-Identifier: BSD-3-Clause */
/* Any backend of messages for arrays on a device, by way of pinned memory of the host. */
#ifndef WEFT_STAGED_H
#define WEFT_STAGED_H

#include "backends/weft-backend.h"

/* A backend, but for its name. Its prepare is the one below. */
extern const weft_backend weft_staged;

/* As prepare of a backend; `workspace` of the device, `pinned` of the host. Of ranks that are
 * several. */
void *weft_staged_prepare(const weft_exchange *exchange, const weft_backend *backend, int value,
                          size_t *workspace, size_t *pinned);
/* What the backend has of memory that ranks of a node share. */
size_t weft_staged_shared(void *state);
/* Where the pinned memory is, for the runs from now on. */
void weft_staged_pin(void *state, void *pinned);

#endif
