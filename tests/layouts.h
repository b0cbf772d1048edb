/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts for tests: slabs, and where every element of a layout is, found by dealing out indices
 * one after another. That is slow and shares no code with what is tested.
 */
#ifndef TEST_LAYOUTS_H
#define TEST_LAYOUTS_H

#include <stdint.h>
#include "backends/exchange/exchange.h"

/* A number from 0 to limit - 1. The state is any number but 0. */
ptrdiff_t random_below(uint64_t *state, ptrdiff_t limit);

/* The numbers from 0 to count - 1 in some order. */
void random_order(uint64_t *state, int count, int *order);

/* Slabs of the first axis, and slabs of the second, on so many ranks. */
void slab_layouts(int axes, const ptrdiff_t *size, ptrdiff_t howmany, int ranks, weft_layout *from,
                  weft_layout *to);

/* The rank that holds a point, and the place of its first element in that rank's memory. */
int holder_of(const weft_layout *layout, const ptrdiff_t *index);
ptrdiff_t place_of(const weft_layout *layout, const ptrdiff_t *index);

/* The next index of an array, its axes counted in `order`, the last one fastest; false after the
 * last. */
bool next_index(const weft_layout *layout, const int *order, ptrdiff_t *index);

#endif
