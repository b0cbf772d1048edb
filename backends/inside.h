/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges within one array and with little memory besides, between two ways of dividing it into
 * slabs: for FFTW_CONSERVE_MEMORY.
 */
#ifndef WEFT_INSIDE_H
#define WEFT_INSIDE_H

#include "exchange.h"

typedef struct weft_inside weft_inside;

/* Whether that can be, on so many ranks. Pure. */
bool weft_inside_possible(const weft_layout *from, const weft_layout *to, int ranks);

/* Collective. NULL on every rank, with an error, when any rank cannot. Each run needs an array with
 * room for what the rank has before and for what it has after, and so much workspace. */
weft_inside *weft_inside_prepare(const weft_layout *from, const weft_layout *to, size_t element,
                                 const weft_backend *backend, int value, MPI_Comm comm);
size_t weft_inside_workspace(const weft_inside *inside);
weft_prepared *weft_inside_prepared(const weft_inside *inside); /* its first part */
void weft_inside_run(const weft_inside *inside, void *array, void *workspace);
void weft_inside_release(weft_inside *inside);

#endif
