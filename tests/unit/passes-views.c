/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random views: axis orders, gaps, reversed axes, blocks of different lengths, empty ones, or all
 * equal except the last, in several arrays; and the arrays.
 */
#include <string.h>
#include "tests/layouts.h"
#include "tests/unit/passes.h"

static uint64_t state;

void seed(uint64_t which)
{
    state = 0x9E3779B97F4A7C15ULL + which * 0xD1B54A32D192ED03ULL;
    for (int k = 0; k < 8; k++)
        random_below(&state, 2);
}

int below(int n)
{
    return (int)random_below(&state, n);
}

bool one_in(int n)
{
    return below(n) == 0;
}

weft_real number(void)
{
    return (weft_real)((double)random_below(&state, 1 << 24) / 0x800000 - 1.0);
}

void shuffle(int *order, int n)
{
    random_order(&state, n, order);
}

/* Places a block with these counts after a gap behind the earlier blocks of its array. */
static void lay_block(shape *s, weft_view_block *block, int axes, const ptrdiff_t *count,
                      const int *order, bool loose, ptrdiff_t gap)
{
    ptrdiff_t step = loose && one_in(6) ? 2 : 1, back = 0;
    for (int k = axes - 1; k >= 0; k--) {
        int a = order[k];
        block->stride[a] = step;
        step = step * count[a] + (loose && one_in(3) ? below(4) : 0);
        if (loose && one_in(8)) {
            back += block->stride[a] * (count[a] - 1);
            block->stride[a] = -block->stride[a];
        }
    }
    block->offset = s->reach[block->array] + gap + back;
    s->reach[block->array] += gap + step;
}

void shape_make(shape *s, int axes, const ptrdiff_t *count, size_t element, int most_blocks)
{
    int order[WEFT_MAX_AXES];
    bool loose = !one_in(3), one_order = one_in(2), interleaved = one_in(3), equal = one_in(4);
    *s = (shape){.element = element};
    s->view.axis = below(axes);
    s->view.blocks = 1 + below(most_blocks);
    ptrdiff_t left = count[s->view.axis];
    const int arrays = 1 + below(ARRAYS),
              apart = below(3); /* of equal blocks: number of arrays, and gap */
    if (equal) {
        loose = interleaved = false;
        one_order = true;
    }
    shuffle(order, axes);
    weft_view_block one = {.array = one_in(2) ? 0 : below(ARRAYS)};
    if (interleaved)
        lay_block(s, &one, axes, count, order, loose, loose ? below(5) : 0);
    for (int p = 0; p < s->view.blocks; p++) {
        weft_view_block *block = &s->block[p];
        ptrdiff_t part[WEFT_MAX_AXES];
        memcpy(part, count, (size_t)axes * sizeof *count);
        ptrdiff_t some = p == s->view.blocks - 1 ? left : one_in(5) ? 0 : below((int)left + 1);
        if (equal && p < s->view.blocks - 1)
            some = count[s->view.axis] / s->view.blocks;
        part[s->view.axis] = some;
        if (interleaved) {
            *block = one;
            one.offset += some * one.stride[s->view.axis];
        } else {
            block->array = equal ? p % arrays : one_in(2) ? 0 : below(ARRAYS);
            if (!one_order)
                shuffle(order, axes);
            if (some > 0)
                lay_block(s, block, axes, part, order, loose, equal ? apart : loose ? below(5) : 0);
        }
        block->count = some;
        left -= some;
    }
}

enum { GUARD = 8 }; /* numbers before and after every array */

memory memory_make(const shape *a, const shape *b, int misaligned)
{
    memory m;
    for (int k = 0; k < ARRAYS; k++) {
        size_t one = (size_t)a->reach[k] * a->element,
               two = b ? (size_t)b->reach[k] * b->element : 0;
        m.bytes[k] = (one > two ? one : two) + (2 * GUARD + 4) * sizeof(weft_real);
        m.base[k] = FFTW(malloc)(m.bytes[k]);
        ck_assert_ptr_nonnull(m.base[k]);
        for (size_t i = 0; i < m.bytes[k] / sizeof(weft_real); i++)
            m.base[k][i] = number();
        m.first[k] = m.base[k] + GUARD + misaligned;
    }
    return m;
}

memory memory_copy(const memory *from)
{
    memory m = *from;
    for (int k = 0; k < ARRAYS; k++) {
        m.base[k] = FFTW(malloc)(m.bytes[k]);
        ck_assert_ptr_nonnull(m.base[k]);
        memcpy(m.base[k], from->base[k], m.bytes[k]);
        m.first[k] = m.base[k] + ((weft_real *)from->first[k] - from->base[k]);
    }
    return m;
}

void memory_free(memory *m)
{
    for (int k = 0; k < ARRAYS; k++)
        FFTW(free)(m->base[k]);
}

weft_real *element_at(const memory *m, const shape *s, int axes, const ptrdiff_t *index)
{
    const weft_view_block *block = s->block;
    ptrdiff_t along = index[s->view.axis];
    while (along >= block->count)
        along -= block++->count;
    ptrdiff_t place = block->offset;
    for (int a = 0; a < axes; a++)
        place += (a == s->view.axis ? along : index[a]) * block->stride[a];
    return (weft_real *)m->first[block->array] +
           place * (ptrdiff_t)(s->element / sizeof(weft_real));
}
