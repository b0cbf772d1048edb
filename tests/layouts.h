/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts for tests: slabs, and the place of every element of a layout. The functions count indices
 * one after another, which is slow but shares no code with the library.
 */
#ifndef TEST_LAYOUTS_H
#define TEST_LAYOUTS_H

#include <stdint.h>
#include "backends/exchange/exchange.h"

/* Returns a random number from 0 to limit - 1. The state is any number except 0. */
ptrdiff_t random_below(uint64_t *state, ptrdiff_t limit);

/* Writes the numbers from 0 to count - 1 in random order. */
void random_order(uint64_t *state, int count, int *order);

/* Makes balanced slabs of the first axis, and of the second, on so many ranks. */
void slab_layouts(int axes, const ptrdiff_t *size, ptrdiff_t howmany, int ranks, weft_layout *from,
                  weft_layout *to);

/* Lists the boxes of a layout, which has then no grid. The third call after this frees the list. */
void list_boxes(weft_layout *layout, int ranks);

/* holder_of returns the rank that has a point; place_of returns the place of the point's first
 * element in that rank's memory. */
int holder_of(const weft_layout *layout, const ptrdiff_t *index);
ptrdiff_t place_of(const weft_layout *layout, const ptrdiff_t *index);

/* Advances the index of a point, with the axes in `order`, the last one fastest. Returns false
 * after the last point. */
bool next_index(const weft_layout *layout, const int *order, ptrdiff_t *index);

#endif
