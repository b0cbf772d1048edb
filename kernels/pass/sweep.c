/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Setting up a sweep: tiles, and for every sort of tile the buffers, copies and plans of its
 * program.
 */
#include "kernels/pass/sweep.h"

#include <stdlib.h>
#include <string.h>
#include "kernels/base/cache.h"
#include "kernels/base/error.h"

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
    if (sweep->groups && !weft_pass_plans(sweep, program, tile))
        return false;
    if (sweep->groups == 0 && !sweep->choice.gather) {
        program->gather = weft_pass_copies_through(sweep, program, tile);
        return program->gather != NULL;
    }
    if (sweep->choice.gather && !(program->gather = weft_pass_copies(sweep, program, 0, tile)))
        return false;
    if (sweep->choice.scatter && !(program->scatter = weft_pass_copies(sweep, program, 1, tile)))
        return false;
    return true;
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
        weft_pass_count_flops(sweep, &sweep->program[tile.sort]);
    }
    drop_unused_buffers(sweep);
    return true;
}

bool weft_pass_sweep_make(weft_sweep *sweep, const weft_choice *choice)
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
    weft_pass_group(sweep);
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
    weft_pass_sweep_unmake(sweep);
    return false;
}

void weft_pass_sweep_unmake(weft_sweep *sweep)
{
    for (ptrdiff_t s = 0; sweep->program && s < sweep->tiling.sorts; s++) {
        weft_program *program = &sweep->program[s];
        weft_pass_copies_free(sweep, program);
        weft_pass_plans_free(sweep, program);
    }
    free(sweep->program);
    sweep->program = NULL;
    weft_tiling_free(&sweep->tiling);
}
