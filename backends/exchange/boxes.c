/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of boxes. The boxes of a program must tile the array: each box is inside the array, no
 * two share a point, and together they have as many points as the array. To find overlaps, the
 * boxes are sorted by their start along the first axis, and each is compared only with the boxes
 * that begin before it ends.
 *
 * Most lists that programs pass are grids, whose dimensions may divide any axes in any order. With
 * a grid, boxes are found by arithmetic, and passes can write and read messages directly. The step
 * of a grid dimension is the distance between two ranks that differ by one in that coordinate. For
 * each axis, the step is the first rank whose box starts elsewhere along the axis than the box of
 * rank 0:
 *
 *     starts of 2 x 3 boxes     0 0   0 4   0 8   5 0   5 4   5 8
 *     steps: of axis 1                1, of axis 0      3          extents 3 / 1, 6 / 3
 */
#include "backends/exchange/layout.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "kernels/base/memory.h"

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

static bool inside(const weft_layout *layout, const owned *it)
{
    for (int a = 0; a < layout->axes; a++) {
        const weft_span *span = &it->box->span[a];
        const ptrdiff_t size = layout->axis[a].size;

        if (span->start < 0 || span->count < 0 || span->start > size ||
            span->count > size - span->start)
            return weft_error(
                "the box of rank %d has %td indices from index %td on along axis %d, but "
                "this axis has only %td indices",
                it->rank, span->count, span->start, a, size);
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
            if (weft_box_intersect(layout->axes, list[i].box, list[j].box, &common))
                return weft_error("the boxes of ranks %d and %d overlap", list[i].rank,
                                  list[j].rank);
        }
    }
    return true;
}

/* Lists the boxes that are not empty with their owners, and sets their number. Returns false, with
 * an error, if a box is not inside the array. */
static bool gather(const weft_layout *layout, owned *list, int *count)
{
    const weft_box_list *boxes = layout->boxes;
    *count = 0;
    for (int box = 0, rank = 0; box < boxes->first[boxes->ranks]; box++) {
        while (boxes->first[rank + 1] <= box)
            rank++;
        list[*count] = (owned){&boxes->box[box], rank};
        if (!inside(layout, &list[*count]))
            return false;
        *count += !weft_box_empty(layout->axes, &boxes->box[box]);
    }
    return true;
}

bool weft_boxes_tile(const weft_layout *layout)
{
    const int boxes = layout->boxes->first[layout->boxes->ranks];
    owned *list = weft_new((size_t)boxes, sizeof *list, "a list of boxes");
    ptrdiff_t covered = 0, all = 1;
    int count;
    bool ok = list && gather(layout, list, &count);

    if (ok) {
        qsort(list, (size_t)count, sizeof *list, by_start);
        ok = apart(layout, list, count);
    }
    for (int i = 0; ok && i < count; i++)
        covered += weft_box_points(layout->axes, list[i].box);
    for (int a = 0; a < layout->axes; a++)
        all *= layout->axis[a].size;
    if (ok && covered != all)
        ok = weft_error("the boxes leave a hole: they contain %td of %td points", covered, all);
    free(list);
    return ok;
}

/* The first rank whose non-empty box starts elsewhere along `axis` than the box of rank 0; 0: none.
 */
static int step_of(const weft_layout *layout, int axis)
{
    const weft_box *box = layout->boxes->box;
    for (int rank = 1; rank < layout->boxes->ranks; rank++)
        if (!weft_box_empty(layout->axes, &box[rank]) &&
            box[rank].span[axis].start != box[0].span[axis].start)
            return rank;
    return 0;
}

/* Sets the dimensions of the grid, the one with the largest step first. Returns false when the
 * steps do not fit a grid. */
static bool find_grid(const weft_layout *layout, weft_layout *grid)
{
    int whole = layout->boxes->ranks;
    for (;;) {
        int step = 0, divided = 0;
        for (int axis = 0; axis < layout->axes; axis++) {
            const int its = step_of(layout, axis);
            if (its > step && its < whole) {
                step = its;
                divided = axis;
            }
        }
        if (step == 0)
            return whole == 1;
        if (whole % step != 0)
            return false;
        grid->axis[divided].grid_axis = grid->grid_axes;
        grid->grid[grid->grid_axes++] = whole / step;
        whole = step;
    }
}

/* Whether the listed boxes equal the grid's boxes along an axis. */
static bool agrees(const weft_layout *layout, const weft_layout *grid, int axis)
{
    for (int rank = 0; rank < layout->boxes->ranks; rank++) {
        weft_box box;
        const weft_box *mine = &layout->boxes->box[rank];
        weft_layout_box(grid, rank, &box);
        if (!weft_box_empty(layout->axes, mine) &&
            (box.span[axis].start != mine->span[axis].start ||
             box.span[axis].count != mine->span[axis].count))
            return false;
    }
    return true;
}

static bool find_rule(const weft_layout *layout, weft_layout *grid, int axis)
{
    static const weft_rule rules[] = {WEFT_BALANCED, WEFT_EVENLY, WEFT_BLOCKS};
    const ptrdiff_t block = layout->boxes->box[0].span[axis].count;
    for (int i = 0; i < 3; i++) {
        grid->axis[axis].rule = rules[i];
        grid->axis[axis].block = rules[i] == WEFT_BLOCKS ? block : 0;
        if (agrees(layout, grid, axis))
            return true;
    }
    return false;
}

void weft_layout_simplify(weft_layout *layout)
{
    weft_layout grid = *layout;
    const weft_box_list *list = layout->boxes;
    weft_box box;
    if (!list || list->several || weft_box_empty(layout->axes, &list->box[0]))
        return;
    grid.boxes = NULL;
    if (!find_grid(layout, &grid))
        return;
    for (int axis = 0; axis < layout->axes; axis++)
        if (!find_rule(layout, &grid, axis))
            return;
    for (int rank = 0; rank < list->ranks; rank++) {
        weft_layout_box(&grid, rank, &box);
        if (weft_box_empty(layout->axes, &box) != weft_box_empty(layout->axes, &list->box[rank]))
            return;
    }
    *layout = grid;
}

/* Enclosing arrays: sizes of the larger arrays in which boxes are stored, and copies without the
 * elements around the boxes. */

ptrdiff_t weft_layout_local_elements(const weft_layout *layout, int rank)
{
    weft_boxes boxes = weft_boxes_of(layout, rank);
    weft_box box;

    while (weft_boxes_next(&boxes, &box))
        ;
    return boxes.after;
}

bool weft_layout_same_boxes(const weft_layout *a, const weft_layout *b, int ranks)
{
    bool same = true;
    for (int rank = 0; same && rank < ranks; rank++) {
        weft_boxes mine = weft_boxes_of(a, rank), theirs = weft_boxes_of(b, rank);
        weft_box x, y;
        for (bool more = true; same && more;) {
            more = weft_boxes_next(&mine, &x);
            same = weft_boxes_next(&theirs, &y) == more && (!more || !memcmp(&x, &y, sizeof x));
        }
    }
    return same;
}

/* The smaller of `least` and the largest element size in bytes for which the size of every rank's
 * enclosing arrays fits in ptrdiff_t. */
static ptrdiff_t limit_element(const weft_layout *layout, ptrdiff_t least)
{
    const weft_box_list *around = layout->enclosing;
    for (int rank = 0; around && rank < around->ranks; rank++) {
        const int boxes = around->first[rank + 1] - around->first[rank];
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
