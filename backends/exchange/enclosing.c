/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the sizes of the larger enclosing arrays in which boxes are stored, and copies boxes
 * without the elements around them. */
#include <stdint.h>
#include <string.h>
#include "backends/exchange/layout.h"

const ptrdiff_t *weft_layout_enclosing(const weft_layout *layout, int rank)
{
    if (!layout->enclosing || layout->first_enclosing[rank] == layout->first_enclosing[rank + 1])
        return NULL;
    return layout->enclosing + (ptrdiff_t)layout->first_enclosing[rank] * 2 * layout->axes;
}

ptrdiff_t weft_layout_local_elements(const weft_layout *layout, int rank)
{
    weft_boxes boxes = weft_boxes_of(layout, rank);
    weft_box box;

    if (!layout->enclosing)
        return weft_layout_elements(layout, &boxes.whole);
    while (weft_boxes_next(&boxes, &box))
        ;
    return boxes.after;
}

/* The smaller of `least` and the largest element size in bytes for which the size of every rank's
 * enclosing arrays fits in ptrdiff_t. */
static ptrdiff_t limit_element(const weft_layout *layout, ptrdiff_t least)
{
    for (int rank = 0; layout->enclosing && rank < layout->enclosing_ranks; rank++) {
        const int boxes = layout->first_enclosing[rank + 1] - layout->first_enclosing[rank];
        const ptrdiff_t *enclosing = weft_layout_enclosing(layout, rank);

        for (int i = 0; i < boxes; i++, enclosing += 2 * layout->axes) {
            ptrdiff_t left = PTRDIFF_MAX / boxes / (layout->howmany > 1 ? layout->howmany : 1);

            for (int a = 0; a < layout->axes; a++)
                left /= enclosing[a];
            least = left < least ? left : least;
        }
    }
    return least;
}

size_t weft_layout_largest_element(const weft_layout *layout)
{
    ptrdiff_t enclosing = PTRDIFF_MAX;

    if (layout->howmany > 1)
        enclosing /= layout->howmany;
    for (int a = 0; a < layout->axes; a++) {
        bool padded = a == layout->axes - 1 && layout->padded > 0;
        ptrdiff_t size = padded ? layout->padded : layout->axis[a].size;

        if (size > 1)
            enclosing /= size;
    }
    return (size_t)limit_element(layout, enclosing);
}

/* Advances `index` and the offset *at to the next row of a box; rows are along the fastest axis in
 * memory. Returns false after the last row. */
static bool next_row(const weft_layout *layout, const weft_box *box, const ptrdiff_t *stride,
                     ptrdiff_t *index, ptrdiff_t *at)
{
    for (int i = layout->axes - 2; i >= 0; i--) {
        const int axis = layout->order[i];

        *at += stride[axis];
        if (++index[i] < box->span[axis].count)
            return true;
        *at -= index[i] * stride[axis];
        index[i] = 0;
    }
    return false;
}

void weft_layout_fill(const weft_layout *layout, int rank, size_t element, const void *from,
                      void *to)
{
    weft_boxes boxes = weft_boxes_of(layout, rank);
    weft_box box;
    ptrdiff_t stride[WEFT_MAX_AXES];

    while (weft_boxes_next(&boxes, &box)) {
        ptrdiff_t index[WEFT_MAX_AXES] = {0},
                  at = boxes.offset + weft_layout_place(layout, &box, boxes.enclosing, stride);
        const ptrdiff_t row = box.span[layout->order[layout->axes - 1]].count * layout->howmany;

        do {
            const size_t begin = (size_t)at * element, bytes = (size_t)row * element;

            if (from)
                memcpy((char *)to + begin, (const char *)from + begin, bytes);
            else
                memset((char *)to + begin, 0, bytes);
        } while (next_row(layout, &box, stride, index, &at));
    }
}
