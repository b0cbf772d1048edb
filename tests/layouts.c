/* SPDX-License-Identifier: BSD-3-Clause */
/* Random layouts, and a slow and plain account of where everything is. */
#include <stdio.h>
#include "tests/layouts.h"

/* xorshift: the same layouts everywhere. */
ptrdiff_t random_below(uint64_t *state, ptrdiff_t limit)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (ptrdiff_t)((*state >> 11) % (uint64_t)limit);
}

void random_sizes(uint64_t *state, int axes, ptrdiff_t most, ptrdiff_t *size)
{
    static const ptrdiff_t liked[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17, 24};

    for (int a = 0; a < axes; a++) {
        do
            size[a] = liked[random_below(state, sizeof liked / sizeof *liked)];
        while (size[a] > most);
        most /= size[a];
    }
}

void random_order(uint64_t *state, int count, int *order)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int j = (int)random_below(state, i + 1), kept = order[i];

        order[i] = order[j];
        order[j] = kept;
    }
}

static void random_division(uint64_t *state, weft_layout *layout, int axis, int dimension)
{
    weft_axis *it = &layout->axis[axis];
    ptrdiff_t extent = layout->grid[dimension];

    it->grid_axis = dimension;
    it->rule = random_below(state, 3) != 0   ? WEFT_BLOCKS
               : random_below(state, 2) == 0 ? WEFT_BALANCED
                                             : WEFT_EVENLY;
    if (it->rule == WEFT_BLOCKS && random_below(state, 3) == 0)
        it->block = (it->size + extent - 1) / extent + random_below(state, 3);
}

void random_layout(uint64_t *state, int axes, const ptrdiff_t *size, ptrdiff_t howmany, int ranks,
                   weft_layout *layout)
{
    int axis[WEFT_MAX_AXES], most = axes < 4 ? axes : 4, left = ranks;

    weft_layout_init(layout, axes, size, howmany);
    random_order(state, axes, axis);
    layout->grid_axes = (int)random_below(state, most + 1);
    for (int g = 0; g < layout->grid_axes; g++) {
        /* Mostly all ranks that are left, so that not too many stay idle. */
        bool all = g == layout->grid_axes - 1 && random_below(state, 4) != 0;

        layout->grid[g] = all ? left : 1 + (int)random_below(state, left);
        left /= layout->grid[g];
        if (layout->grid[g] > 1 || random_below(state, 2) == 0)
            random_division(state, layout, axis[g], g);
    }
    if (random_below(state, 2) == 0)
        random_order(state, axes, layout->order);
    if (random_below(state, 4) == 0) {
        int g = layout->axis[axes - 1].grid_axis;

        if (g < 0 || layout->grid[g] == 1)
            layout->padded = size[axes - 1] + random_below(state, 4);
    }
}

void slab_layouts(int axes, const ptrdiff_t *size, ptrdiff_t howmany, int ranks, weft_layout *from,
                  weft_layout *to)
{
    weft_layout_init(from, axes, size, howmany);
    from->grid_axes = 1;
    from->grid[0] = ranks;
    *to = *from;
    from->axis[0].grid_axis = 0;
    to->axis[1].grid_axis = 0;
}

/* Which coordinate gets an index, how many indices it gets, and which of these it is. */
typedef struct {
    int coordinate;
    ptrdiff_t count, place;
} dealt;

static dealt deal(const weft_layout *layout, int axis, ptrdiff_t index)
{
    const weft_axis *it = &layout->axis[axis];
    int parts = it->grid_axis < 0 ? 1 : layout->grid[it->grid_axis];
    ptrdiff_t given = 0, block = it->block;
    dealt d = {0, 0, 0};

    if (block == 0)
        while (block * parts < it->size)
            block++;
    for (;; d.coordinate++) {
        if (it->rule == WEFT_BALANCED)
            d.count = it->size / parts + (d.coordinate < it->size % parts ? 1 : 0);
        else if (it->rule == WEFT_EVENLY)
            d.count = it->size * (d.coordinate + 1) / parts - given;
        else
            d.count = it->size - given < block ? it->size - given : block;
        if (index < given + d.count)
            break;
        given += d.count;
    }
    d.place = index - given;
    return d;
}

int holder_of(const weft_layout *layout, const ptrdiff_t *index)
{
    int coordinate[WEFT_MAX_AXES] = {0}, rank = 0;
    for (int a = 0; a < layout->axes; a++)
        if (layout->axis[a].grid_axis >= 0)
            coordinate[layout->axis[a].grid_axis] = deal(layout, a, index[a]).coordinate;
    for (int g = 0; g < layout->grid_axes; g++)
        rank = rank * layout->grid[g] + coordinate[g];
    return rank;
}

ptrdiff_t place_of(const weft_layout *layout, const ptrdiff_t *index)
{
    ptrdiff_t place = 0;

    for (int i = 0; i < layout->axes; i++) {
        int a = layout->order[i];
        dealt d = deal(layout, a, index[a]);

        if (a == layout->axes - 1 && layout->padded > 0)
            d.count = layout->padded;
        place = place * d.count + d.place;
    }
    return place * layout->howmany;
}

bool next_index(const weft_layout *layout, const int *order, ptrdiff_t *index)
{
    for (int i = layout->axes - 1; i >= 0; i--) {
        int a = order[i];

        if (++index[a] < layout->axis[a].size)
            return true;
        index[a] = 0;
    }
    return false;
}

const char *layout_text(const weft_layout *layout, char *text)
{
    char *end = text;

    end += sprintf(end, "(");
    for (int a = 0; a < layout->axes; a++) {
        const weft_axis *it = &layout->axis[a];

        end += sprintf(end, "%s%td", a > 0 ? " x " : "", it->size);
        if (it->grid_axis >= 0)
            end += sprintf(end, "/%d", layout->grid[it->grid_axis]);
        if (it->rule != WEFT_BLOCKS)
            end += sprintf(end, it->rule == WEFT_BALANCED ? "=" : "_");
        if (it->block > 0)
            end += sprintf(end, ":%td", it->block);
    }
    end += sprintf(end, "; of %td; order", layout->howmany);
    for (int a = 0; a < layout->axes; a++)
        end += sprintf(end, " %d", layout->order[a]);
    sprintf(end, "; padded %td)", layout->padded);
    return text;
}

ptrdiff_t walk(const weft_block *block, ptrdiff_t n)
{
    for (; block->next; block = block->next) { /* on to the region that has it */
        if (n < block->elements - block->next->elements)
            break;
        n -= block->elements - block->next->elements;
    }
    ptrdiff_t place = block->offset;

    for (int i = block->axes - 1; i >= 0; i--) {
        place += n % block->count[i] * block->stride[i];
        n /= block->count[i];
    }
    return place;
}
