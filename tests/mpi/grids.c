/* SPDX-License-Identifier: BSD-3-Clause */
/* What each rank has of a transform on a grid. */
#include <stdio.h>
#include <string.h>
#include "tests/mpi/grids.h"

int grids_sort(const grids_case *it)
{
    const int last = it->kind[it->rank - 1];
    if (last == WEFT_DFT_R2C || last == WEFT_DFT_C2R)
        return last;
    for (int axis = 0; axis < it->rank; axis++)
        if (it->kind[axis] == WEFT_DFT_FORWARD || it->kind[axis] == WEFT_DFT_BACKWARD)
            return it->kind[axis];
    return WEFT_R2R;
}

static bool real_side(const grids_case *it, bool out)
{
    const int sort = grids_sort(it);
    return sort == WEFT_R2R || sort == (out ? WEFT_DFT_C2R : WEFT_DFT_R2C);
}

static bool halved(const grids_case *it)
{
    return grids_sort(it) == WEFT_DFT_R2C || grids_sort(it) == WEFT_DFT_C2R;
}

static ptrdiff_t length(const grids_case *it, bool out, bool real, int axis)
{
    const ptrdiff_t length = out && it->modes[axis] ? it->modes[axis] : it->n[axis];
    return halved(it) && !real && axis == it->rank - 1 ? length / 2 + 1 : length;
}

/* How a side is aligned: whether dimension g of the grid divides axis g + 1. */
static bool first(const grids_case *it, bool out)
{
    const int sort = grids_sort(it);
    const bool back = sort == WEFT_DFT_BACKWARD || sort == WEFT_DFT_C2R;
    if (it->flags & WEFT_SAME_LAYOUT)
        return false;
    return (back != (bool)(it->flags & WEFT_REVERSED)) != out;
}

static void deal(ptrdiff_t n, int parts, int at, bool blocks, ptrdiff_t *start, ptrdiff_t *count)
{
    *start = 0;
    for (int i = 0;; i++) {
        *count = n / parts + (i < n % parts);
        if (blocks)
            *count = (n + parts - 1) / parts < n - *start ? (n + parts - 1) / parts : n - *start;
        if (i == at)
            return;
        *start += *count;
    }
}

arrays_part grids_part(const grids_case *it, bool out, int process)
{
    out = out && !it->operates; /* the output is like the input */
    const bool real = real_side(it, out);
    const int shift = first(it, out);
    arrays_part part = {.rank = it->rank, .tuple = it->howmany * (real ? 1 : 2)};
    for (int a = 0; a < it->rank; a++) {
        part.length[a] = part.count[a] = length(it, out, real, a);
        part.order[a] = a;
    }
    for (int i = 0; i < it->dimensions && !(it->flags & WEFT_ROWS); i++) {
        const int g = it->column_major ? i : it->dimensions - 1 - i, a = g + shift;
        deal(length(it, out, real, a), it->dims[g], process % it->dims[g],
             it->flags & WEFT_FFTW_BLOCKS, &part.start[a], &part.count[a]);
        process /= it->dims[g];
    }
    if (shift && it->flags & (out ? WEFT_TRANSPOSED_OUT : WEFT_TRANSPOSED_IN)) {
        for (int i = 0; i < it->dimensions; i++)
            part.order[i] = i + 1;
        part.order[it->dimensions] = 0;
    }
    for (int a = 0; a < it->rank; a++)
        part.stored[a] = part.count[a];
    if (halved(it) && real && !(it->flags & WEFT_UNPADDED))
        part.stored[it->rank - 1] = 2 * (it->n[it->rank - 1] / 2 + 1);
    if (it->flags & WEFT_ROWS)
        grids_take_rows(it, shift, process, &part);
    return part;
}

void grids_describe(const grids_case *it, char *text)
{
    int used = snprintf(text, GRIDS_TEXT, WEFT_PRECISION);
    for (int a = 0; a < it->rank; a++)
        used += snprintf(text + used, (size_t)(GRIDS_TEXT - used), "%s%td:%d", a ? "x" : " ",
                         it->n[a], it->kind[a]);
    for (int g = 0; g < it->dimensions; g++)
        used += snprintf(text + used, (size_t)(GRIDS_TEXT - used), "%s%d", g ? "x" : " on ",
                         it->dims[g]);
    snprintf(text + used, (size_t)(GRIDS_TEXT - used), "%s *%td flags 0x%x%s shared 0x%x %s",
             it->column_major ? " column-major" : "", it->howmany, it->flags,
             it->in_place ? " in place" : "", it->shared, it->backend ? it->backend : "");
    used = (int)strlen(text);
    if (it->operates)
        used += snprintf(text + used, (size_t)(GRIDS_TEXT - used),
                         it->operates == 1 ? " operator" : " factors");
    for (int a = 0; it->modes[0] > 0 && a < it->rank; a++)
        used += snprintf(text + used, (size_t)(GRIDS_TEXT - used), "%s%td", a ? "x" : " modes ",
                         it->modes[a]);
}

/* local_size must say what we computed. */
void grids_check_sizes(const grids_case *it, weft_grid grid, const arrays_part part[2], int process,
                       ptrdiff_t *numbers, char *text)
{
    ptrdiff_t count[2][GRIDS_RANK], start[2][GRIDS_RANK];
    *numbers = WEFT(local_size_process)(process, it->rank, it->n, it->howmany, grid, grids_sort(it),
                                        it->flags, count[0], start[0], count[1], start[1]);
    const ptrdiff_t again = WEFT(local_size)(it->rank, it->n, it->howmany, grid, grids_sort(it),
                                             it->flags, NULL, NULL, NULL, NULL);
    if (*numbers != again || again == 0)
        snprintf(text, GRIDS_TEXT, "local_size says %td and %td: %s", *numbers, again,
                 WEFT(last_error)());
    for (int s = 0; s < 2; s++)
        for (int a = 0; a < it->rank; a++)
            if (count[s][a] != part[s].count[a] ||
                (count[s][a] > 0 && start[s][a] != part[s].start[a]))
                snprintf(text, GRIDS_TEXT, "local_size says %td from %td along axis %d, not %td",
                         count[s][a], start[s][a], a, part[s].count[a]);
}

bool grids_preserves(const grids_case *it)
{
    bool to_real = grids_sort(it) == WEFT_DFT_C2R;
    for (int a = 0; a < it->rank && !it->operates; a++)
        to_real |= it->kind[a] == FFTW_HC2R;
    return !it->in_place && !to_real && !(it->flags & FFTW_DESTROY_INPUT);
}
