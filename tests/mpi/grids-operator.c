/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans for cases on a grid with an operator between the forward and the backward transform. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/grids.h"

whole_problem grids_whole(const grids_case *it)
{
    whole_problem whole = {.axes = it->rank,
                           .howmany = it->howmany,
                           .fields = it->fields,
                           .operates = it->operates > 0};
    memcpy(whole.n, it->n, sizeof whole.n);
    memcpy(whole.modes, it->modes, sizeof whole.modes);
    memcpy(whole.kind, it->kind, sizeof whole.kind);
    return whole;
}

void grids_any_operator(grids_case *it, unsigned *state)
{
    const bool some = arrays_random(state, 3) == 0;
    for (int a = 0; a < it->rank; a++) {
        it->modes[a] = some ? it->n[a] : 0;
        if (some && it->kind[a] > WEFT_NONE)
            it->modes[a] = 1 + (ptrdiff_t)arrays_random(state, 2 * (unsigned)it->n[a]);
    }
    it->operates = 1 + (int)arrays_random(state, 2);
    const bool other = it->operates == 1 && arrays_random(state, 2) == 0;
    it->fields = other ? 1 + (ptrdiff_t)arrays_random(state, 3) : 0;
    it->in_place &= !other || it->fields == it->howmany;
}

/* Multiplies a real or a complex number by a factor. */
static void times(weft_real *at, bool real, const weft_real factor[2])
{
    const weft_real re = at[0], im = real ? 0 : at[1];
    at[0] = re * factor[0] - im * factor[1];
    if (!real)
        at[1] = re * factor[1] + im * factor[0];
}

/* The operator of the tests. Indices out of bounds spoil the result. */
static void operate(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis, void *data)
{
    const whole_problem *it = data;
    const ptrdiff_t numbers = it->fields > it->howmany ? it->fields : it->howmany;
    bool real = true;
    for (int a = 0; a < it->axes; a++)
        real = real && it->kind[a] <= WEFT_NONE;
    real = real || it->kind[it->axes - 1] == WEFT_DFT_C2R;
    const ptrdiff_t width = real ? 1 : 2;
    for (ptrdiff_t i = 0; i < count; i++) {
        ptrdiff_t point[WHOLE_AXES];
        weft_real factor[2];
        for (int a = 0; a < it->axes; a++)
            point[a] = index[a] + (a == axis ? i : 0);
        whole_factor(it, point, factor);
        weft_real *at = (weft_real *)values + width * i * numbers;
        for (ptrdiff_t k = 0; k < it->howmany; k++)
            times(at + width * k, real, factor);
        for (ptrdiff_t f = it->fields - 1; f >= 0 && it->howmany > 0; f--)
            for (ptrdiff_t part = 0; part < width; part++)
                at[width * f + part] = (weft_real)(f + 1) * at[width * (f % it->howmany) + part];
    }
}

/* The factors of this rank, in the order of the output of the forward transform. */
static weft_real *factors_of(const grids_case *it, const whole_problem *whole, bool complex,
                             MPI_Comm comm)
{
    enum { MOST = 1 << 16 };
    grids_case forward = *it;
    int me;
    MPI_Comm_rank(comm, &me);
    forward.howmany = 1;
    for (int a = 0; a < it->rank; a++)
        if (forward.n[a] < 1 || forward.n[a] > MOST)
            return calloc(1, sizeof(weft_real)); /* the plan is refused and reads no factors */
    forward.operates = 0;
    arrays_part part = grids_part(&forward, true, me);
    part.tuple = 1;
    arrays_map map = arrays_map_of(&part);
    weft_real *factors = malloc(sizeof *factors * (size_t)(2 * map.slots + 1));
    for (ptrdiff_t i = 0; i < map.slots; i++) {
        ptrdiff_t index[WHOLE_AXES], rest = map.global[i];
        weft_real factor[2];
        for (int a = it->rank - 1; a >= 0; a--) {
            index[a] = rest % part.length[a];
            rest /= part.length[a];
        }
        whole_factor(whole, index, factor);
        memcpy(factors + (complex ? 2 : 1) * i, factor, sizeof *factor * (complex ? 2 : 1));
    }
    free(map.global);
    return factors;
}

FFTW(plan)
grids_operator_plan(const grids_case *it, weft_grid grid, void *in, void *out,
                    const whole_problem *whole, weft_real **factors, MPI_Comm comm)
{
    const bool slabs = it->dimensions == 1 && it->flags & WEFT_FFTW_BLOCKS && !it->column_major;
    const ptrdiff_t *n = it->n, *modes = it->modes[0] > 0 ? it->modes : NULL, many = it->howmany;
    const weft_grid on = slabs ? NULL : grid;
    void *data = (void *)(uintptr_t)whole;
    weft_real factor[2];
    whole_factor(whole, (const ptrdiff_t[WHOLE_AXES]){0}, factor);
    if (it->fields > 0)
        return WEFT(plan_fields)(it->rank, n, modes, many, it->fields, in, out, on, it->kind,
                                 operate, data, comm, it->flags);
    if (it->operates == 1)
        return WEFT(plan_operator)(it->rank, n, modes, many, in, out, on, it->kind, operate, data,
                                   comm, it->flags);
    *factors = factors_of(it, whole, factor[1] != 0, comm);
    FFTW(plan)
    plan = WEFT(plan_multiply)(it->rank, n, modes, many, in, out, on, it->kind, *factors,
                               factor[1] != 0, comm, it->flags);
    if (!plan) {
        free(*factors);
        *factors = NULL;
    }
    return plan;
}
