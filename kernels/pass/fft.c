/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The FFTW plans of a tile. A plan is made once, on scratch memory that reaches as far as the tile
 * does in the real arrays (only what FFTW touches while it measures ever becomes memory), and is
 * then executed on the arrays of each run.
 */
#include "kernels/pass/fft.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/progress.h"
#include "kernels/pass/halves.h"
#include "kernels/pass/inner.h"
#include "kernels/pass/modes.h"
#include "kernels/pass/pass.h"
#include "kernels/pass/planner.h"
#include "kernels/pass/timelimit.h"

/* A plan that is wished for: of a group between memories of these steps, for counts of indices
 * before and after it. */
typedef struct {
    const weft_sweep *sweep;
    const weft_group *group;
    ptrdiff_t count_before[WEFT_MAX_AXES], count_after[WEFT_MAX_AXES];
    const ptrdiff_t *from_stride, *to_stride;
    const weft_transform *halves; /* whose rows are transformed in halves; NULL: others */
    ptrdiff_t batch;              /* of so many rows */
    unsigned flags;
} wish;

/* Addresses for a box, and where its first index lies in them. FFTW touches no memory to estimate:
 * then there is none behind them. */
typedef struct {
    char *base, *first;
    size_t bytes;
    bool mapped;
} addresses;

/* If not mapped they begin at base. */
static bool range_make(addresses *range, int axes, const ptrdiff_t *count, const ptrdiff_t *stride,
                       size_t element)
{
    ptrdiff_t lowest, highest;
    weft_box_reach(axes, count, stride, &lowest, &highest);
    range->bytes = ((size_t)(highest - lowest) + 2) * element + 64;
    range->mapped = range->mapped || (size_t)(uintptr_t)range->base + range->bytes < range->bytes;
    if (range->mapped)
        range->base = mmap(NULL, range->bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range->base == MAP_FAILED) {
        range->mapped = false;
        weft_error("pass: no addresses to plan in");
        return false;
    }
    size_t before = (size_t)-lowest * element;
    range->first = range->base + before + (64 - before % 64) % 64;
    return true;
}

static void range_drop(const addresses *range)
{
    if (range->mapped)
        munmap(range->base, range->bytes);
}

typedef struct {
    int rank, many;
    FFTW(iodim64) dim[WEFT_MAX_AXES], loop[WEFT_MAX_AXES];
    FFTW(r2r_kind) kind[WEFT_MAX_AXES];
} fft_dims;

static FFTW(r2r_kind) r2r_kind(weft_kind kind)
{
    static const FFTW(r2r_kind) kinds[] = {
        FFTW_R2HC,    FFTW_HC2R,    FFTW_DHT,     FFTW_REDFT00, FFTW_REDFT01, FFTW_REDFT10,
        FFTW_REDFT11, FFTW_RODFT00, FFTW_RODFT01, FFTW_RODFT10, FFTW_RODFT11,
    };
    return kind >= WEFT_R2HC ? kinds[kind - WEFT_R2HC] : FFTW_R2HC;
}

/* Between memories of complex numbers: backward, where rows have just been folded. */
static void describe_halves(const wish *fft, fft_dims *dims)
{
    const weft_transform *transform = fft->halves;
    const int last = transform->loops - 1;
    dims->rank = 1;
    dims->dim[0] = (FFTW(iodim64)){transform->halves / 2, 1, 1};
    dims->kind[0] = FFTW_R2HC;
    dims->many = 0;
    if (fft->batch > 1) {
        const ptrdiff_t number = sizeof(weft_complex), to = transform->to_step[last] / number,
                        from = transform->from_step[last] / number;
        dims->loop[dims->many++] =
            (FFTW(iodim64)){fft->batch, fft->group->kind == WEFT_R2C ? from : to, to};
    }
}

static void describe(const wish *fft, fft_dims *dims)
{
    const weft_sweep *sweep = fft->sweep;
    if (fft->halves) {
        describe_halves(fft, dims);
        return;
    }
    bool transformed[WEFT_MAX_AXES] = {false};
    dims->rank = fft->group->axes;
    dims->many = 0;
    for (int k = 0; k < fft->group->axes; k++) {
        int a = fft->group->axis[k];
        transformed[a] = true;
        dims->dim[k] = (FFTW(iodim64)){sweep->size[a], fft->from_stride[a], fft->to_stride[a]};
        dims->kind[k] = r2r_kind(sweep->kind[a]);
    }
    for (int a = 0; a < sweep->axes && !fft->group->in_rows; a++)
        if (!transformed[a] && fft->count_before[a] > 1)
            dims->loop[dims->many++] =
                (FFTW(iodim64)){fft->count_before[a], fft->from_stride[a], fft->to_stride[a]};
}

/* Of what FFTW does in a group. */
static weft_kind inner_kind(const weft_group *group)
{
    if (!group->in_halves)
        return group->kind;
    return group->kind == WEFT_R2C ? WEFT_FORWARD : WEFT_BACKWARD;
}

static FFTW(plan)
    plan_with(const wish *fft, unsigned flags, const fft_dims *dims, void *from, void *to)
{
    const weft_kind kind = inner_kind(fft->group);
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

/* There may be none without what effort left out. */
static FFTW(plan) plan(const wish *fft, const fft_dims *dims, void *from, void *to)
{
    const unsigned left_out =
        FFTW_NO_INDIRECT_OP | FFTW_NO_BUFFERING | FFTW_NO_RANK_SPLITS | FFTW_ALLOW_PRUNING;
    FFTW(plan) made = plan_with(fft, fft->flags, dims, from, to);
    if (!made && (fft->flags & left_out))
        made = plan_with(fft, fft->flags & ~left_out, dims, from, to);
    return made;
}

static size_t element_at(const weft_sweep *sweep, weft_at at)
{
    if (at == WEFT_AT_MIDDLE)
        return sizeof(weft_complex);
    return at == WEFT_AT_SOURCE || at == WEFT_AT_FIRST ? sweep->source.element
                                                       : sweep->target.element;
}

bool weft_fft_aligned(ptrdiff_t bytes)
{
    return FFTW(alignment_of)((void *)(uintptr_t)bytes) == 0;
}

bool weft_pass_array_aligned(const void *array)
{
    return FFTW(alignment_of)((void *)(uintptr_t)array) == 0;
}

static bool same_memory(const weft_sweep *sweep, const weft_group *group)
{
    return group->from == group->to ||
           (sweep->in_place && group->from == WEFT_AT_SOURCE && group->to == WEFT_AT_TARGET);
}

/* What FFTW may take for a plan, of which many are made while tiles are tuned: what is left of the
 * time for that. With none left it estimates. Negative: there is no limit. */
static double seconds_left(const weft_sweep *sweep)
{
    if (!sweep->timed || sweep->until <= 0)
        return -1;
    const double left = sweep->until - weft_clock();
    return left > 0 ? left : 0;
}

/* As it is wished for, serial and in time. */
static FFTW(plan) plan_in_time(const wish *fft, const fft_dims *dims, void *from, void *to)
{
    const int threads = weft_planner_threads_off();
    weft_timelimit_lower(seconds_left(fft->sweep));
    FFTW(plan) made = plan(fft, dims, from, to);
    weft_timelimit_restore();
    weft_planner_threads_on(threads);
    return made;
}

static void add_axes(weft_inner_request *request, int axes, const FFTW(iodim64) * axis)
{
    request->number[request->length++] = axes;
    for (int k = 0; k < axes; k++) {
        request->number[request->length++] = axis[k].n;
        request->number[request->length++] = axis[k].is;
        request->number[request->length++] = axis[k].os;
    }
}

/* All that FFTW goes by when it estimates: of the addresses it is how they are aligned. */
static void describe_request(const wish *fft, const fft_dims *dims, const void *from,
                             const void *to, weft_inner_request *request)
{
    request->length = 0;
    request->points = 0;
    request->number[request->length++] = inner_kind(fft->group);
    request->number[request->length++] = fft->flags;
    request->number[request->length++] = FFTW(alignment_of)((void *)(uintptr_t)from);
    request->number[request->length++] = FFTW(alignment_of)((void *)(uintptr_t)to);
    request->number[request->length++] = from == to;
    request->number[request->length++] = fft->halves ? fft->halves->halves : 0;
    add_axes(request, dims->rank, dims->dim);
    add_axes(request, dims->many, dims->loop);
    for (int k = 0; k < dims->rank; k++) {
        request->number[request->length++] = dims->kind[k];
        request->points += dims->dim[k].n;
    }
}

/* Without running it on any memory. */
static bool estimates(const wish *fft)
{
    return fft->flags & (FFTW_ESTIMATE | FFTW_ESTIMATE_PATIENT);
}

/* NULL: FFTW has none, or there is no memory. */
static weft_inner *plan_at(const wish *fft, const fft_dims *dims, void *from, void *to)
{
    weft_inner_request request;
    const bool shared = estimates(fft) && !(fft->flags & FFTW_WISDOM_ONLY);
    if (shared) {
        describe_request(fft, dims, from, to, &request);
        weft_inner *found = weft_inner_find(&request);
        if (found)
            return found;
    } else {
        weft_inner_cleanup(); /* FFTW may know better ways afterwards */
    }
    const bool backward = fft->group->kind == WEFT_C2R;
    weft_real *table = fft->halves ? weft_halves_table(fft->halves->halves, backward) : NULL;
    FFTW(plan) made = fft->halves && !table ? NULL : plan_in_time(fft, dims, from, to);
    if (made)
        return weft_inner_add(made, table, shared ? &request : NULL);
    free(table);
    return NULL;
}

static weft_inner *make_plan(const wish *fft)
{
    const weft_sweep *sweep = fft->sweep;
    const weft_group *group = fft->group;
    fft_dims dims;
    const bool touched = !estimates(fft);
    addresses from = {.base = (char *)64, .mapped = touched}, to = {.mapped = false};
    weft_inner *made = NULL;
    describe(fft, &dims);
    size_t from_element = element_at(sweep, group->from), to_element = element_at(sweep, group->to);
    const bool folded = group->in_halves && group->kind == WEFT_C2R;
    const bool in_place = folded || same_memory(sweep, group);
    /* In place, real rows may reach a little further than complex ones or the reverse: take both.
     */
    if (!range_make(&from, sweep->axes, folded ? fft->count_after : fft->count_before,
                    folded ? fft->to_stride : fft->from_stride,
                    in_place ? 2 * from_element : from_element))
        return NULL;
    weft_progress("FFTW plans transforms of %td points, in one way of several to do a pass",
                  sweep->size[group->axis[0]]);
    if (!in_place)
        to = (addresses){.base = from.base + (from.bytes + 63) / 64 * 64, .mapped = touched};
    if (in_place || range_make(&to, sweep->axes, fft->count_after, fft->to_stride, to_element))
        made = plan_at(fft, &dims, from.first, in_place ? from.first : to.first);
    range_drop(&from);
    range_drop(&to);
    return made;
}

static const ptrdiff_t *strides_at(const weft_sweep *sweep, const weft_program *program,
                                   const weft_tile *tile, weft_at at)
{
    const weft_side *source = &sweep->source, *target = &sweep->target;
    switch (at) {
    case WEFT_AT_SOURCE:
        return source->piece[tile->span[source->axis].from_piece].stride;
    case WEFT_AT_FIRST:
        return program->stride[WEFT_FIRST];
    case WEFT_AT_MIDDLE:
        return program->stride[WEFT_MIDDLE];
    case WEFT_AT_SECOND:
        return program->stride[WEFT_SECOND];
    default:
        return target->piece[tile->span[target->axis].to_piece].stride;
    }
}

/* What FFTW may do to the source of this group. */
static unsigned source_flag(const weft_sweep *sweep, const weft_group *group)
{
    bool same = sweep->in_place && group->to == WEFT_AT_TARGET;
    if (group->from != WEFT_AT_SOURCE || sweep->may_destroy || same)
        return FFTW_DESTROY_INPUT;
    return FFTW_PRESERVE_INPUT;
}

/* Counts of indices before and after group g, as FFTW sees them. */
static void counts_around(const weft_sweep *sweep, const weft_program *program, int g,
                          ptrdiff_t *before, ptrdiff_t *after)
{
    memcpy(before, program->count[0], sizeof program->count[0]);
    for (int h = 0; h < g; h++)
        for (int k = 0; k < sweep->group[h].axes; k++) {
            const int a = sweep->group[h].axis[k];
            before[a] = program->count[1][a];
        }
    memcpy(after, before, sizeof program->count[0]);
    for (int k = 0; k < sweep->group[g].axes; k++) {
        const int a = sweep->group[g].axis[k];
        before[a] = weft_modes_seen(sweep, false, a);
        after[a] = weft_modes_seen(sweep, true, a);
    }
}

/* The axes that are no part of a row. */
static void make_loops(const wish *fft, weft_transform *transform)
{
    const weft_sweep *sweep = fft->sweep;
    const ptrdiff_t from_element = (ptrdiff_t)element_at(sweep, fft->group->from),
                    to_element = (ptrdiff_t)element_at(sweep, fft->group->to);
    for (int a = 0; a < sweep->axes; a++)
        if (a != fft->group->axis[0] && fft->count_before[a] > 1)
            weft_transform_add_loop(transform, fft->count_before[a],
                                    fft->from_stride[a] * from_element,
                                    fft->to_stride[a] * to_element);
}

/* Whether every tile begins at an aligned address of arrays that are aligned. */
static bool tiles_aligned(const weft_sweep *sweep, const weft_side *side)
{
    const ptrdiff_t element = (ptrdiff_t)side->element;
    for (int p = 0; p < side->pieces; p++) {
        if (!weft_fft_aligned(side->piece[p].offset * element) ||
            !weft_fft_aligned(side->piece[p].offset_step * element))
            return false;
        for (int a = 0; side->like[p] == p && a < side->axes; a++)
            if (!sweep->transformed[a] && side->count[a] > 1 &&
                !weft_fft_aligned(side->piece[p].stride[a] * element))
                return false;
    }
    return true;
}

/* Rows in halves: a plan of a batch, one of the rest, and the table of their folding. */
static bool make_halves(const wish *fft, weft_transform *transform)
{
    const ptrdiff_t length = fft->sweep->size[fft->group->axis[0]],
                    rows = transform->loops > 0 ? transform->count[transform->loops - 1] : 1;
    wish with = *fft;
    transform->halves = length;
    transform->batch = weft_transform_batch(rows, length);
    with.halves = transform;
    with.batch = transform->batch;
    if (!(transform->aligned = make_plan(&with)))
        return false;
    with.batch = rows % transform->batch;
    return with.batch == 0 || (transform->rest = make_plan(&with));
}

static bool make_transform(const wish *fft, bool seldom, weft_transform *transform)
{
    const weft_sweep *sweep = fft->sweep;
    const weft_group *group = fft->group;
    const bool unaligned = sweep->flags & FFTW_UNALIGNED;
    const bool anywhere =
        unaligned || (group->from == WEFT_AT_SOURCE && !tiles_aligned(sweep, &sweep->source)) ||
        (group->to == WEFT_AT_TARGET && !tiles_aligned(sweep, &sweep->target));
    const bool arrays = group->from == WEFT_AT_SOURCE || group->to == WEFT_AT_TARGET;
    const unsigned flags = weft_fft_effort(sweep, group, seldom), extra = source_flag(sweep, group);
    wish with = *fft;
    with.flags = (flags & ~FFTW_UNALIGNED) | extra;
    if (group->in_rows) {
        make_loops(fft, transform);
        if (!weft_transform_aligned(transform))
            with.flags |= FFTW_UNALIGNED;
    }
    if (group->in_halves)
        return make_halves(&with, transform);
    if (!arrays || !unaligned) {
        transform->aligned = make_plan(&with);
        if (!transform->aligned)
            return false;
    }
    if (!arrays || !anywhere)
        return true;
    with.flags = (unaligned ? flags : FFTW_ESTIMATE) | FFTW_UNALIGNED | extra;
    transform->any = make_plan(&with);
    return transform->any;
}

bool weft_transforms_make(const weft_sweep *sweep, weft_program *program, const weft_tile *tile)
{
    /* What is seldom run is not worth much planning. */
    const bool seldom = program->tiles < sweep->tiling.tiles / 8;
    program->transform = calloc((size_t)sweep->groups, sizeof *program->transform);
    for (int g = 0; program->transform && g < sweep->groups; g++) {
        const weft_group *group = &sweep->group[g];
        wish fft = {.sweep = sweep,
                    .group = group,
                    .from_stride = strides_at(sweep, program, tile, group->from),
                    .to_stride = strides_at(sweep, program, tile, group->to)};
        counts_around(sweep, program, g, fft.count_before, fft.count_after);
        weft_resize_make(sweep, program, g, &program->transform[g].resize);
        if (!make_transform(&fft, seldom, &program->transform[g]))
            return false;
    }
    return program->transform != NULL;
}

void weft_transforms_free(const weft_sweep *sweep, weft_program *program)
{
    for (int g = 0; program->transform && g < sweep->groups; g++) {
        const weft_transform *transform = &program->transform[g];
        weft_inner *plan[] = {transform->aligned, transform->any, transform->rest};
        for (int k = 0; k < 3; k++)
            if (plan[k])
                weft_inner_leave(plan[k]);
    }
    free(program->transform);
}
