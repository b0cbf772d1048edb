/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges within one array and with little memory besides, between two ways of dividing it into
 * slabs: for FFTW_CONSERVE_MEMORY.
 */
#ifndef WEFT_IN_PLACE_H
#define WEFT_IN_PLACE_H

#include "backends/exchange/exchange.h"

typedef struct weft_in_place weft_in_place;

/* Whether that can be, on so many ranks. Pure. */
bool weft_in_place_possible(const weft_layout *from, const weft_layout *to, int ranks);

/* Collective. NULL on every rank, with an error, when any rank cannot. Each run needs an array with
 * room for what the rank has before and for what it has after, and so much workspace. */
weft_in_place *weft_in_place_prepare(const weft_layout *from, const weft_layout *to, size_t element,
                                     const weft_backend *backend, int value, MPI_Comm comm);
size_t weft_in_place_workspace(const weft_in_place *in_place);
weft_prepared *weft_in_place_prepared(const weft_in_place *in_place); /* its first part */
void weft_in_place_run(const weft_in_place *in_place, void *array, void *workspace);
void weft_in_place_release(weft_in_place *in_place);

#endif
