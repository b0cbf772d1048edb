/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets up a sweep: the tiles, and, for each shape of tile, the buffers, the copies and FFTW's
 * plans. */
#include "kernels/pass/sweep.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/cache.h"
#include "kernels/base/memory.h"
#include "kernels/copy/kernel.h"

/* Pads rows to an odd number of cache lines: strides that are multiples of a large power of two
 * would use only a few sets of the cache. */
static size_t pad_row(size_t bytes)
{
    if (bytes < 4 * WEFT_LINE)
        return bytes;
    size_t lines = (bytes + WEFT_LINE - 1) / WEFT_LINE;
    return (lines | 1) * WEFT_LINE;
}

static void turn(int axes, int *order, int axis)
{
    int k = 0;
    while (order[k] != axis)
        k++;
    for (; k < axes - 1; k++)
        order[k] = order[k + 1];
    order[k] = axis;
}

/* Number of modes along an axis on a side. */
static ptrdiff_t modes_stored(const weft_pass_sweep *sweep, bool after, int axis)
{
    return weft_kind_is_halving(sweep->kind[axis]) ? weft_sweep_side(sweep, after)->count[axis]
                                                   : sweep->modes[axis];
}

/* Number of indices of an axis that a buffer must hold, before or after the transforms. */
static ptrdiff_t buffer_count(const weft_pass_sweep *sweep, const weft_tile_work *work, bool after,
                              int axis)
{
    const bool in_point = weft_axis_in_point(sweep, axis);
    if (!sweep->transformed[axis] && !in_point)
        return work->count[after][axis];
    const ptrdiff_t one = in_point ? work->count[0][axis] : weft_grid_count(sweep, after, axis),
                    other = in_point             ? work->count[1][axis]
                            : sweep->modes[axis] ? modes_stored(sweep, after, axis)
                                                 : 0;
    return one > other ? one : other;
}

/* Computes strides and sizes of the buffers for tiles of one shape. */
static void lay_out_buffers(weft_pass_sweep *sweep, weft_tile_work *work)
{
    const bool after[] = {
        [WEFT_AT_SECOND] = true,
        [WEFT_AT_MIDDLE] = sweep->source->element <= sweep->target->element,
    };
    weft_side part = *weft_sweep_side(sweep, !sweep->variant.follow_source);
    for (int b = 0; b < (sweep->middle ? WEFT_BUFFERS : WEFT_AT_MIDDLE); b++) {
        int order[WEFT_MAX_AXES];
        size_t element =
                   b == WEFT_AT_SECOND ? sweep->second : weft_sweep_side(sweep, after[b])->element,
               bytes = element;
        for (int a = 0; a < sweep->axes; a++)
            part.count[a] = buffer_count(sweep, work, after[b], a);
        weft_side_order(&part, order);
        if (b == WEFT_AT_SECOND && sweep->turned)
            turn(sweep->axes, order, sweep->group[sweep->apart].axis[0]);
        for (int k = sweep->axes - 1; k >= 0; k--) {
            int a = order[k];
            work->stride[b][a] = (ptrdiff_t)(bytes / element);
            bytes *= (size_t)part.count[a];
            if (k > 0 && part.count[a] > 1 && !weft_axis_in_point(sweep, a))
                bytes = pad_row(bytes);
        }
        bytes = weft_round_up(bytes + 3 * WEFT_LINE, WEFT_LINE);
        size_t *memory = &sweep->buffer[weft_buffer_memory(sweep, (weft_at)b)];
        *memory = bytes > *memory ? bytes : *memory;
    }
}

static void free_copies(const weft_pass_sweep *sweep, const weft_side *side, weft_copy **copies)
{
    const int blocks = weft_tile_reaches_all_blocks(sweep, side) ? side->blocks : 1;
    for (int p = 0; copies && p < blocks; p++) {
        bool first = true;
        for (int q = 0; q < p && first; q++)
            first = copies[q] != copies[p];
        if (first && copies[p])
            weft_copy_release(copies[p]);
    }
    free(copies);
}

/* Makes the copies between each block of a side that a tile reaches and an array or buffer of other
 * strides. Tiles of one shape share their copies, because a copy does not depend on the position of
 * the tile. NULL: no memory. */
static weft_copy **make_copies(const weft_pass_sweep *sweep, const weft_tile_work *work,
                               bool target, const weft_tile *tile, const ptrdiff_t *other)
{
    const weft_side *side = weft_sweep_side(sweep, target);
    const bool all = weft_tile_reaches_all_blocks(sweep, side);
    const int blocks = all ? side->blocks : 1;
    const weft_copy_limits limits = {.stream = target && sweep->variant.stream ? 0 : SIZE_MAX};
    weft_copy **copies = weft_new((size_t)blocks, sizeof *copies, "copies of a tile");
    for (int p = 0; copies && p < blocks; p++) {
        const ptrdiff_t *stride =
            all ? side->block[p].stride : weft_tile_strides(sweep, tile, target);
        ptrdiff_t count[WEFT_MAX_AXES];
        memcpy(count, work->count[target], sizeof count);
        if (all) {
            count[side->axis] = side->block[p].count;
            for (int q = 0; q < p && !copies[p]; q++)
                if (side->block[q].like == side->block[p].like &&
                    side->block[q].count == side->block[p].count)
                    copies[p] = copies[q];
        }
        if (!copies[p])
            copies[p] =
                weft_copy_prepare_limited(&limits, side->element, sweep->axes, count, 0,
                                          target ? other : stride, 0, target ? stride : other);
        if (!copies[p]) {
            free_copies(sweep, side, copies);
            return NULL;
        }
    }
    return copies;
}

static bool make_work(weft_pass_sweep *sweep, const weft_tile *tile)
{
    weft_tile_work *work = &sweep->work[tile->shape];
    for (int a = 0; a < sweep->axes; a++)
        for (int s = 0; s < 2; s++)
            work->count[s][a] = sweep->transformed[a] || weft_axis_in_point(sweep, a)
                                    ? weft_sweep_side(sweep, s)->count[a]
                                    : tile->span[a].count;
    lay_out_buffers(sweep, work);
    if (sweep->groups && !weft_transforms_make(sweep, work, tile))
        return false;
    if (sweep->groups == 0 && !sweep->variant.gather) {
        work->gather = make_copies(sweep, work, true, tile, weft_tile_strides(sweep, tile, false));
        return work->gather;
    }
    if (sweep->variant.gather)
        work->gather = make_copies(sweep, work, false, tile, work->stride[WEFT_AT_FIRST]);
    if (sweep->variant.scatter)
        work->scatter =
            make_copies(sweep, work, true, tile, work->stride[weft_scattered_buffer(sweep)]);
    return (work->gather || !sweep->variant.gather) && (work->scatter || !sweep->variant.scatter);
}

/* Sets the sizes of memories that no tile uses to 0. */
static void drop_unused_buffers(weft_pass_sweep *sweep)
{
    bool used[2] = {sweep->variant.gather};
    if (sweep->variant.scatter)
        used[weft_buffer_memory(sweep, weft_scattered_buffer(sweep))] = true;
    for (int g = 0; g < sweep->groups; g++)
        if (sweep->group[g].to < WEFT_BUFFERS)
            used[weft_buffer_memory(sweep, sweep->group[g].to)] = true;
    for (int b = 0; b < 2; b++)
        if (!used[b])
            sweep->buffer[b] = 0;
}

static bool make_all_work(weft_pass_sweep *sweep)
{
    sweep->work = weft_new((size_t)sweep->tiling.shapes, sizeof *sweep->work, "shapes of tiles");
    if (!sweep->work)
        return false;
    for (ptrdiff_t shape = 0; shape < sweep->tiling.shapes; shape++) {
        weft_tile_work *work = &sweep->work[shape];
        weft_tile tile;
        work->tiles = weft_tiling_of_shape(&sweep->tiling, shape, &tile);
        if (!make_work(sweep, &tile))
            return false;
        sweep->flops += (double)work->tiles * weft_transforms_flops(sweep, work);
    }
    drop_unused_buffers(sweep);
    return true;
}

bool weft_sweep_make(weft_pass_sweep *sweep, const weft_variant *variant)
{
    size_t element = sweep->source->element > sweep->target->element ? sweep->source->element
                                                                     : sweep->target->element;
    sweep->variant = *variant;
    weft_groups_choose(sweep);
    bool whole[WEFT_MAX_AXES];
    for (int a = 0; a < sweep->axes; a++)
        whole[a] = sweep->transformed[a] || weft_axis_in_point(sweep, a);
    sweep->flops = 0;
    sweep->buffer[0] = sweep->buffer[1] = 0;
    if (!weft_tiling_make(&sweep->tiling, sweep->source, sweep->target, whole,
                          variant->tile / (double)element, sweep->spec->threads))
        return false;
    if (sweep->groups == 0 && sweep->in_place && !sweep->factors && !sweep->callback) {
        sweep->tiling.tiles = 0; /* all data is already in place */
        return true;
    }
    if (make_all_work(sweep))
        return true;
    weft_sweep_clear(sweep);
    return false;
}

void weft_sweep_clear(weft_pass_sweep *sweep)
{
    for (ptrdiff_t s = 0; sweep->work && s < sweep->tiling.shapes; s++) {
        weft_tile_work *work = &sweep->work[s];
        free_copies(sweep, sweep->source, work->gather);
        free_copies(sweep, sweep->target, work->scatter);
        weft_transforms_free(sweep, work);
    }
    free(sweep->work);
    sweep->work = NULL;
    weft_tiling_free(&sweep->tiling);
}

void weft_sweeps_free(weft_pass_sweep *sweep, int sweeps)
{
    for (int s = sweeps - 1; s >= 0; s--) { /* a sweep refers to `between` of the sweep before */
        weft_sweep_clear(&sweep[s]);
        weft_side_free(&sweep[s].between);
    }
    free(sweep);
}
