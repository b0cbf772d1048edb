/* SPDX-License-Identifier: BSD-3-Clause */
#include "backends/exchange/layout.h"

#include <stdlib.h>
#include <string.h>
#include "kernels/base/digest.h"
#include "kernels/base/memory.h"

void weft_layout_init(weft_layout *layout, int axes, const ptrdiff_t *size, ptrdiff_t howmany)
{
    memset(layout, 0, sizeof *layout);
    layout->axes = axes;
    layout->howmany = howmany;
    for (int a = 0; a < axes && a < WEFT_MAX_AXES; a++) {
        layout->axis[a].size = size[a];
        layout->axis[a].grid_axis = -1;
        layout->order[a] = a;
    }
}

weft_box_list *weft_box_list_new(int ranks)
{
    const size_t first = ((size_t)ranks + 1) * sizeof(int);
    weft_box_list *list = weft_new(1, sizeof *list + first, "the boxes of all ranks");

    if (list) {
        list->references = 1;
        list->ranks = ranks;
    }
    return list;
}

void weft_layout_keep(const weft_layout *layout)
{
    if (layout->boxes)
        atomic_fetch_add(&layout->boxes->references, 1);
    if (layout->enclosing)
        atomic_fetch_add(&layout->enclosing->references, 1);
}

static void drop(weft_box_list *list)
{
    if (!list || atomic_fetch_sub(&list->references, 1) > 1)
        return;
    free(list->box);
    free(list->enclosing);
    free(list);
}

void weft_layout_drop(const weft_layout *layout)
{
    drop(layout->boxes);
    drop(layout->enclosing);
}

weft_span weft_cut_span(weft_span span, int parts, int part)
{
    const ptrdiff_t least = span.count / parts, more = span.count % parts;
    const ptrdiff_t start = part * least + (part < more ? part : more);

    return (weft_span){span.start + start, least + (part < more)};
}

void weft_contiguous(int axes, const ptrdiff_t *count, ptrdiff_t *stride)
{
    ptrdiff_t step = 1;

    for (int i = axes - 1; i >= 0; i--) {
        stride[i] = step;
        step *= count[i];
    }
}

static int extent(const weft_layout *layout, int axis)
{
    int dimension = layout->axis[axis].grid_axis;

    return dimension < 0 ? 1 : layout->grid[dimension];
}

/* The position of an axis among the joined axes; 0 for the first and when the axis is not joined.
 */
static int joined_place(const weft_layout *layout, int axis)
{
    for (int i = 1; i < layout->joined; i++)
        if (layout->order[i] == axis)
            return i;
    return 0;
}

/* The number of rows that the joined axes from the i-th on have together. */
static ptrdiff_t rows_from(const weft_layout *layout, int i)
{
    ptrdiff_t rows = 1;

    for (; i < layout->joined; i++)
        rows *= layout->axis[layout->order[i]].size;
    return rows;
}

/* The number of indices to divide along an axis; for the first joined axis, all rows. */
static ptrdiff_t dividend(const weft_layout *layout, int axis)
{
    if (layout->joined > 1 && axis == layout->order[0])
        return rows_from(layout, 0);
    return layout->axis[axis].size;
}

/* floor(size at / parts), computed without overflow. */
static ptrdiff_t even_start(ptrdiff_t size, int parts, int at)
{
    return size / parts * at + size % parts * at / parts;
}

/* The coordinate whose part contains `index`: the last part that begins at or before it. */
static int even_owner(ptrdiff_t size, int parts, ptrdiff_t index)
{
    int low = 0, high = parts; /* the result is in [low, high) */

    while (high - low > 1) {
        int middle = low + (high - low) / 2;

        if (even_start(size, parts, middle) <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The block size: indices per coordinate, of which the last non-empty coordinate may get fewer.
 * Never 0. */
static ptrdiff_t block_of(const weft_layout *layout, int axis)
{
    const weft_axis *it = &layout->axis[axis];
    int parts = extent(layout, axis);
    ptrdiff_t block = it->block > 0 ? it->block : it->size / parts + (it->size % parts != 0);

    return block > 0 ? block : 1;
}

/* The span of an axis that grid coordinate `at` owns. */
static weft_span part(const weft_layout *layout, int axis, int at)
{
    const weft_axis *it = &layout->axis[axis];
    weft_span span = {0, dividend(layout, axis)};
    int parts = extent(layout, axis);

    if (it->grid_axis < 0)
        return joined_place(layout, axis) > 0 ? (weft_span){0, 1} : span;
    if (it->rule == WEFT_BALANCED)
        return weft_cut_span(span, parts, at);
    if (it->rule == WEFT_EVENLY) {
        span.start = even_start(span.count, parts, at);
        span.count = even_start(span.count, parts, at + 1) - span.start;
        return span;
    }
    ptrdiff_t block = block_of(layout, axis);
    span.start = at > it->size / block ? it->size : at * block;
    span.count = it->size - span.start < block ? it->size - span.start : block;
    return span;
}

/* The grid coordinate that owns an index of an axis. */
static int owner_of(const weft_layout *layout, int axis, ptrdiff_t index)
{
    const weft_axis *it = &layout->axis[axis];
    int parts = extent(layout, axis);

    if (it->grid_axis < 0)
        return 0;
    if (it->rule == WEFT_BALANCED) {
        ptrdiff_t least = it->size / parts, more = it->size % parts;
        ptrdiff_t turn = more * (least + 1); /* from this index on, parts have `least` indices */

        return (int)(index < turn ? index / (least + 1) : more + (index - turn) / least);
    }
    if (it->rule == WEFT_EVENLY)
        return even_owner(dividend(layout, axis), parts, index);
    return (int)(index / block_of(layout, axis));
}

ptrdiff_t weft_layout_block(const weft_layout *layout)
{
    for (int axis = 0; axis < layout->axes; axis++)
        if (layout->axis[axis].grid_axis >= 0 && layout->axis[axis].rule == WEFT_BLOCKS)
            return layout->axis[axis].block;
    return 0;
}

/* One box that stands for a rank's list of boxes and has the same number of points. */
static weft_box substitute_box(const weft_layout *layout, int rank)
{
    const weft_box_list *boxes = layout->boxes;
    weft_box heap = {{{0, 0}}};

    for (int a = 1; a < layout->axes; a++)
        heap.span[a].count = 1;
    for (int i = boxes->first[rank]; i < boxes->first[rank + 1]; i++)
        heap.span[0].count += weft_box_points(layout->axes, &boxes->box[i]);
    return heap;
}

void weft_layout_box(const weft_layout *layout, int rank, weft_box *box)
{
    int at[WEFT_MAX_AXES];

    memset(box, 0, sizeof *box);
    if (layout->boxes) {
        *box = layout->boxes->several ? substitute_box(layout, rank) : layout->boxes->box[rank];
        return;
    }
    for (int g = layout->grid_axes - 1; g >= 0; g--) {
        at[g] = rank % layout->grid[g];
        rank /= layout->grid[g];
    }
    if (rank != 0)
        return; /* the rank is beyond the grid */
    for (int a = 0; a < layout->axes; a++) {
        int dimension = layout->axis[a].grid_axis;

        box->span[a] = part(layout, a, dimension < 0 ? 0 : at[dimension]);
    }
}

bool weft_layout_is_single(const weft_layout *layout)
{
    return !(layout->boxes && layout->boxes->several) && layout->joined <= 1;
}

bool weft_layout_is_regular(const weft_layout *layout)
{
    return !layout->boxes && layout->joined <= 1;
}

const ptrdiff_t *weft_layout_enclosing(const weft_layout *layout, int rank)
{
    const weft_box_list *around = layout->enclosing;

    if (!around || around->first[rank] == around->first[rank + 1])
        return NULL;
    return around->enclosing + (ptrdiff_t)around->first[rank] * 2 * layout->axes;
}

weft_boxes weft_boxes_of(const weft_layout *layout, int rank)
{
    weft_boxes boxes = {.layout = layout, .end = 1};

    weft_layout_box(layout, rank, &boxes.whole);
    boxes.next_enclosing = weft_layout_enclosing(layout, rank);
    if (layout->joined > 1) {
        const weft_span rows = boxes.whole.span[layout->order[0]];

        boxes.next = rows.start;
        boxes.end = rows.start + rows.count;
    } else if (layout->boxes) {
        boxes.next = layout->boxes->first[rank];
        boxes.end = layout->boxes->first[rank + 1];
    }
    return boxes;
}

/* The number of indices of an axis for which memory is allocated. */
static ptrdiff_t stored(const weft_layout *layout, const weft_box *box, int axis)
{
    return axis == layout->axes - 1 && layout->padded > 0 ? layout->padded : box->span[axis].count;
}

/* The elements of a box in memory, or of its enclosing array if it has one. */
static ptrdiff_t elements_in(const weft_layout *layout, const weft_box *box,
                             const ptrdiff_t *enclosing)
{
    ptrdiff_t elements = layout->howmany;

    if (weft_box_empty(layout->axes, box))
        return 0;
    for (int a = 0; a < layout->axes; a++)
        elements *= enclosing ? enclosing[a] : stored(layout, box, a);
    return elements;
}

ptrdiff_t weft_layout_elements(const weft_layout *layout, const weft_box *box)
{
    return elements_in(layout, box, NULL);
}

ptrdiff_t weft_layout_place(const weft_layout *layout, const weft_box *box,
                            const ptrdiff_t *enclosing, ptrdiff_t *stride)
{
    ptrdiff_t step = layout->howmany, offset = 0;

    for (int i = layout->axes - 1; i >= 0; i--) {
        int a = layout->order[i];

        stride[a] = step;
        offset += enclosing ? enclosing[layout->axes + a] * step : 0;
        step *= enclosing ? enclosing[a] : stored(layout, box, a);
    }
    return offset;
}

/* Sets the largest box that begins at `row` and ends before `end`: one index along each joined axis
 * before the axis `along`, a range along `along`, and all indices after. Returns the rows in the
 * box. */
static ptrdiff_t take_rows(const weft_layout *layout, ptrdiff_t row, ptrdiff_t end, weft_box *box)
{
    int along = 0;
    ptrdiff_t step = rows_from(layout, 1), count;

    while (row % step != 0 || end - row < step)
        step = rows_from(layout, ++along + 1);
    for (int i = 0; i < layout->joined; i++) {
        const int axis = layout->order[i];
        const ptrdiff_t size = layout->axis[axis].size;
        const ptrdiff_t at = row / rows_from(layout, i + 1) % size;

        count = (end - row) / step < size - at ? (end - row) / step : size - at;
        box->span[axis] = i < along    ? (weft_span){at, 1}
                          : i == along ? (weft_span){at, count}
                                       : (weft_span){0, size};
    }
    return box->span[layout->order[along]].count * step;
}

bool weft_boxes_next(weft_boxes *boxes, weft_box *box)
{
    const weft_layout *layout = boxes->layout;

    while (boxes->next < boxes->end) {
        *box = layout->boxes ? layout->boxes->box[boxes->next] : boxes->whole;
        boxes->next += layout->joined > 1 ? take_rows(layout, boxes->next, boxes->end, box) : 1;
        if (weft_box_empty(layout->axes, box))
            continue;
        boxes->enclosing = boxes->next_enclosing;
        boxes->offset = boxes->after;
        boxes->after += elements_in(layout, box, boxes->enclosing);
        if (boxes->enclosing)
            boxes->next_enclosing += 2 * layout->axes;
        return true;
    }
    return false;
}

void weft_layout_set_rows(weft_layout *layout, const int *order, int ranks)
{
    ptrdiff_t rows = 1;

    for (int a = 0; a < layout->axes; a++) {
        layout->axis[a].grid_axis = -1;
        layout->order[a] = order[a];
    }
    layout->joined = 0;
    while (layout->joined == 0 || (rows < ranks && layout->joined < layout->axes - 1))
        rows *= layout->axis[order[layout->joined++]].size;
    if (layout->joined == 1)
        layout->joined = 0;
    layout->grid_axes = 1;
    layout->grid[0] = ranks;
    layout->axis[order[0]].grid_axis = 0;
    layout->axis[order[0]].rule = WEFT_EVENLY;
}

bool weft_layout_meets(const weft_layout *layout, int axis, weft_span span, int *first, int *last)
{
    span = weft_span_intersect(span, (weft_span){0, dividend(layout, axis)});
    if (span.count == 0)
        return false;
    *first = owner_of(layout, axis, span.start);
    *last = owner_of(layout, axis, span.start + span.count - 1);
    return true;
}

bool weft_box_empty(int axes, const weft_box *box)
{
    for (int a = 0; a < axes; a++)
        if (box->span[a].count <= 0)
            return true;
    return false;
}

ptrdiff_t weft_box_points(int axes, const weft_box *box)
{
    ptrdiff_t points = 1;

    for (int a = 0; a < axes; a++)
        points *= box->span[a].count;
    return points;
}

weft_span weft_span_intersect(weft_span a, weft_span b)
{
    const ptrdiff_t start = a.start > b.start ? a.start : b.start;
    const ptrdiff_t a_end = a.start + a.count, b_end = b.start + b.count;
    const ptrdiff_t count = (a_end < b_end ? a_end : b_end) - start;

    return (weft_span){start, count > 0 ? count : 0};
}

weft_span weft_span_around(weft_span a, weft_span b)
{
    const ptrdiff_t start = a.start < b.start ? a.start : b.start;
    const ptrdiff_t a_end = a.start + a.count, b_end = b.start + b.count;
    return (weft_span){start, (a_end > b_end ? a_end : b_end) - start};
}

bool weft_box_intersect(int axes, const weft_box *a, const weft_box *b, weft_box *common)
{
    for (int i = 0; i < axes; i++) {
        common->span[i] = weft_span_intersect(a->span[i], b->span[i]);
        if (common->span[i].count <= 0)
            return false;
    }
    return true;
}

static uint64_t boxes_digest(const weft_layout *layout)
{
    const weft_box_list *boxes = layout->boxes;
    uint64_t digest = WEFT_DIGEST;

    if (!boxes)
        return 0;
    for (int rank = 0; boxes->several && rank < boxes->ranks; rank++)
        digest = weft_digest(digest, boxes->first[rank + 1]);
    for (int box = 0; box < boxes->first[boxes->ranks]; box++)
        for (int a = 0; a < layout->axes; a++) {
            const weft_span *span = &boxes->box[box].span[a];

            digest = weft_digest(weft_digest(digest, span->start), span->count);
        }
    return (digest >> 1) | 1;
}

unsigned long long weft_layout_digest(const weft_layout *layout)
{
    const weft_box_list *around = layout->enclosing;
    uint64_t digest = boxes_digest(layout);

    digest = weft_digest(weft_digest(digest, layout->howmany), layout->padded);
    digest = weft_digest(digest, layout->joined);
    for (int a = 0; a < layout->axes; a++) {
        const weft_axis *axis = &layout->axis[a];

        digest = weft_digest(weft_digest(digest, axis->grid_axis + 1), extent(layout, a));
        digest = weft_digest(weft_digest(digest, axis->rule), axis->block);
        digest = weft_digest(weft_digest(digest, axis->size), layout->order[a]);
    }
    for (int i = 0; around && i < around->first[around->ranks] * 2 * layout->axes; i++)
        digest = weft_digest(digest, around->enclosing[i]);
    return digest;
}
