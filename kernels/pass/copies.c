/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The copies that gather a tile into a buffer, scatter it out of one, or take it straight from
 * source to target. They know nothing of where the tile lies: all tiles of one sort share them.
 */
#include "kernels/pass/sweep.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/copy/kernel.h"

static bool sees_all(const weft_sweep *sweep, const weft_side *side)
{
    return side->pieces > 1 && sweep->transformed[side->axis];
}

static void free_copies(const weft_sweep *sweep, const weft_side *side, weft_copy **copies)
{
    int pieces = sees_all(sweep, side) ? side->pieces : 1;
    for (int p = 0; copies && p < pieces; p++) {
        bool first = true;
        for (int q = 0; q < p && first; q++)
            first = copies[q] != copies[p];
        if (first && copies[p])
            weft_copy_release(copies[p]);
    }
    free(copies);
}

weft_copy **weft_pass_copies(const weft_sweep *sweep, const weft_program *program, int b,
                             const weft_tile *tile)
{
    const weft_side *side = b ? &sweep->target : &sweep->source;
    const ptrdiff_t *buffer = program->buffer.stride[b];
    bool all = sees_all(sweep, side);
    int pieces = all ? side->pieces : 1;
    weft_copy_limits limits = {.stream = b && sweep->choice.stream ? 0 : SIZE_MAX};
    weft_copy **copies = calloc((size_t)pieces, sizeof *copies);
    for (int p = 0; copies && p < pieces; p++) {
        int from_or_to =
            b ? tile->segment[side->axis]->to_piece : tile->segment[side->axis]->from_piece;
        const weft_view_piece *piece = &side->piece[all ? p : from_or_to];
        ptrdiff_t count[WEFT_MAX_AXES];
        memcpy(count, program->count[b], sizeof count);
        if (all) {
            count[side->axis] = piece->count;
            for (int q = 0; q < p && !copies[p]; q++)
                if (side->like[q] == side->like[p] && side->piece[q].count == piece->count)
                    copies[p] = copies[q];
        }
        if (copies[p])
            continue;
        copies[p] = b ? weft_copy_prepare_limited(&limits, side->element, side->axes, count, 0,
                                                  buffer, 0, piece->stride)
                      : weft_copy_prepare_limited(&limits, side->element, side->axes, count, 0,
                                                  piece->stride, 0, buffer);
        if (!copies[p]) {
            free_copies(sweep, side, copies);
            return NULL;
        }
    }
    return copies;
}

weft_copy **weft_pass_copies_through(const weft_sweep *sweep, const weft_program *program,
                                     const weft_tile *tile)
{
    const weft_side *source = &sweep->source, *target = &sweep->target;
    weft_copy_limits limits = {.stream = sweep->choice.stream ? 0 : SIZE_MAX};
    weft_copy **copies = calloc(1, sizeof *copies);
    if (copies)
        copies[0] = weft_copy_prepare_limited(
            &limits, source->element, sweep->axes, program->count[0], 0,
            source->piece[tile->segment[source->axis]->from_piece].stride, 0,
            target->piece[tile->segment[target->axis]->to_piece].stride);
    if (copies && !copies[0]) {
        free(copies);
        copies = NULL;
    }
    return copies;
}

void weft_pass_copies_free(const weft_sweep *sweep, weft_program *program)
{
    free_copies(sweep, &sweep->source, program->gather);
    free_copies(sweep, &sweep->target, program->scatter);
}
