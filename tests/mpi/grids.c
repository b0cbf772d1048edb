/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks compute the whole reference, and each compares its part. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/grids-parts.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/twins.h"

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

static ptrdiff_t length(const grids_case *it, bool real, int axis)
{
    return halved(it) && !real && axis == it->rank - 1 ? it->n[axis] / 2 + 1 : it->n[axis];
}

/* Real numbers in the whole array. */
static ptrdiff_t numbers_of(const grids_case *it, bool real)
{
    ptrdiff_t numbers = it->howmany * (real ? 1 : 2);
    for (int axis = 0; axis < it->rank; axis++)
        numbers *= length(it, real, axis);
    return numbers;
}

ptrdiff_t grids_whole(const grids_case *it, bool out)
{
    return numbers_of(it, real_side(it, out));
}

/* Along one axis, in place; of numbers that take `reals` real ones each. */
static void along(const grids_case *it, bool real, int axis, int kind, weft_real *array)
{
    FFTW(iodim64)
    inner = {it->howmany, 1, 1}, outer = {1, 0, 0}, dim = {length(it, real, axis), 1, 1};
    for (int a = axis + 1; a < it->rank; a++)
        inner.n *= length(it, real, a);
    const bool fourier = kind == WEFT_DFT_FORWARD || kind == WEFT_DFT_BACKWARD;
    if (!fourier && !real)
        inner.n *= 2;
    dim.is = dim.os = inner.n;
    outer.is = outer.os = inner.n * dim.n;
    for (int a = 0; a < axis; a++)
        outer.n *= length(it, real, a);
    const FFTW(iodim64) both[2] = {outer, inner};
    FFTW(r2r_kind) r2r = (FFTW(r2r_kind))kind;
    FFTW(complex) *numbers = (FFTW(complex) *)array;
    FFTW(plan)
    plan = fourier ? FFTW(plan_guru64_dft)(1, &dim, 2, both, numbers, numbers,
                                           kind == WEFT_DFT_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD,
                                           FFTW_ESTIMATE)
                   : FFTW(plan_guru64_r2r)(1, &dim, 2, both, array, array, &r2r, FFTW_ESTIMATE);
    FFTW(execute)(plan);
    FFTW(destroy_plan)(plan);
}

/* Real to complex along the last axis. */
static void halve(const grids_case *it, weft_real *real, weft_real *half)
{
    const ptrdiff_t n = it->n[it->rank - 1], many = it->howmany;
    const FFTW(iodim64) dim = {n, many, many}, inner = {many, 1, 1};
    FFTW(iodim64) outer = {1, n * many, (n / 2 + 1) * many};
    for (int a = 0; a < it->rank - 1; a++)
        outer.n *= it->n[a];
    const FFTW(iodim64) both[2] = {outer, inner};
    FFTW(plan)
    plan = FFTW(plan_guru64_dft_r2c)(1, &dim, 2, both, real, (FFTW(complex) *)half,
                                     FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
    FFTW(execute)(plan);
    FFTW(destroy_plan)(plan);
}

static bool is_r2r(int kind)
{
    return kind < WEFT_NONE;
}

/*
 * The whole input and output. Complex to real needs an input with symmetry, so it begins with the
 * real numbers: the input is their transform, the output these numbers times the sizes of the axes.
 */
void grids_compute(const grids_case *it, weft_real *in, weft_real *out)
{
    const int sort = grids_sort(it);
    const bool back = sort == WEFT_DFT_C2R;
    const bool real = real_side(it, true);
    weft_real *from = back ? out : in;
    const ptrdiff_t numbers = numbers_of(it, back || real_side(it, false));
    arrays_noise(from, numbers);
    if (back) {
        halve(it, out, in);
        for (int axis = 0; axis < it->rank - 1; axis++)
            if (it->kind[axis] == WEFT_DFT_BACKWARD)
                along(it, false, axis, WEFT_DFT_FORWARD, in);
        for (int axis = 0; axis < it->rank; axis++)
            for (ptrdiff_t i = 0; i < numbers; i++)
                out[i] *= it->kind[axis] == WEFT_DFT_BACKWARD || it->kind[axis] == WEFT_DFT_C2R
                              ? (weft_real)it->n[axis]
                              : 1;
    } else if (sort == WEFT_DFT_R2C) {
        halve(it, in, out);
    } else {
        memcpy(out, in, sizeof *in * (size_t)numbers);
    }
    for (int axis = 0; axis < it->rank; axis++)
        if (is_r2r(it->kind[axis]) ||
            (!back && (it->kind[axis] == WEFT_DFT_FORWARD || it->kind[axis] == WEFT_DFT_BACKWARD)))
            along(it, real, axis, it->kind[axis], out);
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
    const bool real = real_side(it, out);
    const int shift = first(it, out);
    arrays_part part = {.rank = it->rank, .tuple = it->howmany * (real ? 1 : 2)};
    for (int a = 0; a < it->rank; a++) {
        part.length[a] = part.count[a] = length(it, real, a);
        part.order[a] = a;
    }
    for (int i = 0; i < it->dimensions && !(it->flags & WEFT_ROWS); i++) {
        const int g = it->column_major ? i : it->dimensions - 1 - i, a = g + shift;
        deal(length(it, real, a), it->dims[g], process % it->dims[g], it->flags & WEFT_FFTW_BLOCKS,
             &part.start[a], &part.count[a]);
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
    for (int a = 0; a < it->rank; a++)
        to_real |= it->kind[a] == FFTW_HC2R;
    return !it->in_place && !to_real && !(it->flags & FFTW_DESTROY_INPUT);
}

static void examine(const grids_case *it, const weft_real *const all[2], weft_real largest,
                    const arrays_map side[2], const weft_real *in, const weft_real *out,
                    ptrdiff_t numbers, char *text)
{
    if (!arrays_right(out, &side[1], all[1], largest, text, GRIDS_TEXT))
        return;
    if (grids_preserves(it) && !arrays_unchanged(in, &side[0], all[0], text, GRIDS_TEXT))
        return;
    if (!arrays_guarded(in, numbers) || !arrays_guarded(out, numbers))
        snprintf(text, GRIDS_TEXT, "something was written beyond the allocation");
}

/* Array i of a case. */
static weft_real *new_array(const grids_case *it, int i, ptrdiff_t numbers, MPI_Comm comm, int me)
{
    weft_real *shared = it->shared >> i & 1 ? arrays_shared(numbers, comm) : NULL;
    if (shared && (!(it->shared & 16) || me % 2 == 0))
        return shared;
    arrays_free(shared, 0);
    return arrays_fresh(numbers, 0);
}

static void run(const grids_case *it, weft_grid grid, MPI_Comm comm, int process, char *text)
{
    weft_real *all[2], *array[4];
    arrays_part part[2];
    arrays_map side[2];
    ptrdiff_t numbers = 1;
    for (int s = 0; s < 2; s++) {
        part[s] = grids_part(it, s, process);
        side[s] = it->flags & WEFT_ROWS ? grids_rows_map(&part[s]) : arrays_map_of(&part[s]);
        all[s] = FFTW(malloc)(sizeof **all * (size_t)(grids_whole(it, s) + 1));
    }
    grids_compute(it, all[0], all[1]);
    const weft_real largest = arrays_largest(all[1], grids_whole(it, true));
    grids_check_sizes(it, grid, part, process, &numbers, text);
    if (it->flags & WEFT_ROWS)
        grids_check_boxes(it, grid, side, process, text);
    numbers *= grids_sort(it) == WEFT_R2R ? 1 : 2;
    for (int i = 0; i < 4; i++)
        array[i] = i % 2 && it->in_place ? array[i - 1] : new_array(it, i, numbers, comm, process);
    FFTW(plan)
    plan = grids_plan(it, grid, it->null ? NULL : twin_of(array[0]),
                      it->null ? NULL : twin_of(array[1]));
    if (!plan) {
        snprintf(text, GRIDS_TEXT, "no plan: %s", WEFT(last_error)());
    } else {
        for (int i = 0; i < 2; i++)
            twin_pull(array[i]);
        arrays_fill(array[0], &side[0], all[0]);
        twin_push(array[0]);
        if (it->null)
            grids_execute(it, plan, array[0], array[1]);
        else
            FFTW(execute)(plan);
        for (int i = 0; i < 2; i++)
            twin_pull(array[i]);
        examine(it, (const weft_real *const *)all, largest, side, array[0], array[1], numbers,
                text);
        arrays_fill(array[2], &side[0], all[0]);
        twin_push(array[2]);
        grids_execute(it, plan, twin_of(array[2]), twin_of(array[3]));
        for (int i = 2; i < 4; i++)
            twin_pull(array[i]);
        examine(it, (const weft_real *const *)all, largest, side, array[2], array[3], numbers,
                text);
        FFTW(destroy_plan)(plan);
    }
    for (int i = 0; i < 4; i++)
        if (i % 2 == 0 || !it->in_place)
            arrays_free(array[i], 0);
    for (int s = 0; s < 2; s++) {
        free(side[s].global);
        FFTW(free)(all[s]);
    }
}

bool grids_for_device(grids_case *it)
{
    bool ok = true;
    if (!twins_begun())
        return true;
    for (int a = 0; a < it->rank; a++)
        ok &= it->kind[a] >= WEFT_NONE;
    it->null = false;
    it->backend = twin_backend(it->backend);
    return ok;
}

static void check_on(const grids_case *it, MPI_Comm comm, char text[GRIDS_TEXT])
{
    int process;
    MPI_Comm_rank(comm, &process);
    if (it->backend)
        setenv("WEFT_BACKEND", it->backend, 1);
    weft_grid grid = it->column_major
                         ? WEFT(grid_create_column_major)(comm, it->dimensions, it->dims)
                         : WEFT(grid_create)(comm, it->dimensions, it->dims);
    if (grid)
        run(it, grid, comm, process, text);
    else
        snprintf(text, GRIDS_TEXT, "no grid: %s", WEFT(last_error)());
    WEFT(grid_free)(grid);
    unsetenv("WEFT_BACKEND");
}

void grids_check(const grids_case *asked, MPI_Comm comm)
{
    char text[GRIDS_TEXT] = "", name[GRIDS_TEXT];
    grids_case own = *asked;
    const grids_case *it = &own;
    if (!grids_for_device(&own))
        return;
    grids_describe(it, name);
    if (comm != MPI_COMM_NULL)
        check_on(it, comm, text);
    all_true(!text[0], "%s: %s", name, text);
}
