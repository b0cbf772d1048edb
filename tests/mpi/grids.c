/* SPDX-License-Identifier: BSD-3-Clause */
/* Each rank's part of a transform on a grid. In rows a formula gives it: rank r of P begins at row
 * floor(N r / P) of N. Also all possible grids, calls of the functions of weft.h, and random kinds
 * and flags, the same on all ranks. */
#include <stdio.h>
#include <stdlib.h>
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

static bool goes_back(const grids_case *it)
{
    return grids_sort(it) == WEFT_DFT_BACKWARD || grids_sort(it) == WEFT_DFT_C2R;
}

static ptrdiff_t length(const grids_case *it, bool out, bool real, int axis)
{
    const bool spectral = out != goes_back(it);
    const ptrdiff_t length = spectral && it->modes[axis] ? it->modes[axis] : it->n[axis];
    return halved(it) && !real && axis == it->rank - 1 ? length / 2 + 1 : length;
}

/* Whether dimension g of the grid divides axis g + 1 of this side, instead of axis g. */
static bool first(const grids_case *it, bool out)
{
    if (it->flags & WEFT_SAME_LAYOUT)
        return false;
    return (goes_back(it) != (bool)(it->flags & WEFT_REVERSED)) != out;
}

void grids_deal(ptrdiff_t n, int parts, int at, bool blocks, ptrdiff_t *start, ptrdiff_t *count)
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

/* Returns the points of a row: the product of the axes that are not divided. */
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

static void take_rows(const grids_case *it, bool reversed, int process, arrays_part *part)
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

/* The last axis may be padded if it is the fastest. */
arrays_map grids_rows_map(const arrays_part *part)
{
    const int fastest = part->order[part->rank - 1];
    arrays_part all = *part;
    for (int axis = 0; axis < part->rank; axis++) {
        all.start[axis] = 0;
        all.count[axis] = all.stored[axis] = part->length[axis];
    }
    if (fastest == part->rank - 1)
        all.stored[fastest] = part->stored[fastest];
    arrays_map map = arrays_map_of(&all);
    const ptrdiff_t line = all.stored[fastest] * part->tuple, length = part->length[fastest];
    map.slots = part->count[0] / length * line;
    memmove(map.global, map.global + part->start[0] / length * line,
            (size_t)map.slots * sizeof *map.global);
    return map;
}

/* Compares the points of a box, in memory order, with the next numbers of the map. Returns false if
 * they differ. */
static bool take_box(const arrays_part *part, const ptrdiff_t *start, const ptrdiff_t *count,
                     const arrays_map *map, ptrdiff_t *slot)
{
    arrays_part box = *part;
    memcpy(box.start, start, sizeof *start * (size_t)part->rank);
    memcpy(box.count, count, sizeof *count * (size_t)part->rank);
    memcpy(box.stored, count, sizeof *count * (size_t)part->rank);
    const arrays_map held = arrays_map_of(&box);
    bool same = held.slots > 0;
    for (ptrdiff_t i = 0; same && i < held.slots; i++, ++*slot) {
        while (*slot < map->slots && map->global[*slot] < 0)
            ++*slot;
        same = *slot < map->slots && map->global[*slot] == held.global[i];
    }
    free(held.global);
    return same;
}

arrays_part grids_part(const grids_case *it, bool out, int process)
{
    const ptrdiff_t numbers = out && it->operates && it->fields ? it->fields : it->howmany;
    out = out && !it->operates; /* with an operator the output has the layout of the input */
    const bool real = real_side(it, out);
    const int shift = first(it, out);
    arrays_part part = {.rank = it->rank, .tuple = numbers * (real ? 1 : 2)};
    for (int a = 0; a < it->rank; a++) {
        part.length[a] = part.count[a] = length(it, out, real, a);
        part.order[a] = a;
    }
    for (int i = 0; i < it->dimensions && !(it->flags & WEFT_ROWS); i++) {
        const int g = it->column_major ? i : it->dimensions - 1 - i, a = g + shift;
        grids_deal(length(it, out, real, a), it->dims[g], process % it->dims[g],
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
        take_rows(it, shift, process, &part);
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
        used += snprintf(text + used, (size_t)(GRIDS_TEXT - used), "%s:%td",
                         it->operates == 1 ? " operator" : " factors", it->fields);
    for (int a = 0; it->modes[0] > 0 && a < it->rank; a++)
        used += snprintf(text + used, (size_t)(GRIDS_TEXT - used), "%s%td", a ? "x" : " modes ",
                         it->modes[a]);
}

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
            snprintf(text, GRIDS_TEXT, "local_boxes says %d boxes, which differ from the layout's",
                     boxes);
    }
}

bool grids_next(int dimensions, int *dims, int ranks)
{
    int product;
    bool begun = dims[0] > 0;
    for (int g = 0; !begun && g < dimensions; g++)
        dims[g] = 1;
    if (!begun)
        dims[dimensions - 1]--;
    do { /* counts in base `ranks`: slow but simple */
        int g = dimensions - 1;
        while (g >= 0 && dims[g] == ranks)
            dims[g--] = 1;
        if (g < 0)
            return false;
        dims[g]++;
        product = 1;
        for (g = 0; g < dimensions; g++)
            product *= dims[g];
    } while (product != ranks);
    return true;
}

/* Calls the function of this name for the rank and howmany; the last arguments are its own. */
#define PLAN(name, ...)                                                                            \
    (it->howmany != 1                                                                              \
         ? WEFT(plan_many_##name)(it->rank, n, it->howmany, in, out, grid, __VA_ARGS__)            \
     : it->rank == 2 ? WEFT(plan_##name##_2d)(n[0], n[1], in, out, grid, __VA_ARGS__)              \
     : it->rank == 3 ? WEFT(plan_##name##_3d)(n[0], n[1], n[2], in, out, grid, __VA_ARGS__)        \
                     : WEFT(plan_##name)(it->rank, n, in, out, grid, __VA_ARGS__))

FFTW(plan) grids_plan(const grids_case *it, weft_grid grid, void *in, void *out)
{
    const int sort = grids_sort(it);
    const ptrdiff_t *n = it->n;
    FFTW(r2r_kind) r2r[GRIDS_RANK];
    bool pure = true;
    for (int a = 0; a < it->rank - 1; a++) {
        const int plain = sort == WEFT_DFT_R2C   ? WEFT_DFT_FORWARD
                          : sort == WEFT_DFT_C2R ? WEFT_DFT_BACKWARD
                                                 : sort;
        pure = pure && it->kind[a] == plain;
    }
    for (int a = 0; a < it->rank; a++)
        r2r[a] = (FFTW(r2r_kind))it->kind[a];
    if (sort == WEFT_R2R && it->rank == 2 && it->howmany == 1)
        return WEFT(plan_r2r_2d)(n[0], n[1], in, out, grid, r2r[0], r2r[1], it->flags);
    if (sort == WEFT_R2R && it->rank == 3 && it->howmany == 1)
        return WEFT(plan_r2r_3d)(n[0], n[1], n[2], in, out, grid, r2r[0], r2r[1], r2r[2],
                                 it->flags);
    if (sort == WEFT_R2R && it->howmany == 1)
        return WEFT(plan_r2r)(it->rank, n, in, out, grid, r2r, it->flags);
    if (sort == WEFT_R2R)
        return WEFT(plan_many_r2r)(it->rank, n, it->howmany, in, out, grid, r2r, it->flags);
    if (!pure || (sort <= WEFT_DFT_BACKWARD && it->kind[it->rank - 1] != sort))
        return WEFT(plan_many_kinds)(it->rank, n, it->howmany, in, out, grid, it->kind, it->flags);
    if (sort == WEFT_DFT_R2C)
        return PLAN(dft_r2c, it->flags);
    if (sort == WEFT_DFT_C2R)
        return PLAN(dft_c2r, it->flags);
    return PLAN(dft, sort == WEFT_DFT_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD, it->flags);
}

void grids_execute(const grids_case *it, FFTW(plan) plan, void *in, void *out)
{
    extern void FFTW(mpi_execute_dft)(FFTW(plan), FFTW(complex) *, FFTW(complex) *);
    extern void FFTW(mpi_execute_r2r)(FFTW(plan), weft_real *, weft_real *);
    if (grids_sort(it) == WEFT_R2R)
        FFTW(mpi_execute_r2r)(plan, in, out);
    else
        FFTW(mpi_execute_dft)(plan, in, out);
}

static const int r2r[] = {FFTW_REDFT10, FFTW_REDFT01, FFTW_RODFT10, FFTW_R2HC,
                          FFTW_HC2R,    FFTW_DHT,     FFTW_RODFT11, WEFT_NONE};

void grids_any_kinds(grids_case *it, int sort, unsigned *state)
{
    const int last = it->rank - 1;
    for (int a = 0; a <= last; a++) {
        const int real = r2r[arrays_random(state, sizeof r2r / sizeof r2r[0])];
        const bool mix = sort >= GRIDS_MIXED && arrays_random(state, 2);
        it->kind[a] = sort == GRIDS_R2R || mix                      ? real
                      : sort == GRIDS_BACKWARD || sort == GRIDS_C2R ? WEFT_DFT_BACKWARD
                                                                    : WEFT_DFT_FORWARD;
    }
    if (sort == GRIDS_R2C)
        it->kind[last] = WEFT_DFT_R2C;
    if (sort == GRIDS_C2R)
        it->kind[last] = WEFT_DFT_C2R;
    if (sort == GRIDS_MIXED_REAL) {
        const bool back = arrays_random(state, 2);
        it->kind[last] = back ? WEFT_DFT_C2R : WEFT_DFT_R2C;
        for (int a = 0; a < last; a++)
            if (it->kind[a] == WEFT_DFT_FORWARD && back)
                it->kind[a] = WEFT_DFT_BACKWARD;
    }
}

void grids_in_rows(grids_case *it)
{
    it->flags &= ~(unsigned)(WEFT_FFTW_BLOCKS | WEFT_TRANSPOSED_IN | WEFT_TRANSPOSED_OUT);
    it->flags |= WEFT_ROWS;
}

void grids_any_flags(grids_case *it, unsigned *state)
{
    const bool half = halved(it);
    bool back = goes_back(it);
    it->in_place = arrays_random(state, 2);
    it->flags = FFTW_ESTIMATE;
    if (arrays_random(state, 2))
        it->flags |= WEFT_FFTW_BLOCKS;
    if (arrays_random(state, 3) == 0) {
        it->flags |= WEFT_SAME_LAYOUT;
    } else {
        if (!half && arrays_random(state, 4) == 0) {
            it->flags |= WEFT_REVERSED;
            back = !back;
        }
        if (arrays_random(state, 2))
            it->flags |= back ? WEFT_TRANSPOSED_IN : WEFT_TRANSPOSED_OUT;
    }
    if (half && !it->in_place && arrays_random(state, 2))
        it->flags |= WEFT_UNPADDED;
    if (!it->in_place && arrays_random(state, 4) == 0)
        it->flags |= FFTW_DESTROY_INPUT;
    if (arrays_random(state, 8) == 0)
        it->flags |= FFTW_CONSERVE_MEMORY;
}
