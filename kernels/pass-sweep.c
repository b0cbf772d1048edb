/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Setting up a sweep: tiles, and for every sort of tile the copies and FFTW plans of its program.
 */
#include "pass-plan.h"

#include <stdlib.h>
#include <string.h>
#include "cache.h"
#include "error.h"

enum { PAGE = 4096 };

static int order_counts(const weft_side *side, const ptrdiff_t *count, int *order)
{
    weft_side part = *side;
    memcpy(part.count, count, sizeof part.count);
    weft_side_order(&part, order);
    return part.axes;
}

/* Rows of an odd number of whole lines: steps that are multiples of a large power of two would
 * compete for the same few places of the cache. */
static size_t pad_row(size_t bytes)
{
    if (bytes < 4 * WEFT_LINE)
        return bytes;
    size_t lines = (bytes + WEFT_LINE - 1) / WEFT_LINE;
    return (lines | 1) * WEFT_LINE;
}

static void lay_out_buffer(const weft_sweep *sweep, weft_program *program)
{
    const weft_side *sides[] = {&sweep->source, &sweep->target};
    const weft_side *leader = sweep->choice.follow_source ? &sweep->source : &sweep->target;
    for (int b = 0; b < 2; b++) {
        int order[WEFT_MAX_AXES];
        size_t element = sides[b]->element, bytes = element;
        order_counts(leader, program->count[b], order);
        for (int k = sweep->axes - 1; k >= 0; k--) {
            int a = order[k];
            program->buffer.stride[b][a] = (ptrdiff_t)(bytes / element);
            bytes *= (size_t)program->count[b][a];
            if (k > 0 && program->count[b][a] > 1)
                bytes = pad_row(bytes);
        }
        program->buffer.bytes[b] = (bytes + 4 * WEFT_LINE - 1) / WEFT_LINE * WEFT_LINE;
    }
}

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
 * 20th of the time. Real ones of 64 and 128 points take up to twice as long then (FFTW has them in
 * one piece, which is not the best), but lose little without FFTW's buffers and other divisions of
 * the axes, in a third.
 */
static bool pruned_well(const weft_sweep *sweep, const weft_group *group)
{
    if (group->kind == WEFT_FORWARD || group->kind == WEFT_BACKWARD)
        return true;
    if (group->kind != WEFT_R2C && group->kind != WEFT_C2R)
        return false;
    for (int k = 0; k < group->axes; k++)
        if (sweep->size[group->axis[k]] == 64 || sweep->size[group->axis[k]] == 128)
            return false;
    return true;
}

bool WEFT(pass_plans_quickly)(const weft_sweep *sweep)
{
    for (int g = 0; g < sweep->groups; g++)
        if (!pruned_well(sweep, &sweep->group[g]))
            return false;
    return true;
}

static unsigned effort(const weft_sweep *sweep, const weft_group *group, bool seldom)
{
    if (sweep->choice.estimated || seldom)
        return FFTW_ESTIMATE;
    unsigned flags = sweep->flags;
    if (flags & FFTW_WISDOM_ONLY)
        flags &= ~FFTW_ESTIMATE; /* FFTW finds what was measured when asked as it was then */
    if (flags & (FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE))
        return flags;
    if (!sweep->choice.quick)
        return flags | FFTW_NO_INDIRECT_OP;
    return flags | (pruned_well(sweep, group)
                        ? FFTW_ALLOW_PRUNING
                        : FFTW_NO_INDIRECT_OP | FFTW_NO_BUFFERING | FFTW_NO_RANK_SPLITS);
}

static bool make_plans(weft_sweep *sweep, weft_program *program, const weft_tile *tile)
{
    /* What is seldom run is not worth much planning. */
    bool seldom = program->tiles < sweep->tiling.tiles / 8;
    program->plan = calloc((size_t)sweep->groups, sizeof *program->plan);
    for (int g = 0; program->plan && g < sweep->groups; g++) {
        const weft_group *group = &sweep->group[g];
        ptrdiff_t before[WEFT_MAX_AXES], after[WEFT_MAX_AXES];
        counts_around(sweep, program, g, before, after);
        bool arrays = group->from == WEFT_AT_SOURCE || group->to == WEFT_AT_TARGET;
        bool unaligned = sweep->flags & FFTW_UNALIGNED;
        unsigned flags = effort(sweep, group, seldom), extra = source_flag(sweep, group);
        weft_fft fft = {
            .sweep = sweep,
            .group = group,
            .count_before = before,
            .count_after = after,
            .from_stride = strides_at(sweep, program, tile, group->from),
            .to_stride = strides_at(sweep, program, tile, group->to),
            .flags = (flags & ~FFTW_UNALIGNED) | extra,
        };
        if (!arrays || !unaligned) {
            program->plan[g][0] = WEFT(pass_fft)(&fft);
            if (!program->plan[g][0])
                return false;
        }
        if (arrays) {
            fft.flags = (unaligned ? flags : FFTW_ESTIMATE) | FFTW_UNALIGNED | extra;
            program->plan[g][1] = WEFT(pass_fft)(&fft);
            if (!program->plan[g][1])
                return false;
        }
    }
    return program->plan != NULL;
}

static bool make_program(weft_sweep *sweep, const weft_tile *tile)
{
    weft_program *program = &sweep->program[tile->sort];
    program->made = true;
    for (int a = 0; a < sweep->axes; a++) {
        ptrdiff_t count = tile->segment[a]->count;
        program->count[0][a] = sweep->transformed[a] ? sweep->source.count[a] : count;
        program->count[1][a] = sweep->transformed[a] ? sweep->target.count[a] : count;
    }
    lay_out_buffer(sweep, program);
    for (int b = 0; b < 2; b++)
        if (sweep->buffer[b] < program->buffer.bytes[b])
            sweep->buffer[b] = program->buffer.bytes[b];
    if (sweep->groups && !make_plans(sweep, program, tile))
        return false;
    if (sweep->groups == 0 && !sweep->choice.gather) {
        program->gather = WEFT(pass_copies_through)(sweep, program, tile);
        return program->gather != NULL;
    }
    if (sweep->choice.gather && !(program->gather = WEFT(pass_copies)(sweep, program, 0, tile)))
        return false;
    if (sweep->choice.scatter && !(program->scatter = WEFT(pass_copies)(sweep, program, 1, tile)))
        return false;
    return true;
}

static void count_flops(weft_sweep *sweep, const weft_program *program)
{
    for (int g = 0; g < sweep->groups; g++) {
        double add = 0, mul = 0, fma = 0;
        FFTW(plan) plan = program->plan[g][0] ? program->plan[g][0] : program->plan[g][1];
        FFTW(flops)(plan, &add, &mul, &fma);
        sweep->flops += add + mul + 2 * fma;
    }
}

static void drop_unused_buffers(weft_sweep *sweep)
{
    bool used[2] = {sweep->choice.gather, sweep->choice.scatter};
    for (int g = 0; g < sweep->groups; g++) {
        used[0] = used[0] || sweep->group[g].to == WEFT_AT_FIRST;
        used[1] = used[1] || sweep->group[g].to == WEFT_AT_SECOND;
    }
    if (sweep->source.element == sweep->target.element) { /* the first serves as both */
        if (sweep->buffer[0] < sweep->buffer[1])
            sweep->buffer[0] = sweep->buffer[1];
        used[0] = used[0] || used[1];
        used[1] = false;
    }
    for (int b = 0; b < 2; b++)
        if (!used[b])
            sweep->buffer[b] = 0;
}

static bool make_programs(weft_sweep *sweep)
{
    sweep->program = calloc((size_t)sweep->tiling.sorts, sizeof *sweep->program);
    if (!sweep->program) {
        weft_error("pass: no memory for %td sorts of tiles", sweep->tiling.sorts);
        return false;
    }
    weft_tile tile;
    for (ptrdiff_t place = 0; place < sweep->tiling.tiles; place++) {
        weft_tiling_tile(&sweep->tiling, place, &tile);
        sweep->program[tile.sort].tiles++;
    }
    for (ptrdiff_t place = 0; place < sweep->tiling.tiles; place++) {
        weft_tiling_tile(&sweep->tiling, place, &tile);
        if (!sweep->program[tile.sort].made && !make_program(sweep, &tile))
            return false;
        count_flops(sweep, &sweep->program[tile.sort]);
    }
    drop_unused_buffers(sweep);
    return true;
}

bool WEFT(pass_sweep_make)(weft_sweep *sweep, const weft_choice *choice)
{
    ptrdiff_t extent[WEFT_MAX_AXES];
    size_t element = sweep->source.element > sweep->target.element ? sweep->source.element
                                                                   : sweep->target.element;
    weft_tile_wish wish = {
        .most = choice->tile / (double)element,
        .line = 2 * WEFT_LINE,
        .page = PAGE,
    };
    sweep->choice = *choice;
    WEFT(pass_group)(sweep);
    weft_tile_extents(&sweep->source, &sweep->target, sweep->transformed, &wish, extent);
    weft_tile_share(&sweep->source, &sweep->target, sweep->transformed, sweep->threads, extent);
    sweep->flops = 0;
    sweep->buffer[0] = sweep->buffer[1] = 0;
    if (!weft_tiling_make(&sweep->tiling, &sweep->source, &sweep->target, sweep->transformed,
                          extent))
        return false;
    if (sweep->groups == 0 && sweep->in_place && !sweep->factors) {
        sweep->tiling.tiles = 0; /* everything is where it belongs */
        return true;
    }
    if (make_programs(sweep))
        return true;
    WEFT(pass_sweep_unmake)(sweep);
    return false;
}

void WEFT(pass_sweep_unmake)(weft_sweep *sweep)
{
    for (ptrdiff_t s = 0; sweep->program && s < sweep->tiling.sorts; s++) {
        weft_program *program = &sweep->program[s];
        WEFT(pass_copies_free)(sweep, program);
        for (int g = 0; program->plan && g < sweep->groups; g++)
            for (int u = 0; u < 2; u++)
                if (program->plan[g][u])
                    FFTW(destroy_plan)(program->plan[g][u]);
        free(program->plan);
    }
    free(sweep->program);
    sweep->program = NULL;
    weft_tiling_free(&sweep->tiling);
}
