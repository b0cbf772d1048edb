/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges between two slab distributions within one array and with little extra memory, for
 * FFTW_CONSERVE_MEMORY.
 */
#ifndef WEFT_IN_PLACE_H
#define WEFT_IN_PLACE_H

#include "backends/exchange/exchange.h"

typedef struct weft_in_place weft_in_place;

/* Whether an in-place exchange is possible on `ranks` ranks. Local, without MPI. */
bool weft_in_place_possible(const weft_layout *from, const weft_layout *to, int ranks);

/* Collective. Returns NULL on every rank, with an error, when any rank fails. Each run needs an
 * array large enough for both the rank's input and its output, and weft_in_place_workspace bytes of
 * workspace. `flags` is 0 or WEFT_AS_FLOAT. */
weft_in_place *weft_in_place_prepare(const weft_layout *from, const weft_layout *to, size_t element,
                                     unsigned flags, const weft_backend *backend, int value,
                                     MPI_Comm comm);
size_t weft_in_place_workspace(const weft_in_place *in_place);
weft_prepared *weft_in_place_prepared(const weft_in_place *in_place); /* the first of the parts */
void weft_in_place_run(const weft_in_place *in_place, void *array, void *workspace);
void weft_in_place_release(weft_in_place *in_place);

#endif
