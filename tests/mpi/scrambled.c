/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines in scrambled order. The manual does not say which order that is. This file finds it by the
 * transform of a single 1 at index 1, which is exp(-+2 pi i k / n) at index k. The order must be
 * the same for any numbers, and for the backward transform, whose input has this order.
 */
#include <math.h>
#include <stdlib.h>
#include "tests/mpi/problems.h"

/* Whether the order has every index once. */
static bool permutes(const ptrdiff_t *order, ptrdiff_t n)
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
    if (it.flags & FFTW_MPI_SCRAMBLED_IN)
        it.sign = -it.sign;
    it.in_place = false;
    it.in_order = it.out_order = NULL;
    it.flags = FFTW_ESTIMATE | FFTW_MPI_SCRAMBLED_OUT;
    arrays_map in = dropin_map(&it, false, comm), out = dropin_map(&it, true, comm);
    const ptrdiff_t numbers = dropin_allocation(&it, comm, in.slots, out.slots);
    weft_real *from = arrays_fresh(numbers, 0), *to = arrays_fresh(numbers, 0);
    FFTW(plan) plan = dropin_plan(&it, from, to, comm);
    for (ptrdiff_t slot = 0; slot < in.slots; slot++)
        from[slot] = in.global[slot] == 2;
    if (plan)
        FFTW(execute)(plan);
    for (ptrdiff_t place = 0; place < n; place++)
        order[place] = -1;
    for (ptrdiff_t slot = 0; plan && slot < out.slots; slot += 2) {
        const double turn =
            it.sign * atan2((double)to[slot + 1], (double)to[slot]) / (2 * acos(-1));
        order[out.global[slot] / 2] = lround((turn < 0 ? turn + 1 : turn) * (double)n) % n;
    }
    MPI_Allreduce(MPI_IN_PLACE, order, (int)n, MPI_AINT, MPI_MAX, comm);
    FFTW(destroy_plan)(plan);
    arrays_free(from, 0);
    arrays_free(to, 0);
    free(in.global);
    free(out.global);
    return permutes(order, n);
}
