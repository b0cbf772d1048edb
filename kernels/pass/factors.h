/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the twiddle factors that a pass multiplies its result by. Compiled once a precision. */
#ifndef WEFT_PASS_FACTORS_H
#define WEFT_PASS_FACTORS_H

#include "kernels/base/precision.h"
#include "kernels/pass/spec.h"

/* exp(sign 2 pi i k / n) for 0 <= k < n. */
void weft_root(ptrdiff_t k, ptrdiff_t n, int sign, weft_complex value);

typedef struct weft_factors weft_factors;

/* NULL, with an error: the order is beyond what can be computed with, or there is no memory. */
weft_factors *weft_factors_make(const weft_twiddle *twiddle);
void weft_factors_free(weft_factors *factors);
/* Multiplies a box of which the first index is `start`. */
void weft_factors_apply(const weft_factors *factors, int axes, const ptrdiff_t *start,
                        const ptrdiff_t *count, const ptrdiff_t *stride, weft_complex *at);

#endif
