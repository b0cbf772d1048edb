/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Boxes that tile an array: each lies within it, no two share a point, and together they have as
 * many points as it has. Boxes are compared in the order of their starts along the first axis, each
 * with those only that begin before it ends.
 */
#include <stdint.h>
#include <stdlib.h>
#include "backends/exchange/boxes.h"
#include "kernels/base/error.h"

typedef struct {
    const weft_box *box;
    int rank;
} owned;

static int by_start(const void *a, const void *b)
{
    const owned *x = a, *y = b;
    const ptrdiff_t s = x->box->span[0].start, t = y->box->span[0].start;

    return s != t ? (s > t) - (s < t) : (x->rank > y->rank) - (x->rank < y->rank);
}

/* The box lies in the array. */
static bool inside(const weft_layout *layout, int rank)
{
    for (int a = 0; a < layout->axes; a++) {
        const weft_span *span = &layout->box[rank].span[a];
        const ptrdiff_t size = layout->axis[a].size;

        if (span->start < 0 || span->count < 0 || span->start > size ||
            span->count > size - span->start) {
            weft_error("rank %d's box holds %td indices from %td on along axis %d, which has %td",
                       rank, span->count, span->start, a, size);
            return false;
        }
    }
    return true;
}

static bool apart(const weft_layout *layout, const owned *list, int count)
{
    weft_box common;

    for (int i = 0; i < count; i++) {
        const weft_span *span = &list[i].box->span[0];

        for (int j = i + 1; j < count; j++) {
            if (list[j].box->span[0].start >= span->start + span->count)
                break;
            if (weft_box_intersect(layout->axes, list[i].box, list[j].box, &common)) {
                weft_error("the boxes of ranks %d and %d overlap", list[i].rank, list[j].rank);
                return false;
            }
        }
    }
    return true;
}

static ptrdiff_t points(const weft_layout *layout, const weft_box *box)
{
    ptrdiff_t product = 1;

    for (int a = 0; a < layout->axes; a++)
        product *= box ? box->span[a].count : layout->axis[a].size;
    return product;
}

/* Lists the boxes that hold anything; how many. */
static int gather(const weft_layout *layout, owned *list)
{
    int count = 0;

    for (int rank = 0; rank < layout->boxes; rank++)
        if (!weft_box_empty(layout->axes, &layout->box[rank]))
            list[count++] = (owned){&layout->box[rank], rank};
    return count;
}

bool weft_boxes_tile(const weft_layout *layout, int ranks)
{
    ptrdiff_t covered = 0;
    owned *list;
    int count;
    bool ok;

    if (layout->boxes != ranks || layout->grid_axes != 0 || layout->padded != 0) {
        weft_error("a layout of %d boxes on %d ranks, with a grid of %d dimensions or padding",
                   layout->boxes, ranks, layout->grid_axes);
        return false;
    }
    for (int rank = 0; rank < ranks; rank++)
        if (!inside(layout, rank))
            return false;
    list = malloc((size_t)ranks * sizeof *list);
    if (list == NULL) {
        weft_error("no memory to compare %d boxes", ranks);
        return false;
    }
    count = gather(layout, list);
    qsort(list, (size_t)count, sizeof *list, by_start);
    ok = apart(layout, list, count);
    for (int i = 0; ok && i < count; i++)
        covered += points(layout, list[i].box);
    if (ok && covered != points(layout, NULL)) {
        weft_error("the boxes leave a hole: they hold %td of %td points", covered,
                   points(layout, NULL));
        ok = false;
    }
    free(list);
    return ok;
}

/* Of FNV-1a, but for whole numbers. */
static uint64_t with(uint64_t digest, ptrdiff_t number)
{
    return (digest ^ (uint64_t)number) * 1099511628211u;
}

ptrdiff_t weft_boxes_digest(const weft_layout *layout)
{
    uint64_t digest = 14695981039346656037u;

    if (layout->box == NULL)
        return 0;
    for (int rank = 0; rank < layout->boxes; rank++)
        for (int a = 0; a < layout->axes; a++) {
            const weft_span *span = &layout->box[rank].span[a];

            digest = with(with(digest, span->start), span->count);
        }
    return (ptrdiff_t)(digest >> 1) | 1;
}

unsigned long long weft_layout_digest(const weft_layout *layout)
{
    uint64_t digest = (uint64_t)weft_boxes_digest(layout);

    for (int a = 0; a < layout->axes; a++) {
        const weft_axis *axis = &layout->axis[a];
        const int parts = axis->grid_axis < 0 ? 1 : layout->grid[axis->grid_axis];

        digest = with(with(digest, axis->grid_axis + 1), parts);
        digest = with(with(digest, axis->rule), axis->block);
    }
    return digest;
}
