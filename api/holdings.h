/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layouts of both sides of a problem, of which all is known but `real` and `layout` of from and
 * to. Pure.
 */
#ifndef WEFT_HOLDINGS_H
#define WEFT_HOLDINGS_H

#include "planner/problem.h"

/* Slabs and lines, in blocks of at least 1 which are enough for all indices; late ranks may hold
 * less, or nothing. */
void weft_holdings_slabs(weft_problem *problem, ptrdiff_t in_block, ptrdiff_t out_block);
/* In rows, `padded` as on grids. */
void weft_holdings_rows(weft_problem *problem, bool padded);
/* On the problem's grid; `padded`: rows of the real side of r2c and c2r have 2 (n / 2 + 1) numbers.
 */
void weft_holdings_grid(weft_problem *problem, weft_rule rule, bool padded);

#endif
