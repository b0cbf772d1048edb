/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of weft.h that take or return distributions. */
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "kernels/base/precision.h"
#include "api/grid.h"
#include "api/mpi-state.h"
#include "api/planning.h"
#include "planner/handle.h"

weft_distribution WEFT(distribution_grid)(weft_grid grid, int rnk, const ptrdiff_t *n,
                                          const int *axis, unsigned flags)
{
    return weft_distribution_on_grid(OWN_NAME("distribution_grid"), grid, rnk, n, axis, flags);
}

weft_distribution WEFT(distribution_boxes)(MPI_Comm comm, int rnk, const ptrdiff_t *n,
                                           const ptrdiff_t *start, const ptrdiff_t *count)
{
    return weft_distribution_from_boxes(OWN_NAME("distribution_boxes"), comm, rnk, n, 1, start,
                                        count);
}

weft_distribution WEFT(distribution_many_boxes)(MPI_Comm comm, int rnk, const ptrdiff_t *n,
                                                int boxes, const ptrdiff_t *start,
                                                const ptrdiff_t *count)
{
    return weft_distribution_from_boxes(OWN_NAME("distribution_many_boxes"), comm, rnk, n, boxes,
                                        start, count);
}

weft_distribution WEFT(distribution_rows)(weft_grid grid, int rnk, const ptrdiff_t *n,
                                          const int *order)
{
    return weft_distribution_in_rows(OWN_NAME("distribution_rows"), grid, rnk, n, order);
}

void WEFT(distribution_free)(weft_distribution distribution)
{
    weft_distribution_drop(distribution);
}

weft_distribution WEFT(distribution_embedded)(weft_distribution distribution,
                                              const ptrdiff_t *sizes, const ptrdiff_t *offsets)
{
    return weft_distribution_embed(OWN_NAME("distribution_embedded"), distribution, sizes, offsets);
}

static bool has_process(const char *function, weft_distribution distribution, int process)
{
    weft_error_clear();
    return (distribution && process >= 0 && process < distribution->ranks) ||
           weft_error("%s: the distribution is NULL, or has no process %d", function, process);
}

/* If a process has several boxes, this returns the smallest box that contains all of them. */
ptrdiff_t WEFT(distribution_box)(weft_distribution distribution, int process, ptrdiff_t *start,
                                 ptrdiff_t *count)
{
    weft_box box, around;
    if (!has_process(OWN_NAME("distribution_box"), distribution, process))
        return 0;
    const weft_layout *layout = &distribution->layout;
    weft_boxes boxes = weft_boxes_of(layout, process);
    weft_layout_box(layout, process, &around);
    if (!weft_layout_is_single(layout) && weft_boxes_next(&boxes, &around))
        while (weft_boxes_next(&boxes, &box))
            for (int axis = 0; axis < layout->axes; axis++)
                around.span[axis] = weft_span_around(around.span[axis], box.span[axis]);
    for (int axis = 0; axis < layout->axes; axis++) {
        if (start)
            start[axis] = around.span[axis].start;
        if (count)
            count[axis] = around.span[axis].count;
    }
    return weft_layout_local_elements(layout, process);
}

int WEFT(distribution_list)(weft_distribution distribution, int process, int *order,
                            ptrdiff_t *start, ptrdiff_t *count)
{
    if (!has_process(OWN_NAME("distribution_list"), distribution, process))
        return 0;
    for (int i = 0; order && i < distribution->layout.axes; i++)
        order[i] = distribution->layout.order[i];
    return weft_layout_list(&distribution->layout, process, start, count);
}

weft_distribution WEFT(plan_layout)(FFTW(plan) handle, MPI_Comm comm, int output)
{
    const char *function = OWN_NAME("plan_layout");
    const weft_plan *plan = weft_handle_plan(handle);
    int rank, ranks;
    weft_error_clear();
    if (!plan)
        weft_error("%s: the plan is not one of Weft's", function);
    if (!plan || !weft_comm_usable(function, comm, &rank, &ranks))
        return NULL;
    if (ranks != plan->ranks || plan->scrambled[output != 0]) {
        weft_error(ranks != plan->ranks
                       ? "%s: the communicator has another number of ranks than the plan"
                       : "%s: that side of the plan is scrambled, so no distribution describes it",
                   function);
        return NULL;
    }
    return weft_distribution_from_layout(function, comm, ranks, &plan->side[output != 0]);
}

/* Whether the size in bytes of every rank's array, enclosing arrays included, does not overflow. */
static bool addressable(const char *function, weft_distribution side, ptrdiff_t howmany,
                        size_t element)
{
    weft_layout layout = side->layout;
    layout.howmany = howmany;
    return element <= weft_layout_largest_element(&layout) ||
           weft_error("%s: an array with elements of %zu bytes is larger than can be addressed",
                      function, element);
}

/* Plans a transform or, if `kind` is NULL, a redistribution. */
static FFTW(plan) planned(const char *function, weft_distribution from, weft_distribution to,
                          const ptrdiff_t *modes, ptrdiff_t howmany, void *in, void *out,
                          const int *kind, unsigned flags)
{
    const size_t element = kind ? sizeof(weft_complex) : sizeof(weft_real);
    const bool fit = weft_distributions_fit(function, from, to, kind, modes) &&
                     addressable(function, from, howmany, element) &&
                     addressable(function, to, howmany, element);
    if (!(from || to) || !weft_agree(from ? from->comm : to->comm, fit))
        return NULL;
    ptrdiff_t size[WEFT_MAX_RANK];
    weft_layout before = from->layout, after = to->layout;
    const int last = before.axes - 1;
    before.howmany = after.howmany = howmany;
    weft_layout_simplify(&before);
    weft_layout_simplify(&after);
    for (int axis = 0; axis <= last; axis++) {
        const bool of_output =
            kind && (kind[axis] == WEFT_DFT_C2R || kind[axis] == WEFT_DFT_BACKWARD);
        size[axis] = (of_output ? &after : &before)->axis[axis].size;
    }
    const weft_request request = {.function = function,
                                  .asked = kind ? WEFT_ASK_KINDS : WEFT_ASK_REDISTRIBUTE,
                                  .axes = before.axes,
                                  .size = size,
                                  .howmany = howmany,
                                  .sign = FFTW_FORWARD,
                                  .in = in,
                                  .out = out,
                                  .comm = from->comm,
                                  .flags = flags,
                                  .each = kind,
                                  .from = &before,
                                  .to = &after,
                                  .modes = modes};
    return weft_make_plan(&request);
}

/* Collective: whether an array that the plan needs is non-NULL on all ranks. */
static bool given(const char *function, const char *name, const void *array, weft_distribution from,
                  weft_distribution to)
{
    const weft_distribution either = from ? from : to;
    if (!either)
        weft_error("%s: both distributions are NULL", function);
    else if (!array)
        weft_error("%s: the array of %s is NULL", function, name);
    return either && weft_agree(either->comm, array);
}

FFTW(plan)
WEFT(plan_between)
(weft_distribution from, weft_distribution to, ptrdiff_t howmany, void *in, void *out,
 const int *kind, unsigned flags)
{
    const char *function = OWN_NAME("plan_between");
    weft_error_clear();
    if (!given(function, "kinds", kind, from, to))
        return NULL;
    return planned(function, from, to, NULL, howmany, in, out, kind, flags);
}

FFTW(plan)
WEFT(plan_between_modes)
(weft_distribution from, weft_distribution to, const ptrdiff_t *modes, ptrdiff_t howmany, void *in,
 void *out, const int *kind, unsigned flags)
{
    const char *function = OWN_NAME("plan_between_modes");
    weft_error_clear();
    if (!given(function, "kinds", kind, from, to) || !given(function, "modes", modes, from, to))
        return NULL;
    return planned(function, from, to, modes, howmany, in, out, kind, flags);
}

FFTW(plan)
WEFT(plan_redistribute)
(weft_distribution from, weft_distribution to, ptrdiff_t howmany, weft_real *in, weft_real *out,
 unsigned flags)
{
    weft_error_clear();
    return planned(OWN_NAME("plan_redistribute"), from, to, NULL, howmany, in, out, NULL, flags);
}

FFTW(plan)
WEFT(plan_redistribute_boxes)
(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, const ptrdiff_t *start_in,
 const ptrdiff_t *count_in, const ptrdiff_t *start_out, const ptrdiff_t *count_out, weft_real *in,
 weft_real *out, MPI_Comm comm, unsigned flags)
{
    const char *function = OWN_NAME("plan_redistribute_boxes");
    FFTW(plan) plan = NULL;
    weft_distribution from =
        weft_distribution_from_boxes(function, comm, rnk, n, 1, start_in, count_in);
    if (!from)
        return NULL;
    weft_distribution to =
        weft_distribution_from_boxes(function, comm, rnk, n, 1, start_out, count_out);
    if (to)
        plan = planned(function, from, to, NULL, howmany, in, out, NULL, flags);
    weft_distribution_drop(from);
    weft_distribution_drop(to);
    return plan;
}
