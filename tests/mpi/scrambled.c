/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines in scrambled order. The manual does not say which order that is. This file finds it by the
 * transform of a single 1 at index 1, which is exp(-+2 pi i k / n) at index k. The order must be
 * the same for any numbers, and for the backward transform, whose input has this order.
 */
#include <math.h>
#include <stdlib.h>
#include "tests/mpi/problems.h"

/* Returns the transform of the 1, with the sign of the case; NULL: there is no plan. */
static weft_real *transform_of_one(const dropin_case *it, const arrays_map *in, ptrdiff_t numbers,
                                   MPI_Comm comm)
{
    weft_real *from = arrays_fresh(numbers, 0), *to = arrays_fresh(numbers, 0);
    FFTW(plan) plan = dropin_plan(it, from, to, comm);
    for (ptrdiff_t slot = 0; slot < in->slots; slot++)
        from[slot] = in->global[slot] == 2;
    if (plan)
        FFTW(execute)(plan);
    FFTW(destroy_plan)(plan);
    arrays_free(from, 0);
    if (!plan)
        arrays_free(to, 0);
    return plan ? to : NULL;
}

/* Whether the order has every index once. */
static bool permutes(const int *order, ptrdiff_t n)
{
    bool *met = calloc((size_t)n, sizeof *met), all = true;
    for (ptrdiff_t place = 0; place < n; place++) {
        all = all && order[place] >= 0 && order[place] < n && !met[order[place]];
        if (all)
            met[order[place]] = true;
    }
    free(met);
    return all;
}

bool problem_scrambled(const dropin_case *asked, ptrdiff_t *order, MPI_Comm comm)
{
    dropin_case it = *asked;
    const ptrdiff_t n = it.n[0];
    int *found = malloc(sizeof *found * (size_t)n);
    if (it.flags & FFTW_MPI_SCRAMBLED_IN)
        it.sign = -it.sign;
    it.in_place = false;
    it.in_order = it.out_order = NULL;
    it.flags = FFTW_ESTIMATE | FFTW_MPI_SCRAMBLED_OUT;
    arrays_map in = dropin_map(&it, false, comm), out = dropin_map(&it, true, comm);
    weft_real *to =
        transform_of_one(&it, &in, dropin_allocation(&it, comm, in.slots, out.slots), comm);
    for (ptrdiff_t place = 0; place < n; place++)
        found[place] = -1;
    for (ptrdiff_t slot = 0; to && slot < out.slots; slot += 2) {
        const double turn =
            it.sign * atan2((double)to[slot + 1], (double)to[slot]) / (2 * acos(-1));
        found[out.global[slot] / 2] =
            (int)lround((turn < 0 ? turn + 1 : turn) * (double)n) % (int)n;
    }
    MPI_Allreduce(MPI_IN_PLACE, found, (int)n, MPI_INT, MPI_MAX, comm);
    const bool ok = permutes(found, n);
    for (ptrdiff_t place = 0; place < n; place++)
        order[place] = found[place];
    if (to)
        arrays_free(to, 0);
    free(found);
    free(in.global);
    free(out.global);
    return ok;
}
