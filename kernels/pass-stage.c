/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Setting up a stage: tiles, and for every sort of tile the copies and FFTW plans of its program.
 */
#include "pass-plan.h"

#include <stdlib.h>
#include <string.h>
#include "error.h"

enum { LINE = 64, PAGE = 4096 };

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
    if (bytes < 4 * LINE)
        return bytes;
    size_t lines = (bytes + LINE - 1) / LINE;
    return (lines | 1) * LINE;
}

static void lay_out_buffer(const weft_stage *stage, weft_program *program)
{
    const weft_side *sides[] = {&stage->source, &stage->target};
    const weft_side *leader = stage->choice.follow_source ? &stage->source : &stage->target;
    for (int b = 0; b < 2; b++) {
        int order[WEFT_MAX_AXES];
        size_t element = sides[b]->element, bytes = element;
        order_counts(leader, program->count[b], order);
        for (int k = stage->axes - 1; k >= 0; k--) {
            int a = order[k];
            program->buffer.stride[b][a] = (ptrdiff_t)(bytes / element);
            bytes *= (size_t)program->count[b][a];
            if (k > 0 && program->count[b][a] > 1)
                bytes = pad_row(bytes);
        }
        program->buffer.bytes[b] = (bytes + 4 * LINE - 1) / LINE * LINE;
    }
}

static const ptrdiff_t *strides_at(const weft_stage *stage, const weft_program *program,
                                   const weft_tile *tile, weft_at at)
{
    const weft_side *source = &stage->source, *target = &stage->target;
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
static unsigned source_flag(const weft_stage *stage, const weft_group *group)
{
    bool same = stage->in_place && group->to == WEFT_AT_TARGET;
    if (group->from != WEFT_AT_SOURCE || stage->may_destroy || same)
        return FFTW_DESTROY_INPUT;
    return FFTW_PRESERVE_INPUT;
}

/* Counts of indices before and after group g. */
static void counts_around(const weft_stage *stage, const weft_program *program, int g,
                          ptrdiff_t *before, ptrdiff_t *after)
{
    const weft_kind kind = stage->group[g].kind;
    bool halved = false; /* has a group before this one changed the counts? */
    for (int h = 0; h < g; h++)
        halved = halved || stage->group[h].kind == WEFT_R2C;
    memcpy(before, program->count[halved], sizeof program->count[0]);
    memcpy(after, program->count[halved || kind == WEFT_R2C || kind == WEFT_C2R],
           sizeof program->count[0]);
}

static bool make_plans(weft_stage *stage, weft_program *program, const weft_tile *tile)
{
    /* What is seldom run is not worth much planning. */
    bool seldom = program->tiles < stage->tiling.tiles / 8;
    unsigned flags = stage->choice.estimated || seldom ? FFTW_ESTIMATE : stage->flags;
    program->plan = calloc((size_t)stage->groups, sizeof *program->plan);
    for (int g = 0; program->plan && g < stage->groups; g++) {
        const weft_group *group = &stage->group[g];
        ptrdiff_t before[WEFT_MAX_AXES], after[WEFT_MAX_AXES];
        counts_around(stage, program, g, before, after);
        bool arrays = group->from == WEFT_AT_SOURCE || group->to == WEFT_AT_TARGET;
        bool unaligned = stage->flags & FFTW_UNALIGNED;
        unsigned extra = source_flag(stage, group);
        weft_fft fft = {
            .stage = stage,
            .group = group,
            .count_before = before,
            .count_after = after,
            .from_stride = strides_at(stage, program, tile, group->from),
            .to_stride = strides_at(stage, program, tile, group->to),
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

static bool make_program(weft_stage *stage, const weft_tile *tile)
{
    weft_program *program = &stage->program[tile->sort];
    program->made = true;
    for (int a = 0; a < stage->axes; a++) {
        ptrdiff_t count = tile->segment[a]->count;
        program->count[0][a] = stage->transformed[a] ? stage->source.count[a] : count;
        program->count[1][a] = stage->transformed[a] ? stage->target.count[a] : count;
    }
    lay_out_buffer(stage, program);
    for (int b = 0; b < 2; b++)
        if (stage->buffer[b] < program->buffer.bytes[b])
            stage->buffer[b] = program->buffer.bytes[b];
    if (stage->groups && !make_plans(stage, program, tile))
        return false;
    if (stage->groups == 0 && !stage->choice.gather) {
        program->gather = WEFT(pass_copies_through)(stage, program, tile);
        return program->gather != NULL;
    }
    if (stage->choice.gather && !(program->gather = WEFT(pass_copies)(stage, program, 0, tile)))
        return false;
    if (stage->choice.scatter && !(program->scatter = WEFT(pass_copies)(stage, program, 1, tile)))
        return false;
    return true;
}

static void count_flops(weft_stage *stage, const weft_program *program)
{
    for (int g = 0; g < stage->groups; g++) {
        double add = 0, mul = 0, fma = 0;
        FFTW(plan) plan = program->plan[g][0] ? program->plan[g][0] : program->plan[g][1];
        FFTW(flops)(plan, &add, &mul, &fma);
        stage->flops += add + mul + 2 * fma;
    }
}

static void drop_unused_buffers(weft_stage *stage)
{
    bool used[2] = {stage->choice.gather, stage->choice.scatter};
    for (int g = 0; g < stage->groups; g++) {
        used[0] = used[0] || stage->group[g].to == WEFT_AT_FIRST;
        used[1] = used[1] || stage->group[g].to == WEFT_AT_SECOND;
    }
    if (stage->source.element == stage->target.element) { /* the first serves as both */
        if (stage->buffer[0] < stage->buffer[1])
            stage->buffer[0] = stage->buffer[1];
        used[0] = used[0] || used[1];
        used[1] = false;
    }
    for (int b = 0; b < 2; b++)
        if (!used[b])
            stage->buffer[b] = 0;
}

static bool make_programs(weft_stage *stage)
{
    stage->program = calloc((size_t)stage->tiling.sorts, sizeof *stage->program);
    if (!stage->program) {
        weft_error("pass: no memory for %td sorts of tiles", stage->tiling.sorts);
        return false;
    }
    weft_tile tile;
    for (ptrdiff_t place = 0; place < stage->tiling.tiles; place++) {
        weft_tiling_tile(&stage->tiling, place, &tile);
        stage->program[tile.sort].tiles++;
    }
    for (ptrdiff_t place = 0; place < stage->tiling.tiles; place++) {
        weft_tiling_tile(&stage->tiling, place, &tile);
        if (!stage->program[tile.sort].made && !make_program(stage, &tile))
            return false;
        count_flops(stage, &stage->program[tile.sort]);
    }
    drop_unused_buffers(stage);
    return true;
}

bool WEFT(pass_stage_make)(weft_stage *stage, const weft_choice *choice)
{
    ptrdiff_t extent[WEFT_MAX_AXES];
    size_t element = stage->source.element > stage->target.element ? stage->source.element
                                                                   : stage->target.element;
    weft_tile_wish wish = {
        .most = choice->tile / (double)element,
        .line = 2 * LINE,
        .page = PAGE,
    };
    stage->choice = *choice;
    WEFT(pass_group)(stage);
    weft_tile_extents(&stage->source, &stage->target, stage->transformed, &wish, extent);
    weft_tile_share(&stage->source, &stage->target, stage->transformed, stage->threads, extent);
    stage->flops = 0;
    stage->buffer[0] = stage->buffer[1] = 0;
    if (!weft_tiling_make(&stage->tiling, &stage->source, &stage->target, stage->transformed,
                          extent))
        return false;
    if (stage->groups == 0 && stage->in_place && !stage->factors) {
        stage->tiling.tiles = 0; /* everything is where it belongs */
        return true;
    }
    if (make_programs(stage))
        return true;
    WEFT(pass_stage_unmake)(stage);
    return false;
}

void WEFT(pass_stage_unmake)(weft_stage *stage)
{
    for (ptrdiff_t s = 0; stage->program && s < stage->tiling.sorts; s++) {
        weft_program *program = &stage->program[s];
        WEFT(pass_copies_free)(stage, program);
        for (int g = 0; program->plan && g < stage->groups; g++)
            for (int u = 0; u < 2; u++)
                if (program->plan[g][u])
                    FFTW(destroy_plan)(program->plan[g][u]);
        free(program->plan);
    }
    free(stage->program);
    stage->program = NULL;
    weft_tiling_free(&stage->tiling);
}
