/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of weft.h for distributions. */
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "api/grid.h"
#include "api/mpi-state.h"
#include "api/names.h"
#include "api/planning.h"

weft_distribution WEFT(distribution_grid)(weft_grid grid, int rnk, const ptrdiff_t *n,
                                          const int *axis, unsigned flags)
{
    return weft_distribution_on(OWN_NAME("distribution_grid"), grid, rnk, n, axis, flags);
}

weft_distribution WEFT(distribution_boxes)(MPI_Comm comm, int rnk, const ptrdiff_t *n,
                                           const ptrdiff_t *start, const ptrdiff_t *count)
{
    return weft_distribution_of(OWN_NAME("distribution_boxes"), comm, rnk, n, start, count);
}

void WEFT(distribution_free)(weft_distribution distribution)
{
    weft_distribution_drop(distribution);
}

ptrdiff_t WEFT(distribution_box)(weft_distribution distribution, int process, ptrdiff_t *start,
                                 ptrdiff_t *count)
{
    weft_box box;
    weft_error_clear();
    if (!distribution || process < 0 || process >= distribution->ranks) {
        weft_error("%s: the distribution is NULL, or has no process %d",
                   OWN_NAME("distribution_box"), process);
        return 0;
    }
    weft_layout_box(&distribution->layout, process, &box);
    for (int axis = 0; axis < distribution->layout.axes; axis++) {
        if (start)
            start[axis] = box.span[axis].start;
        if (count)
            count[axis] = box.span[axis].count;
    }
    return weft_layout_elements(&distribution->layout, &box);
}

static FFTW(plan) planned(const char *function, weft_distribution from, weft_distribution to,
                          ptrdiff_t howmany, weft_real *in, weft_real *out, unsigned flags)
{
    const bool fit = weft_distributions_fit(function, from, to);
    if (!(from || to) || !weft_agree(from ? from->comm : to->comm, fit))
        return NULL;
    ptrdiff_t size[WEFT_MAX_RANK];
    weft_layout before = from->layout, after = to->layout;
    before.howmany = after.howmany = howmany;
    for (int axis = 0; axis < before.axes; axis++)
        size[axis] = before.axis[axis].size;
    const weft_request request = {.function = function,
                                  .asked = WEFT_ASK_REDISTRIBUTE,
                                  .axes = before.axes,
                                  .size = size,
                                  .howmany = howmany,
                                  .in = in,
                                  .out = out,
                                  .comm = from->comm,
                                  .flags = flags,
                                  .from = &before,
                                  .to = &after};
    return weft_planned(&request);
}

FFTW(plan)
WEFT(plan_redistribute)
(weft_distribution from, weft_distribution to, ptrdiff_t howmany, weft_real *in, weft_real *out,
 unsigned flags)
{
    weft_error_clear();
    return planned(OWN_NAME("plan_redistribute"), from, to, howmany, in, out, flags);
}

FFTW(plan)
WEFT(plan_redistribute_boxes)
(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, const ptrdiff_t *start_in,
 const ptrdiff_t *count_in, const ptrdiff_t *start_out, const ptrdiff_t *count_out, weft_real *in,
 weft_real *out, MPI_Comm comm, unsigned flags)
{
    const char *function = OWN_NAME("plan_redistribute_boxes");
    FFTW(plan) plan = NULL;
    weft_distribution from = weft_distribution_of(function, comm, rnk, n, start_in, count_in);
    if (!from)
        return NULL;
    weft_distribution to = weft_distribution_of(function, comm, rnk, n, start_out, count_out);
    if (to)
        plan = planned(function, from, to, howmany, in, out, flags);
    weft_distribution_drop(from);
    weft_distribution_drop(to);
    return plan;
}
