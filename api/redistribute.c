/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans between two distributions: redistributions and transforms. */
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "api/mpi-state.h"
#include "api/planning.h"

static bool has_modes(const char *function, int axis, ptrdiff_t modes, bool halved, ptrdiff_t size)
{
    const ptrdiff_t wanted = halved && modes > 0 ? modes / 2 + 1 : modes;
    return size == wanted ||
           weft_error(
               "%s: modes[%d] is %td, but the distribution of the spectrum has a size of %td%s",
               function, axis, modes, size, halved ? ", not of modes / 2 + 1" : "");
}

/* Whether an array can be moved from one distribution to the other or, if `kind` is not NULL,
 * transformed with these kinds of weft.h. The spectral side must have as many modes as `modes`
 * says; if `modes` is NULL, as many as points. */
static bool sides_match(const char *function, weft_distribution from, weft_distribution to,
                        const int *kind, const ptrdiff_t *modes)
{
    int same;
    if (!from || !to)
        return weft_error("%s: a distribution is NULL", function);
    MPI_Comm_compare(from->comm, to->comm, &same);
    if (same != MPI_IDENT && same != MPI_CONGRUENT)
        return weft_error("%s: the distributions belong to different communicators; both must be "
                          "made with the same one",
                          function);
    if (from->layout.axes != to->layout.axes)
        return weft_error("%s: one distribution has %d axes, the other %d", function,
                          from->layout.axes, to->layout.axes);
    const int last = from->layout.axes - 1;
    for (int axis = 0; axis <= last; axis++) {
        const ptrdiff_t before = from->layout.axis[axis].size, after = to->layout.axis[axis].size;
        const bool r2c = kind && axis == last && kind[last] == WEFT_DFT_R2C,
                   c2r = kind && axis == last && kind[last] == WEFT_DFT_C2R;
        if (modes && kind[axis] >= WEFT_DFT_FORWARD && kind[axis] <= WEFT_DFT_C2R) {
            const bool backward = kind[axis] == WEFT_DFT_BACKWARD || c2r;
            if (!has_modes(function, axis, modes[axis], r2c || c2r, backward ? before : after))
                return false;
        } else if ((r2c ? before / 2 + 1 : before) != (c2r ? after / 2 + 1 : after)) {
            return weft_error(
                "%s: axis %d has a size of %td in one distribution, of %td in the other%s",
                function, axis, before, after, r2c || c2r ? "; the complex one has n / 2 + 1" : "");
        }
    }
    return true;
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

FFTW(plan)
weft_distribution_planned(weft_distribution from, weft_distribution to, weft_request request,
                          bool needs_modes)
{
    const char *function = request.function;
    const int *kind = request.each;
    const bool missing =
        request.asked == WEFT_ASK_KINDS && (!kind || (needs_modes && !request.modes));
    const size_t element = kind ? sizeof(weft_complex) : sizeof(weft_real);
    int rank, ranks;
    weft_error_clear();
    if (!from && !to)
        weft_error("%s: both distributions are NULL", function);
    else if (missing)
        weft_error("%s: the array of %s is NULL", function, kind ? "modes" : "kinds");
    weft_distribution given = from ? from : to;
    request.comm = given ? given->comm : MPI_COMM_NULL;
    const bool usable = given && weft_comm_usable(function, request.comm, &rank, &ranks),
               fits = usable && !missing && sides_match(function, from, to, kind, request.modes) &&
                      addressable(function, from, request.howmany, element) &&
                      addressable(function, to, request.howmany, element);
    if (!usable || !weft_agree(request.comm, fits))
        return weft_or_error(NULL, request.comm);
    ptrdiff_t size[WEFT_MAX_RANK];
    weft_layout before = from->layout, after = to->layout;
    before.howmany = after.howmany = request.howmany;
    weft_layout_simplify(&before);
    weft_layout_simplify(&after);
    for (int axis = 0; axis < before.axes; axis++) {
        const bool of_output =
            kind && (kind[axis] == WEFT_DFT_C2R || kind[axis] == WEFT_DFT_BACKWARD);
        size[axis] = (of_output ? &after : &before)->axis[axis].size;
    }
    request.axes = before.axes;
    request.size = size;
    request.from = &before;
    request.to = &after;
    return weft_make_plan(&request);
}

FFTW(plan)
WEFT(plan_redistribute_boxes)
(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, const ptrdiff_t *start_in,
 const ptrdiff_t *count_in, const ptrdiff_t *start_out, const ptrdiff_t *count_out, weft_real *in,
 weft_real *out, MPI_Comm comm, unsigned flags)
{
    const weft_request request = {.function = OWN_NAME("plan_redistribute_boxes"),
                                  .asked = WEFT_ASK_REDISTRIBUTE,
                                  .howmany = howmany,
                                  .in = in,
                                  .out = out,
                                  .flags = flags};
    FFTW(plan) plan = NULL;
    weft_distribution to = NULL, from = weft_distribution_from_boxes(request.function, comm, rnk, n,
                                                                     1, start_in, count_in);
    if (from)
        to = weft_distribution_from_boxes(request.function, comm, rnk, n, 1, start_out, count_out);
    if (to)
        plan = weft_distribution_planned(from, to, request, false);
    WEFT(distribution_free)(from);
    WEFT(distribution_free)(to);
    return plan;
}
