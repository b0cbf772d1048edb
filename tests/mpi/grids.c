/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All ranks compute the whole reference, and each compares its part. A part is described by a map:
 * for every real number in local memory, which number of the global array it is (the parts of
 * complex numbers count as two), or -1 for padding.
 */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mpi/grids.h"
#include "mpi/harness.h"

#if defined(WEFT_SINGLE)
#define EPSILON FLT_EPSILON
#elif defined(WEFT_LONG_DOUBLE)
#define EPSILON LDBL_EPSILON
#else
#define EPSILON DBL_EPSILON
#endif

enum { GUARD = 8 };

static const weft_real stale = 1234;

unsigned grids_random(unsigned *state, unsigned bound)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % bound;
}

bool grids_next(int dimensions, int *dims, int ranks)
{
    int product;
    bool begun = dims[0] > 0;
    for (int g = 0; !begun && g < dimensions; g++)
        dims[g] = 1;
    if (!begun)
        dims[dimensions - 1]--;
    do { /* count in base `ranks`: slow and plain */
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
static ptrdiff_t whole(const grids_case *it, bool real)
{
    ptrdiff_t numbers = it->howmany * (real ? 1 : 2);
    for (int axis = 0; axis < it->rank; axis++)
        numbers *= length(it, real, axis);
    return numbers;
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
static void compute(const grids_case *it, weft_real *in, weft_real *out)
{
    const int sort = grids_sort(it);
    const bool back = sort == WEFT_DFT_C2R;
    const bool real = real_side(it, true);
    weft_real *from = back ? out : in;
    const ptrdiff_t numbers = whole(it, back || real_side(it, false));
    unsigned state = 17;
    for (ptrdiff_t i = 0; i < numbers; i++)
        from[i] = (weft_real)grids_random(&state, 20001) / 10000 - 1;
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

typedef struct {
    ptrdiff_t start[GRIDS_RANK], count[GRIDS_RANK];
    ptrdiff_t slots;
    ptrdiff_t *global;
} map;

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

static map map_of(const grids_case *it, bool out, int process)
{
    map made = {.slots = 0};
    const bool real = real_side(it, out);
    ptrdiff_t stored[GRIDS_RANK], index[GRIDS_RANK], tuple = it->howmany * (real ? 1 : 2);
    int order[GRIDS_RANK], shift = first(it, out);
    for (int a = 0; a < it->rank; a++) {
        made.count[a] = length(it, real, a);
        order[a] = a;
    }
    for (int g = it->dimensions - 1; g >= 0; g--) {
        const int a = g + shift;
        deal(length(it, real, a), it->dims[g], process % it->dims[g], it->flags & WEFT_FFTW_BLOCKS,
             &made.start[a], &made.count[a]);
        process /= it->dims[g];
    }
    if (shift && it->flags & (out ? WEFT_TRANSPOSED_OUT : WEFT_TRANSPOSED_IN)) {
        for (int i = 0; i < it->dimensions; i++)
            order[i] = i + 1;
        order[it->dimensions] = 0;
    }
    made.slots = tuple;
    for (int a = 0; a < it->rank; a++) {
        stored[a] = made.count[a];
        if (halved(it) && real && a == it->rank - 1 && !(it->flags & WEFT_UNPADDED))
            stored[a] = 2 * (it->n[a] / 2 + 1);
        made.slots *= stored[a];
    }
    made.global = malloc(sizeof *made.global * (size_t)(made.slots + 1));
    for (ptrdiff_t slot = 0; slot < made.slots; slot++) {
        ptrdiff_t rest = slot / tuple, place = 0;
        bool padding = false;
        for (int i = it->rank - 1; i >= 0; i--) {
            index[order[i]] = rest % stored[order[i]];
            rest /= stored[order[i]];
        }
        for (int a = 0; a < it->rank; a++) {
            padding |= index[a] >= made.count[a];
            place = place * length(it, real, a) + index[a] + made.start[a];
        }
        made.global[slot] = padding ? -1 : place * tuple + slot % tuple;
    }
    return made;
}

static void describe(const grids_case *it, char *text)
{
    int used = snprintf(text, GRIDS_TEXT, WEFT_PRECISION);
    for (int a = 0; a < it->rank; a++)
        used += snprintf(text + used, (size_t)(GRIDS_TEXT - used), "%s%td:%d", a ? "x" : " ",
                         it->n[a], it->kind[a]);
    for (int g = 0; g < it->dimensions; g++)
        used += snprintf(text + used, (size_t)(GRIDS_TEXT - used), "%s%d", g ? "x" : " on ",
                         it->dims[g]);
    snprintf(text + used, (size_t)(GRIDS_TEXT - used), " *%td flags 0x%x%s %s", it->howmany,
             it->flags, it->in_place ? " in place" : "", it->backend ? it->backend : "");
}

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
        return it->howmany > 1
                   ? WEFT(plan_many_dft_r2c)(it->rank, n, it->howmany, in, out, grid, it->flags)
               : it->rank == 2 ? WEFT(plan_dft_r2c_2d)(n[0], n[1], in, out, grid, it->flags)
               : it->rank == 3 ? WEFT(plan_dft_r2c_3d)(n[0], n[1], n[2], in, out, grid, it->flags)
                               : WEFT(plan_dft_r2c)(it->rank, n, in, out, grid, it->flags);
    if (sort == WEFT_DFT_C2R)
        return it->howmany > 1
                   ? WEFT(plan_many_dft_c2r)(it->rank, n, it->howmany, in, out, grid, it->flags)
               : it->rank == 2 ? WEFT(plan_dft_c2r_2d)(n[0], n[1], in, out, grid, it->flags)
               : it->rank == 3 ? WEFT(plan_dft_c2r_3d)(n[0], n[1], n[2], in, out, grid, it->flags)
                               : WEFT(plan_dft_c2r)(it->rank, n, in, out, grid, it->flags);
    const int sign = sort == WEFT_DFT_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD;
    return it->howmany > 1
               ? WEFT(plan_many_dft)(it->rank, n, it->howmany, in, out, grid, sign, it->flags)
           : it->rank == 2 ? WEFT(plan_dft_2d)(n[0], n[1], in, out, grid, sign, it->flags)
           : it->rank == 3 ? WEFT(plan_dft_3d)(n[0], n[1], n[2], in, out, grid, sign, it->flags)
                           : WEFT(plan_dft)(it->rank, n, in, out, grid, sign, it->flags);
}

/* local_size must say what we computed. */
static void check_sizes(const grids_case *it, weft_grid grid, const map side[2], int process,
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
            if (count[s][a] != side[s].count[a] ||
                (count[s][a] > 0 && start[s][a] != side[s].start[a]))
                snprintf(text, GRIDS_TEXT, "local_size says %td from %td along axis %d, not %td",
                         count[s][a], start[s][a], a, side[s].count[a]);
}

static bool preserves(const grids_case *it)
{
    bool to_real = grids_sort(it) == WEFT_DFT_C2R;
    for (int a = 0; a < it->rank; a++)
        to_real |= it->kind[a] == FFTW_HC2R;
    return !it->in_place && !to_real && !(it->flags & FFTW_DESTROY_INPUT);
}

static void fill(weft_real *in, const map *from, const weft_real *global)
{
    for (ptrdiff_t slot = 0; slot < from->slots; slot++)
        in[slot] = from->global[slot] < 0 ? stale : global[from->global[slot]];
}

static void examine(const grids_case *it, const weft_real *const all[2], weft_real largest,
                    const map side[2], const weft_real *in, const weft_real *out, ptrdiff_t numbers,
                    char *text)
{
    const weft_real allowed = 100 * EPSILON * largest;
    for (ptrdiff_t slot = 0; slot < side[1].slots; slot++) {
        if (side[1].global[slot] < 0)
            continue;
        const weft_real expected = all[1][side[1].global[slot]], error = out[slot] - expected;
        if (!(error <= allowed && -error <= allowed)) {
            snprintf(text, GRIDS_TEXT, "number %td is %.8Lg, not %.8Lg", slot,
                     (long double)out[slot], (long double)expected);
            return;
        }
    }
    for (ptrdiff_t slot = 0; preserves(it) && slot < side[0].slots; slot++) {
        const ptrdiff_t place = side[0].global[slot];
        if (!(in[slot] == (place < 0 ? stale : all[0][place])))
            snprintf(text, GRIDS_TEXT, "the input has changed at number %td", slot);
    }
    for (int i = 0; i < GUARD; i++)
        if (!(out[numbers + i] == stale && in[numbers + i] == stale))
            snprintf(text, GRIDS_TEXT, "something was written beyond the allocation");
}

static weft_real *fresh(ptrdiff_t numbers)
{
    weft_real *array = FFTW(malloc)(sizeof *array * (size_t)(numbers + GUARD));
    for (ptrdiff_t i = 0; i < numbers + GUARD; i++)
        array[i] = stale;
    return array;
}

static void again(const grids_case *it, FFTW(plan) plan, void *in, void *out);

static void run(const grids_case *it, weft_grid grid, int process, char *text)
{
    weft_real *all[2], *array[4], largest = 0;
    map side[2];
    ptrdiff_t numbers = 1;
    for (int s = 0; s < 2; s++) {
        side[s] = map_of(it, s, process);
        all[s] = FFTW(malloc)(sizeof **all * (size_t)(whole(it, real_side(it, s)) + 1));
    }
    compute(it, all[0], all[1]);
    for (ptrdiff_t i = 0; i < whole(it, real_side(it, true)); i++)
        if (all[1][i] > largest || -all[1][i] > largest)
            largest = all[1][i] > 0 ? all[1][i] : -all[1][i];
    check_sizes(it, grid, side, process, &numbers, text);
    numbers *= grids_sort(it) == WEFT_R2R ? 1 : 2;
    for (int i = 0; i < 4; i++)
        array[i] = i % 2 && it->in_place ? array[i - 1] : fresh(numbers);
    FFTW(plan) plan = grids_plan(it, grid, array[0], array[1]);
    if (!plan) {
        snprintf(text, GRIDS_TEXT, "no plan: %s", WEFT(last_error)());
    } else {
        fill(array[0], &side[0], all[0]);
        FFTW(execute)(plan);
        examine(it, (const weft_real *const *)all, largest, side, array[0], array[1], numbers,
                text);
        fill(array[2], &side[0], all[0]);
        again(it, plan, array[2], array[3]);
        examine(it, (const weft_real *const *)all, largest, side, array[2], array[3], numbers,
                text);
        FFTW(destroy_plan)(plan);
    }
    for (int i = 0; i < 4; i++)
        if (i % 2 == 0 || !it->in_place)
            FFTW(free)(array[i]);
    for (int s = 0; s < 2; s++) {
        free(side[s].global);
        FFTW(free)(all[s]);
    }
}

/* The new-array execute function of the kind, with arrays of the same alignment. */
static void again(const grids_case *it, FFTW(plan) plan, void *in, void *out)
{
    extern void FFTW(mpi_execute_dft)(FFTW(plan), FFTW(complex) *, FFTW(complex) *);
    extern void FFTW(mpi_execute_r2r)(FFTW(plan), weft_real *, weft_real *);
    if (grids_sort(it) == WEFT_R2R)
        FFTW(mpi_execute_r2r)(plan, in, out);
    else
        FFTW(mpi_execute_dft)(plan, in, out);
}

void grids_check(const grids_case *it)
{
    char text[GRIDS_TEXT] = "", name[GRIDS_TEXT];
    int process;
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    describe(it, name);
    if (it->backend)
        setenv("WEFT_BACKEND", it->backend, 1);
    weft_grid grid = WEFT(grid_create)(MPI_COMM_WORLD, it->dimensions, it->dims);
    if (grid)
        run(it, grid, process, text);
    else
        snprintf(text, sizeof text, "no grid: %s", WEFT(last_error)());
    WEFT(grid_free)(grid);
    unsetenv("WEFT_BACKEND");
    all_true(!text[0], "%s: %s", name, text);
}
