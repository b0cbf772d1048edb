/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the FFTW plans for the tiles of one shape. A plan is made once, on scratch addresses that
 * span as much as a tile in the arrays of a run. Only pages that FFTW touches take memory.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/memory.h"
#include "kernels/pass/libfftw3.h"
#include "kernels/pass/sweep.h"

enum { ALIGNMENT = 64, PAGE = 4096, BATCH_BYTES = 16384 };

/* A tile in the buffer or array that a group reads or writes, as FFTW sees it. */
typedef struct {
    ptrdiff_t count[WEFT_MAX_AXES];
    const ptrdiff_t *stride;
    ptrdiff_t element; /* bytes */
} plan_end;

typedef struct {
    const weft_pass_sweep *sweep;
    const weft_group *group;
    plan_end from, to;
    const weft_transform
        *halves;     /* the transform whose rows are transformed in halves; NULL: none */
    ptrdiff_t batch; /* number of rows in halves that this plan transforms */
    unsigned flags;
} plan_request;

/* Bytes that an end spans. *before becomes the bytes before the element with all indices 0. */
static size_t span_of(int axes, const plan_end *end, ptrdiff_t element, size_t *before)
{
    ptrdiff_t lowest, highest;
    weft_box_reach(axes, end->count, end->stride, &lowest, &highest);
    *before = weft_round_up((size_t)(-lowest * element), ALIGNMENT);
    return weft_round_up(*before + (size_t)((highest + 2) * element), PAGE);
}

typedef struct {
    int rank, many;
    FFTW(iodim64) dim[WEFT_MAX_AXES], loop[WEFT_MAX_AXES];
    FFTW(r2r_kind) kind[WEFT_MAX_AXES];
} fftw_dims;

static FFTW(r2r_kind) r2r_kind(weft_kind kind)
{
    return weft_kind_is_r2r(kind) ? (FFTW(r2r_kind))(kind - WEFT_R2HC) : FFTW_R2HC;
}

/* Describes a batch of rows of complex numbers. A backward one works in place, after folding. */
static void describe_halves(const plan_request *request, fftw_dims *dims)
{
    const weft_transform *transform = request->halves;
    dims->rank = 1;
    dims->dim[0] = (FFTW(iodim64)){transform->halves / 2, 1, 1};
    dims->kind[0] = FFTW_R2HC;
    dims->many = 0;
    if (request->batch > 1) {
        const weft_copy_axis *rows = &transform->loop[transform->loops - 1];
        const ptrdiff_t number = sizeof(weft_complex), to = rows->to / number,
                        from = rows->from / number;
        dims->loop[dims->many++] =
            (FFTW(iodim64)){request->batch, request->group->kind == WEFT_R2C ? from : to, to};
    }
}

static void describe(const plan_request *request, fftw_dims *dims)
{
    const weft_pass_sweep *sweep = request->sweep;
    const weft_group *group = request->group;
    const plan_end *from = &request->from, *to = &request->to;
    if (request->halves) {
        describe_halves(request, dims);
        return;
    }
    bool transformed[WEFT_MAX_AXES] = {false};
    dims->rank = group->axes;
    dims->many = 0;
    for (int k = 0; k < group->axes; k++) {
        int a = group->axis[k];
        transformed[a] = true;
        dims->dim[k] = (FFTW(iodim64)){sweep->size[a], from->stride[a], to->stride[a]};
        dims->kind[k] =
            r2r_kind(group->inverse ? weft_kind_inverse(sweep->kind[a]) : sweep->kind[a]);
    }
    for (int a = 0; a < sweep->axes; a++)
        if (!transformed[a] && from->count[a] > 1)
            dims->loop[dims->many++] =
                (FFTW(iodim64)){from->count[a], from->stride[a], to->stride[a]};
}

static weft_kind fftw_kind(const weft_group *group)
{
    if (!group->in_halves)
        return group->kind;
    return group->kind == WEFT_R2C ? WEFT_FORWARD : WEFT_BACKWARD;
}

static FFTW(plan) plan_with(const plan_request *request, unsigned flags, const fftw_dims *dims,
                            void *from, void *to)
{
    const weft_kind kind = fftw_kind(request->group);
    switch (kind) {
    case WEFT_FORWARD:
    case WEFT_BACKWARD:
        return FFTW(plan_guru64_dft)(dims->rank, dims->dim, dims->many, dims->loop, from, to,
                                     kind == WEFT_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD, flags);
    case WEFT_R2C:
        return FFTW(plan_guru64_dft_r2c)(dims->rank, dims->dim, dims->many, dims->loop, from, to,
                                         flags);
    case WEFT_C2R:
        return FFTW(plan_guru64_dft_c2r)(dims->rank, dims->dim, dims->many, dims->loop, from, to,
                                         flags);
    default:
        return FFTW(plan_guru64_r2r)(dims->rank, dims->dim, dims->many, dims->loop, from, to,
                                     dims->kind, flags);
    }
}

/* Seconds that FFTW may take for one plan, of which tuning makes many: the time left for tuning.
 * With 0 seconds FFTW estimates. Negative: no limit. */
static double seconds_left(const weft_pass_sweep *sweep)
{
    if (sweep->spec->variant || sweep->spec->until <= 0)
        return -1;
    const double left = sweep->spec->until - weft_clock();
    return left > 0 ? left : 0;
}

static bool is_odd_column(const FFTW(iodim64) * axis)
{
    return axis->is == 1 && axis->os != 1 && axis->os % 2 != 0;
}

/* Whether FFTW 3.3.10 may end the program. In single precision its codelets n2fv and n2bv for AVX
 * transform columns of the input into rows of the output, and store pairs of numbers at aligned
 * addresses only; but FFTW also uses them for rows an odd number of numbers apart. */
static bool may_crash(const fftw_dims *dims)
{
    bool rows = false, odd = false;
    for (int k = 0; k < dims->rank; k++) {
        rows |= dims->dim[k].os == 1;
        odd |= is_odd_column(&dims->dim[k]);
    }
    for (int k = 0; k < dims->many; k++)
        odd |= is_odd_column(&dims->loop[k]);
    return sizeof(weft_real) == sizeof(float) && rows && odd;
}

/* Makes a plan. If FFTW has no plan without the algorithms that the flags exclude, tries again with
 * them. */
static FFTW(plan)
    plan_in_time(const plan_request *request, const fftw_dims *dims, void *from, void *to)
{
    const unsigned excluding =
        FFTW_NO_INDIRECT_OP | FFTW_NO_BUFFERING | FFTW_NO_RANK_SPLITS | FFTW_ALLOW_PRUNING;
    const unsigned flags = request->flags | (may_crash(dims) ? FFTW_UNALIGNED : 0);
    weft_planner_one_thread(seconds_left(request->sweep));
    FFTW(plan) made = plan_with(request, flags, dims, from, to);
    if (!made && (flags & excluding))
        made = plan_with(request, flags & ~excluding, dims, from, to);
    weft_planner_restore();
    return made;
}

static void add_numbers(weft_fftw_request *key, const void *numbers, int count)
{
    memcpy(key->number + key->length, numbers, (size_t)count * sizeof *key->number);
    key->length += (size_t)count;
}

/* Collects all numbers that FFTW's estimate depends on; of the addresses only the alignment
 * matters. */
static void make_key(const plan_request *request, const fftw_dims *dims, void *from, void *to,
                     weft_fftw_request *key)
{
    enum { HEAD = 8, EACH = sizeof *dims->dim / sizeof(ptrdiff_t) };
    const ptrdiff_t head[HEAD] = {fftw_kind(request->group),
                                  request->flags,
                                  FFTW(alignment_of)(from),
                                  FFTW(alignment_of)(to),
                                  from == to,
                                  request->halves ? request->halves->halves : 0,
                                  dims->rank,
                                  dims->many};
    _Static_assert(sizeof *dims->dim == 3 * sizeof(ptrdiff_t), "an axis is three numbers");
    key->length = 0;
    key->points = 0;
    add_numbers(key, head, HEAD);
    add_numbers(key, dims->dim, EACH * dims->rank);
    add_numbers(key, dims->loop, EACH * dims->many);
    for (int k = 0; k < dims->rank; k++) {
        add_numbers(key, &(const ptrdiff_t){dims->kind[k]}, 1);
        key->points += dims->dim[k].n;
    }
}

/* Whether FFTW plans without running anything. */
static bool is_estimate(const plan_request *request)
{
    return request->flags & (FFTW_ESTIMATE | FFTW_ESTIMATE_PATIENT);
}

/* Makes a plan on these addresses. NULL: FFTW has no plan, or there is no memory. */
static weft_fftw_plan *plan_at(const plan_request *request, const fftw_dims *dims, void *from,
                               void *to)
{
    weft_fftw_request key;
    const bool shared = is_estimate(request) && !(request->flags & FFTW_WISDOM_ONLY);
    if (shared) {
        make_key(request, dims, from, to, &key);
        weft_fftw_plan *found = weft_fftw_plan_find(&key);
        if (found)
            return found;
    } else {
        weft_fftw_plans_cleanup(); /* FFTW may find better plans after measuring */
    }
    weft_real *table = NULL;
    if (request->halves) {
        table = weft_halves_table(request->halves->halves, request->group->kind == WEFT_C2R);
        if (!table)
            return NULL;
    }
    FFTW(plan) made = plan_in_time(request, dims, from, to);
    if (made)
        return weft_fftw_plan_add(made, table, shared ? &key : NULL);
    free(table);
    return NULL;
}

/* Makes a plan on scratch addresses. In place, real rows may span a little more than complex rows
 * or the reverse, so twice the addresses are reserved. If FFTW estimates, it touches no memory, so
 * nothing is mapped. */
static weft_fftw_plan *make_plan(const plan_request *request)
{
    const weft_pass_sweep *sweep = request->sweep;
    const weft_group *group = request->group;
    const bool mapped = !is_estimate(request), folded = group->in_halves && group->kind == WEFT_C2R,
               in_place = folded || group->from == group->to ||
                          (sweep->in_place && group->from == WEFT_AT_SOURCE &&
                           group->to == WEFT_AT_TARGET);
    size_t before[2] = {0};
    const size_t from_bytes =
                     span_of(sweep->axes, folded ? &request->to : &request->from,
                             in_place ? 2 * request->from.element : request->from.element, before),
                 to_bytes =
                     in_place ? 0
                              : span_of(sweep->axes, &request->to, request->to.element, before + 1),
                 bytes = from_bytes + to_bytes;
    char *base = mapped ? weft_memory_map(bytes) : (char *)PAGE, *from = base + before[0];
    fftw_dims dims;
    if (!base) {
        weft_error("pass: the system could not reserve %zu bytes of addresses for planning", bytes);
        return NULL;
    }
    weft_progress("FFTW plans transforms of %td points, in one way of several to do a pass",
                  sweep->size[group->axis[0]]);
    describe(request, &dims);
    weft_fftw_plan *made =
        plan_at(request, &dims, from, in_place ? from : base + from_bytes + before[1]);
    if (mapped)
        munmap(base, bytes);
    return made;
}

/* Adds loops over all axes except the row's, or one loop over one row; the loop with the longest
 * step in the target becomes the outermost. Returns whether all rows are aligned if the first row
 * is. */
static bool make_loops(const plan_request *request, weft_transform *transform)
{
    const plan_end *from = &request->from, *to = &request->to;
    bool aligned = true;
    for (int a = 0; a < request->sweep->axes; a++) {
        const weft_copy_axis added = {from->count[a], from->stride[a] * from->element,
                                      to->stride[a] * to->element};
        if (a == request->group->axis[0] || added.count == 1)
            continue;
        int k = transform->loops++;
        for (; k > 0 && transform->loop[k - 1].to < added.to; k--)
            transform->loop[k] = transform->loop[k - 1];
        transform->loop[k] = added;
        aligned = aligned && weft_fft_aligned(added.from) && weft_fft_aligned(added.to);
    }
    if (transform->loops == 0)
        transform->loop[transform->loops++] = (weft_copy_axis){.count = 1};
    return aligned;
}

/* Number of rows in halves that one plan transforms: if possible a divisor of their number, and
 * even. */
static ptrdiff_t batch_of(ptrdiff_t rows, ptrdiff_t length)
{
    const ptrdiff_t fitting = BATCH_BYTES / (length * (ptrdiff_t)sizeof(weft_real));
    ptrdiff_t most = fitting < 1 ? 1 : fitting < rows ? fitting : rows;
    for (ptrdiff_t batch = most; batch > most / 4; batch--)
        if (rows % batch == 0 && (batch % 2 == 0 || batch == rows))
            return batch;
    return most > 1 ? most - most % 2 : 1;
}

/* Makes the plans of rows in halves: one for a batch, and one for the remaining rows. */
static bool make_halves(plan_request *request, weft_transform *transform)
{
    const ptrdiff_t length = request->sweep->size[request->group->axis[0]],
                    rows = transform->loop[transform->loops - 1].count;
    transform->halves = length;
    transform->batch = batch_of(rows, length);
    request->halves = transform;
    request->batch = transform->batch;
    if (!(transform->aligned = make_plan(request)))
        return false;
    request->batch = rows % transform->batch;
    return request->batch == 0 || (transform->rest = make_plan(request));
}

static bool make_transform(plan_request *request, bool seldom, weft_transform *transform)
{
    const weft_pass_sweep *sweep = request->sweep;
    const weft_group *group = request->group;
    const bool reads = group->from == WEFT_AT_SOURCE, writes = group->to == WEFT_AT_TARGET,
               unaligned = (reads || writes) && (sweep->spec->fftw_flags & FFTW_UNALIGNED),
               keeps = reads && !sweep->may_destroy && !(sweep->in_place && writes);
    const unsigned flags = weft_effort_flags(sweep, group, seldom),
                   extra = keeps ? FFTW_PRESERVE_INPUT : FFTW_DESTROY_INPUT;
    request->flags = (flags & ~FFTW_UNALIGNED) | extra;
    if (group->in_halves) {
        if (!make_loops(request, transform))
            request->flags |= FFTW_UNALIGNED;
        return make_halves(request, transform);
    }
    if (!unaligned) {
        if (!(transform->aligned = make_plan(request)))
            return false;
        if ((!reads || weft_tiles_aligned(sweep->source, sweep->transformed)) &&
            (!writes || weft_tiles_aligned(sweep->target, sweep->transformed)))
            return true;
    }
    request->flags = (unaligned ? flags : FFTW_ESTIMATE) | FFTW_UNALIGNED | extra;
    transform->any = make_plan(request);
    return transform->any;
}

/* Sets the strides and the element of the buffer or array that a group reads or writes. */
static void place_end(const weft_pass_sweep *sweep, const weft_tile_work *work,
                      const weft_tile *tile, weft_at at, plan_end *end)
{
    const bool target = at == WEFT_AT_SECOND || at == WEFT_AT_TARGET;
    end->element =
        (ptrdiff_t)(at == WEFT_AT_SECOND ? sweep->second : weft_sweep_side(sweep, target)->element);
    end->stride = at < WEFT_BUFFERS ? work->stride[at] : weft_tile_strides(sweep, tile, target);
    if (at == WEFT_AT_MIDDLE)
        end->element = sizeof(weft_complex);
}

/* Sets the counts before and after group g. */
static void count_ends(const weft_pass_sweep *sweep, const weft_tile_work *work, int g,
                       plan_request *request)
{
    ptrdiff_t *before = request->from.count, *after = request->to.count;
    const bool inverse = sweep->group[g].inverse;
    memcpy(before, work->count[inverse], sizeof work->count[0]);
    for (int h = 0; h < g && !inverse; h++)
        for (int k = 0; k < sweep->group[h].axes; k++)
            before[sweep->group[h].axis[k]] = work->count[1][sweep->group[h].axis[k]];
    memcpy(after, before, sizeof work->count[0]);
    for (int k = 0; k < sweep->group[g].axes; k++) {
        const int a = sweep->group[g].axis[k];
        before[a] = weft_grid_count(sweep, inverse, a);
        after[a] = weft_grid_count(sweep, !inverse, a);
    }
}

/* Describes the change of a spectrum's length. The axis is the only one of its group. The spectrum
 * is resized in a buffer: in the group's target if the transform is forward, otherwise in its
 * source. */
static void make_resize(const plan_request *request, weft_resize *resize)
{
    const weft_pass_sweep *sweep = request->sweep;
    const int axis = request->group->axis[0];
    const ptrdiff_t size = sweep->size[axis], modes = sweep->modes[axis];
    const bool forward = weft_kind_is_forward(request->group->kind);
    if (!modes)
        return;
    *resize = (weft_resize){.from = forward ? size : modes,
                            .to = forward ? modes : size,
                            .halved = weft_kind_is_halving(sweep->kind[axis])};
    weft_resize_make(resize, sweep->axes, request->from.count,
                     forward ? request->to.stride : request->from.stride, axis);
}

bool weft_transforms_make(const weft_pass_sweep *sweep, weft_tile_work *work, const weft_tile *tile)
{
    const bool seldom = work->tiles < sweep->tiling.tiles / 8;
    work->transform = weft_new((size_t)sweep->groups, sizeof *work->transform, "transforms");
    for (int g = 0; work->transform && g < sweep->groups; g++) {
        const weft_group *group = &sweep->group[g];
        plan_request request = {.sweep = sweep, .group = group};
        place_end(sweep, work, tile, group->from, &request.from);
        place_end(sweep, work, tile, group->to, &request.to);
        count_ends(sweep, work, g, &request);
        make_resize(&request, &work->transform[g].resize);
        if (!make_transform(&request, seldom, &work->transform[g]))
            return false;
    }
    return work->transform;
}

void weft_transforms_free(const weft_pass_sweep *sweep, weft_tile_work *work)
{
    for (int g = 0; work->transform && g < sweep->groups; g++) {
        const weft_transform *transform = &work->transform[g];
        weft_fftw_plan *plan[] = {transform->aligned, transform->any, transform->rest};
        for (int k = 0; k < 3; k++)
            if (plan[k])
                weft_fftw_plan_release(plan[k]);
    }
    free(work->transform);
}

double weft_transforms_flops(const weft_pass_sweep *sweep, const weft_tile_work *work)
{
    double flops = 0;
    for (int g = 0; g < sweep->groups; g++) {
        const weft_transform *transform = &work->transform[g];
        double add = 0, mul = 0, fma = 0, times = 1;
        for (int k = 0; k < transform->loops; k++)
            times *= (double)transform->loop[k].count;
        const weft_fftw_plan *plan = transform->aligned ? transform->aligned : transform->any;
        FFTW(flops)(plan->plan, &add, &mul, &fma);
        double each = add + mul + 2 * fma;
        if (transform->halves)
            each = each / (double)transform->batch + 4 * (double)transform->halves;
        flops += times * each;
    }
    return flops;
}
