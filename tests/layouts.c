/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers, layouts of slabs, and the place of every element, computed in a slow and simple
 * way. */
#include "tests/layouts.h"
#include "kernels/base/memory.h"

/* xorshift, so that layouts are the same on all machines. */
ptrdiff_t random_below(uint64_t *state, ptrdiff_t limit)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (ptrdiff_t)((*state >> 11) % (uint64_t)limit);
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

void slab_layouts(int axes, const ptrdiff_t *size, ptrdiff_t howmany, int ranks, weft_layout *from,
                  weft_layout *to)
{
    weft_layout_init(from, axes, size, howmany);
    from->grid_axes = 1;
    from->grid[0] = ranks;
    *to = *from;
    from->axis[0].grid_axis = to->axis[1].grid_axis = 0;
    from->axis[0].rule = to->axis[1].rule = WEFT_BALANCED;
}

void list_boxes(weft_layout *layout, int ranks)
{
    static weft_layout kept[3];
    static int calls;
    weft_layout made = *layout, *oldest = &kept[calls++ % 3];
    weft_layout_drop(oldest);
    made.padded = made.grid_axes = 0;
    made.boxes = weft_box_list_new(ranks);
    made.boxes->box = weft_new((size_t)ranks, sizeof(weft_box), "boxes");
    for (int rank = 0; rank < ranks; rank++) {
        weft_layout_box(layout, rank, &made.boxes->box[rank]);
        made.boxes->first[rank + 1] = rank + 1;
    }
    for (int axis = 0; axis < layout->axes; axis++)
        made.axis[axis].grid_axis = -1;
    *layout = *oldest = made;
}

/* The coordinate that has an index, its number of indices, and the place of the index among them.
 */
typedef struct {
    int coordinate;
    ptrdiff_t count, place;
} dealt;

static dealt deal(const weft_layout *layout, int axis, const ptrdiff_t *point)
{
    const ptrdiff_t index = point[axis];
    const weft_axis *it = &layout->axis[axis];
    int parts = it->grid_axis < 0 ? 1 : layout->grid[it->grid_axis];
    ptrdiff_t given = 0, block = it->block;
    dealt d = {0, 0, 0};

    if (layout->boxes) {
        const weft_span *span = &layout->boxes->box[holder_of(layout, point)].span[axis];
        return (dealt){0, span->count, index - span->start};
    }
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

static bool is_within(const weft_box *box, int axes, const ptrdiff_t *index)
{
    for (int a = 0; a < axes; a++)
        if (index[a] < box->span[a].start || index[a] >= box->span[a].start + box->span[a].count)
            return false;
    return true;
}

int holder_of(const weft_layout *layout, const ptrdiff_t *index)
{
    int coordinate[WEFT_MAX_AXES] = {0}, rank = 0;
    while (layout->boxes && !is_within(&layout->boxes->box[rank], layout->axes, index))
        rank++;
    for (int a = 0; a < layout->axes; a++)
        if (layout->axis[a].grid_axis >= 0)
            coordinate[layout->axis[a].grid_axis] = deal(layout, a, index).coordinate;
    for (int g = 0; g < layout->grid_axes; g++)
        rank = rank * layout->grid[g] + coordinate[g];
    return rank;
}

ptrdiff_t place_of(const weft_layout *layout, const ptrdiff_t *index)
{
    ptrdiff_t place = 0;

    for (int i = 0; i < layout->axes; i++) {
        int a = layout->order[i];
        dealt d = deal(layout, a, index);

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
