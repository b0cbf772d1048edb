/* SPDX-License-Identifier: BSD-3-Clause */
/* Real transforms by complex ones of half the length. Compiled once a precision. */
#ifndef WEFT_HALVES_H
#define WEFT_HALVES_H

#include <stdbool.h>
#include <stddef.h>
#include "kernels/base/precision.h"

/* Whether rows of so many real numbers are faster that way. */
bool weft_halves_pay(ptrdiff_t n);
/* What folding multiplies by, for rows of n, to be freed. NULL, with an error: no memory. */
weft_real *weft_halves_table(ptrdiff_t n, bool backward);
/* Forward: makes n / 2 + 1 numbers of the n / 2 that a transform of a row has left. Backward: makes
 * n / 2 numbers, to be transformed, of n / 2 + 1. A row may be folded in place. */
void weft_halves_fold(ptrdiff_t n, bool backward, const weft_real *table, const void *from,
                      void *to);

#endif
