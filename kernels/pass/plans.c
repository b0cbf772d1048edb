/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The FFTW plans of a tile: how much of FFTW's planning each is worth, and for which arrays.
 */
#include "kernels/pass/sweep.h"

#include <stdlib.h>
#include <string.h>

static const ptrdiff_t *strides_at(const weft_sweep *sweep, const weft_program *program,
                                   const weft_tile *tile, weft_at at)
{
    const weft_side *source = &sweep->source, *target = &sweep->target;
    switch (at) {
    case WEFT_AT_SOURCE:
        return source->piece[tile->segment[source->axis]->from_piece].stride;
    case WEFT_AT_FIRST:
        return program->buffer.stride[0];
    case WEFT_AT_SECOND:
        return program->buffer.stride[1];
    default:
        return target->piece[tile->segment[target->axis]->to_piece].stride;
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

/* Counts of indices before and after group g. */
static void counts_around(const weft_sweep *sweep, const weft_program *program, int g,
                          ptrdiff_t *before, ptrdiff_t *after)
{
    const weft_kind kind = sweep->group[g].kind;
    bool halved = false; /* has a group before this one changed the counts? */
    for (int h = 0; h < g; h++)
        halved = halved || sweep->group[h].kind == WEFT_R2C;
    memcpy(before, program->count[halved], sizeof program->count[0]);
    memcpy(after, program->count[halved || kind == WEFT_R2C || kind == WEFT_C2R],
           sizeof program->count[0]);
}

/*
 * FFTW_MEASURE times many ways of which some are hardly ever the best. Of 20 transforms of tiles,
 * 64 to 1000 points long, those without its indirect ones were on average as fast, in half the
 * planning time. `quick` leaves out more: with pruning most were within a sixth of the best in a
 * 20th of the time. Of real kinds that is so for r2c and c2r, some lengths of which go in rows.
 */
static bool pruned_well(weft_kind kind)
{
    return kind < WEFT_R2HC;
}

bool weft_pass_pruned_well(const weft_sweep *sweep)
{
    for (int g = 0; g < sweep->groups; g++)
        if (!pruned_well(sweep->group[g].kind))
            return false;
    return true;
}

/* FFTW's flags for a sweep; with WISDOM_ONLY it finds what was measured when asked as it was then.
 */
static unsigned rigor(const weft_sweep *sweep)
{
    if (sweep->choice.estimated)
        return FFTW_ESTIMATE;
    return sweep->flags & FFTW_WISDOM_ONLY ? sweep->flags & ~FFTW_ESTIMATE : sweep->flags;
}

bool weft_pass_is_quick(const weft_sweep *sweep)
{
    return sweep->choice.quick &&
           !(rigor(sweep) & (FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE));
}

static unsigned effort(const weft_sweep *sweep, const weft_group *group, bool seldom)
{
    const unsigned flags = seldom ? FFTW_ESTIMATE : rigor(sweep);
    if (flags & (FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE))
        return flags;
    if (!sweep->choice.quick)
        return flags | FFTW_NO_INDIRECT_OP;
    return flags | (pruned_well(group->kind)
                        ? FFTW_ALLOW_PRUNING
                        : FFTW_NO_INDIRECT_OP | FFTW_NO_BUFFERING | FFTW_NO_RANK_SPLITS);
}

/* The axes that are no part of a row, in steps of bytes, the longest of the target outermost. */
static void make_loops(const weft_fft *fft, weft_transform *transform)
{
    const weft_sweep *sweep = fft->sweep;
    const ptrdiff_t from_element = (ptrdiff_t)weft_pass_element_at(sweep, fft->group->from),
                    to_element = (ptrdiff_t)weft_pass_element_at(sweep, fft->group->to);
    for (int a = 0; a < sweep->axes; a++) {
        if (a == fft->group->axis[0] || fft->count_before[a] == 1)
            continue;
        const ptrdiff_t to_step = fft->to_stride[a] * to_element;
        int k = transform->loops++;
        for (; k > 0 && transform->to_step[k - 1] < to_step; k--) {
            transform->count[k] = transform->count[k - 1];
            transform->from_step[k] = transform->from_step[k - 1];
            transform->to_step[k] = transform->to_step[k - 1];
        }
        transform->count[k] = fft->count_before[a];
        transform->from_step[k] = fft->from_stride[a] * from_element;
        transform->to_step[k] = to_step;
    }
}

/* Whether all rows lie as the first one does. */
static bool loops_aligned(const weft_transform *transform)
{
    for (int k = 0; k < transform->loops; k++)
        if (!weft_pass_aligned(transform->from_step[k]) ||
            !weft_pass_aligned(transform->to_step[k]))
            return false;
    return true;
}

static bool make_transform(const weft_fft *fft, bool seldom, weft_transform *transform)
{
    const weft_sweep *sweep = fft->sweep;
    const weft_group *group = fft->group;
    const bool arrays = group->from == WEFT_AT_SOURCE || group->to == WEFT_AT_TARGET;
    const bool unaligned = sweep->flags & FFTW_UNALIGNED;
    const unsigned flags = effort(sweep, group, seldom), extra = source_flag(sweep, group);
    weft_fft wish = *fft;
    wish.flags = (flags & ~FFTW_UNALIGNED) | extra;
    if (group->in_rows) {
        make_loops(fft, transform);
        if (!loops_aligned(transform))
            wish.flags |= FFTW_UNALIGNED;
    }
    if (!arrays || !unaligned) {
        transform->aligned = weft_pass_fft(&wish);
        if (!transform->aligned)
            return false;
    }
    if (arrays) {
        wish.flags = (unaligned ? flags : FFTW_ESTIMATE) | FFTW_UNALIGNED | extra;
        transform->any = weft_pass_fft(&wish);
    }
    return !arrays || transform->any;
}

bool weft_pass_plans(const weft_sweep *sweep, weft_program *program, const weft_tile *tile)
{
    /* What is seldom run is not worth much planning. */
    const bool seldom = program->tiles < sweep->tiling.tiles / 8;
    program->transform = calloc((size_t)sweep->groups, sizeof *program->transform);
    for (int g = 0; program->transform && g < sweep->groups; g++) {
        const weft_group *group = &sweep->group[g];
        ptrdiff_t before[WEFT_MAX_AXES], after[WEFT_MAX_AXES];
        counts_around(sweep, program, g, before, after);
        const weft_fft fft = {
            .sweep = sweep,
            .group = group,
            .count_before = before,
            .count_after = after,
            .from_stride = strides_at(sweep, program, tile, group->from),
            .to_stride = strides_at(sweep, program, tile, group->to),
        };
        if (!make_transform(&fft, seldom, &program->transform[g]))
            return false;
    }
    return program->transform != NULL;
}

void weft_pass_plans_free(const weft_sweep *sweep, weft_program *program)
{
    for (int g = 0; program->transform && g < sweep->groups; g++) {
        FFTW(plan) plan[] = {program->transform[g].aligned, program->transform[g].any};
        for (int k = 0; k < 2; k++)
            if (plan[k])
                FFTW(destroy_plan)(plan[k]);
    }
    free(program->transform);
}

void weft_pass_count_flops(weft_sweep *sweep, const weft_program *program)
{
    for (int g = 0; g < sweep->groups; g++) {
        const weft_transform *transform = &program->transform[g];
        double add = 0, mul = 0, fma = 0, times = 1;
        for (int k = 0; k < transform->loops; k++)
            times *= (double)transform->count[k];
        FFTW(flops)(transform->aligned ? transform->aligned : transform->any, &add, &mul, &fma);
        sweep->flops += times * (add + mul + 2 * fma);
    }
}
