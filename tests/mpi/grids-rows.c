/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank holds in rows, from the formula: rank r of P begins at floor(N r / P) of N rows. */
#include <stdio.h>
#include <stdlib.h>
#include "tests/mpi/grids.h"

/* Points of a row, the axes that are not divided. */
static ptrdiff_t line_of(const grids_case *it, const arrays_part *part, int ranks, ptrdiff_t *rows)
{
    ptrdiff_t line = 1;
    int divided = 1;
    *rows = part->length[part->order[0]];
    while (*rows < ranks && divided < it->rank - 1)
        *rows *= part->length[part->order[divided++]];
    while (divided < it->rank)
        line *= part->length[part->order[divided++]];
    return line;
}

void grids_take_rows(const grids_case *it, bool reversed, int process, arrays_part *part)
{
    ptrdiff_t rows;
    int ranks = 1;
    for (int g = 0; g < it->dimensions; g++)
        ranks *= it->dims[g];
    for (int i = 0; i < it->rank; i++)
        part->order[i] = reversed ? it->rank - 1 - i : i;
    const ptrdiff_t line = line_of(it, part, ranks, &rows);
    for (int a = 0; a < it->rank; a++) {
        part->start[a] = 0;
        part->count[a] = 1;
    }
    part->start[0] = rows * process / ranks * line;
    part->count[0] = rows * (process + 1) / ranks * line - part->start[0];
}

/* The place in the whole array, in its natural order, of a point in the order of the part. */
static ptrdiff_t place_of(const arrays_part *part, ptrdiff_t point)
{
    ptrdiff_t index[ARRAYS_RANK], place = 0;
    for (int i = part->rank - 1; i >= 0; i--) {
        index[part->order[i]] = point % part->length[part->order[i]];
        point /= part->length[part->order[i]];
    }
    for (int axis = 0; axis < part->rank; axis++)
        place = place * part->length[axis] + index[axis];
    return place;
}

/* Where the last axis is the fastest it may be padded. */
arrays_map grids_rows_map(const arrays_part *part)
{
    const int fastest = part->order[part->rank - 1];
    const ptrdiff_t length = part->length[fastest],
                    stored = fastest == part->rank - 1 ? part->stored[fastest] : length;
    arrays_map map = {part->count[0] / length * stored * part->tuple, NULL};
    map.global = malloc(sizeof *map.global * (size_t)(map.slots + 1));
    for (ptrdiff_t slot = 0; slot < map.slots; slot++) {
        const ptrdiff_t number = slot / part->tuple, at = number % stored;
        const ptrdiff_t point = part->start[0] + number / stored * length + at;
        map.global[slot] =
            at >= length ? -1 : place_of(part, point) * part->tuple + slot % part->tuple;
    }
    return map;
}

/* Takes the points of a box, in the order of memory, from what the map still has of numbers; false:
 * they are others. */
static bool take_box(const arrays_part *part, const ptrdiff_t *start, const ptrdiff_t *count,
                     const arrays_map *map, ptrdiff_t *slot)
{
    ptrdiff_t points = 1;
    for (int axis = 0; axis < part->rank; axis++)
        points *= count[axis];
    for (ptrdiff_t i = 0; i < points * part->tuple; i++) {
        ptrdiff_t rest = i / part->tuple, index[ARRAYS_RANK], place = 0;
        for (int a = part->rank - 1; a >= 0; a--) {
            const int axis = part->order[a];
            index[axis] = start[axis] + rest % count[axis];
            rest /= count[axis];
        }
        for (int axis = 0; axis < part->rank; axis++)
            place = place * part->length[axis] + index[axis];
        while (*slot < map->slots && map->global[*slot] < 0)
            ++*slot;
        if (*slot == map->slots || map->global[*slot] != place * part->tuple + i % part->tuple)
            return false;
        ++*slot;
    }
    return points > 0;
}

void grids_check_boxes(const grids_case *it, weft_grid grid, const arrays_map side[2], int process,
                       char *text)
{
    enum { MOST = 2 * ARRAYS_RANK };
    ptrdiff_t start[MOST * ARRAYS_RANK], count[MOST * ARRAYS_RANK];
    for (int s = 0; s < 2; s++) {
        const arrays_part part = grids_part(it, s, process);
        ptrdiff_t slot = 0;
        const int boxes = WEFT(local_boxes)(process, it->rank, it->n, grid, grids_sort(it),
                                            it->flags, s, start, count);
        bool same = boxes <= 2 * it->rank - 3;
        for (int i = 0; same && i < boxes; i++)
            same = take_box(&part, start + i * it->rank, count + i * it->rank, &side[s], &slot);
        while (slot < side[s].slots && side[s].global[slot] < 0)
            slot++;
        if (!same || slot != side[s].slots)
            snprintf(text, GRIDS_TEXT, "local_boxes says %d boxes that are not what is held",
                     boxes);
    }
}
