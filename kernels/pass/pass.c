/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interface of passes: makes the sweeps, runs them one after another, and
 * says what they cost and how each is done: "fft 256x256 c2c, 256 tiles of 1x256x256, streamed".
 */
#include "kernels/pass/pass.h"

#include <stdint.h>
#include <stdlib.h>
#include "kernels/base/cache.h"
#include "kernels/base/memory.h"
#include "kernels/base/text.h"
#include "kernels/pass/libfftw3.h"
#include "kernels/pass/division.h"

static const unsigned known_flags =
    FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE | FFTW_WISDOM_ONLY | FFTW_UNALIGNED;

/* Whether both sides are real unless r2c or c2r says otherwise. */
static bool is_real(const weft_pass_spec *spec)
{
    for (int a = 0; a < spec->axes; a++)
        if (spec->kind[a] != WEFT_KEEP) /* all transforms are r2r, or none is */
            return weft_kind_is_r2r(spec->kind[a]);
    return spec->real;
}

static bool make_side(weft_side *side, const weft_pass_spec *spec, bool target, bool real)
{
    ptrdiff_t count[WEFT_MAX_AXES];
    for (int a = 0; a < spec->axes; a++) {
        const weft_kind kind = spec->kind[a];
        /* with a callback both sides have the points of the source */
        const bool after = target && !spec->callback,
                   spectral = after ? weft_kind_is_forward(kind) : weft_kind_is_backward(kind);
        real = real || kind == (after ? WEFT_C2R : WEFT_R2C);
        count[a] = spectral && spec->modes[a] ? spec->modes[a] : spec->size[a];
        if (target && spec->after && a == spec->point_axes)
            count[a] = spec->after;
        if (spectral && weft_kind_is_halving(kind))
            count[a] = count[a] / 2 + 1;
    }
    return weft_side_make(side, spec->axes, count, real ? sizeof(weft_real) : sizeof(weft_complex),
                          target ? &spec->target : &spec->source);
}

bool weft_pass_sides(const weft_pass_spec *spec, weft_side *source, weft_side *target)
{
    const bool real = is_real(spec);
    return make_side(source, spec, false, real) && make_side(target, spec, true, real);
}

/* Joins kept axes that form one axis on both sides, so that tiles may end within a row. Without
 * this c2c 16^4 takes 1.06 times as long, 2^16 in 16 axes 1.04 times (2 ranks on a Xeon). */
static void join_axes(weft_pass_spec *spec, weft_side *source, weft_side *target)
{
    for (int outer = 0; outer < spec->axes && !spec->twiddle.n && !spec->callback; outer++)
        for (int inner = 0; inner < spec->axes; inner++) {
            if (inner == outer || spec->kind[outer] != WEFT_KEEP ||
                spec->kind[inner] != WEFT_KEEP || spec->size[outer] == 1 ||
                spec->size[inner] == 1 || !weft_side_can_join_axes(source, outer, inner) ||
                !weft_side_can_join_axes(target, outer, inner))
                continue;
            weft_side_join_axes(source, outer, inner);
            weft_side_join_axes(target, outer, inner);
            spec->size[inner] *= spec->size[outer];
            spec->size[outer] = 1;
            outer = -1; /* the joined axis may be joined again */
            break;
        }
}

/* Makes the sweeps that a text describes. Returns false if the text does not fit this pass. */
static bool repeat(weft_division *division, const char *text)
{
    weft_host_pass *pass = division->pass;
    if (!weft_division_read(division, text) || !weft_division_make_sweeps(division))
        return false;
    for (int s = 0; s < pass->sweeps; s++)
        if (!weft_sweep_make(&pass->sweep[s], &division->variant[s]))
            return false;
    return true;
}

static bool make_sweeps(weft_host_pass *pass, const weft_pass_limits *limits)
{
    weft_division division = weft_division_of(pass);
    if (!pass->spec.variant || !repeat(&division, pass->spec.variant)) {
        weft_sweeps_free(pass->sweep, pass->sweeps);
        if (!weft_tune(&division, limits))
            return false;
    }
    for (int s = 0; s < pass->sweeps; s++) {
        const size_t buffers = pass->sweep[s].buffer[0] + pass->sweep[s].buffer[1];
        if (pass->buffers < buffers)
            pass->buffers = buffers;
    }
    if (!weft_division_write(pass, false, pass->pass.variant, sizeof pass->pass.variant))
        pass->pass.variant[0] = '\0';
    return true;
}

/* Whether the indices of every target block come in the order of this axis first. */
static bool is_outermost(const weft_side *target, int axis)
{
    for (int p = 0; p < target->blocks; p++)
        for (int a = 0; a < target->axes; a++) {
            const weft_view_block *block = &target->block[p];
            const ptrdiff_t count = a == target->axis ? block->count : target->count[a];
            if (a != axis && count > 1 && block->stride[a] >= block->stride[axis])
                return false;
        }
    return true;
}

/* Finds the axis along which the tiles of the last sweep complete the target blocks in order: the
 * slowest axis of tiles and of blocks. It must not be the axis that is divided into blocks, because
 * then one block would be complete before the next begins. */
static void find_order(weft_host_pass *it)
{
    const weft_pass_sweep *last = &it->sweep[it->sweeps - 1];
    const weft_tiling *tiling = &last->tiling;
    if (tiling->tiles < 2 || last->only_reads)
        return;
    int k = 0;
    while (tiling->axis[tiling->order[k]].spans == 1)
        k++;
    const int axis = tiling->order[k];
    if (axis == it->target.axis || !is_outermost(&it->target, axis))
        return;
    it->ordered_axis = axis;
    it->pass.in_order = tiling->axis[axis].spans;
}

static bool make(weft_host_pass *pass, const weft_pass_spec *spec, const weft_pass_limits *limits)
{
    pass->spec = *spec;
    pass->spec.fftw_flags &= known_flags;
    pass->spec.threads = spec->threads > 1 ? spec->threads : 1;
    if (!weft_pass_sides(spec, &pass->source, &pass->target))
        return false;
    if (spec->twiddle.n && !(pass->factors = weft_factors_make(&spec->twiddle)))
        return false;
    join_axes(&pass->spec, &pass->source, &pass->target);
    const bool made = make_sweeps(pass, limits);
    if (made)
        find_order(pass);
    /* the caller frees these */
    pass->spec.source = pass->spec.target = (weft_view){0};
    pass->spec.variant = NULL;
    return made;
}

static const char *kind_name(const weft_pass_sweep *sweep)
{
    return weft_axis_of_kind(sweep->axes, sweep->kind, WEFT_R2C) >= 0   ? "r2c"
           : weft_axis_of_kind(sweep->axes, sweep->kind, WEFT_C2R) >= 0 ? "c2r"
           : weft_kind_is_r2r(sweep->group[0].kind)                     ? "r2r"
                                                                        : "c2c";
}

static void describe(const weft_pass_sweep *sweep, weft_writer *writer)
{
    if (writer->used > 0)
        weft_write(writer, "; ");
    if (sweep->tiling.tiles == 0) {
        weft_write(writer, "nothing");
        return;
    }
    weft_write(writer, sweep->groups ? "fft " : "copy");
    const char *between = "";
    for (int a = 0; a < sweep->axes; a++)
        if (sweep->transformed[a]) {
            weft_write(writer, "%s%td", between, sweep->size[a]);
            if (sweep->modes[a])
                weft_write(writer, ":%td", sweep->modes[a]);
            between = "x";
        }
    if (sweep->groups)
        weft_write(writer, " %s", kind_name(sweep));
    weft_write(writer, ", %td tiles of ", sweep->tiling.tiles);
    for (int a = 0; a < sweep->axes; a++)
        weft_write(writer, "%s%td", a ? "x" : "", sweep->tiling.axis[a].stretch[0].part);
    if (sweep->variant.gather)
        weft_write(writer, ", gathered");
    if (sweep->factors)
        weft_write(writer, ", times factors");
    if (sweep->callback)
        weft_write(writer, sweep->only_reads ? ", operator" : ", operator, and back");
    if (sweep->variant.stream)
        weft_write(writer, ", streamed");
    else if (sweep->variant.scatter)
        weft_write(writer, ", scattered");
}

static void sum_up(weft_host_pass *it)
{
    weft_pass *pass = &it->pass;
    weft_writer writer = weft_write_to(pass->text, sizeof pass->text);
    pass->workspace = it->between + it->buffers * (size_t)it->spec.threads;
    for (int s = 0; s < it->sweeps; s++) {
        const weft_pass_sweep *sweep = &it->sweep[s];
        describe(sweep, &writer);
        if (sweep->tiling.tiles == 0)
            continue;
        pass->read += weft_side_bytes(sweep->source);
        pass->written += sweep->only_reads ? 0 : weft_side_bytes(sweep->target);
        pass->flops += sweep->flops;
        if (sweep->factors)
            pass->flops += 12.0 * (double)weft_side_elements(sweep->target);
        pass->seconds = sweep->time > 0 && pass->seconds >= 0 ? pass->seconds + sweep->time : -1;
    }
}

weft_pass *weft_pass_create_limited(const weft_pass_spec *spec, const weft_pass_limits *limits)
{
    weft_host_pass *it = weft_new(1, sizeof *it, "a pass");
    if (it && make(it, spec, limits)) {
        sum_up(it);
        return &it->pass;
    }
    weft_pass_destroy((weft_pass *)it);
    return NULL;
}

weft_pass *weft_pass_create(const weft_pass_spec *spec)
{
    const size_t threads = spec->threads > 1 ? (size_t)spec->threads : 1;
    const size_t ranks_per_core = spec->ranks_per_core > 1 ? (size_t)spec->ranks_per_core : 1;
    const size_t last = weft_cache_last(), share = weft_cache_share() * threads / ranks_per_core;
    weft_pass_limits limits = {.level2 = weft_cache_level2(), .last = share < last ? share : last};
    if (spec->buffer > 0 && spec->buffer < limits.level2)
        limits.level2 = spec->buffer;
    if (spec->buffer > 0 && spec->buffer < limits.last)
        limits.last = spec->buffer;
    return weft_pass_create_limited(spec, &limits);
}

bool weft_pass_array_aligned(const void *array)
{
    return weft_fft_aligned((ptrdiff_t)(uintptr_t)array);
}

static void run_sweep(const weft_host_pass *pass, int s, const void *const *in, void *const *out,
                      void *workspace, ptrdiff_t first, ptrdiff_t tiles)
{
    const weft_pass_sweep *sweep = &pass->sweep[s];
    char *buffers = (char *)workspace + pass->between;
    const void *const from_work[] = {workspace};
    void *const to_work[] = {workspace};
    const void *const *from = sweep->source_array == WEFT_IN_ARRAY     ? in
                              : sweep->source_array == WEFT_WORK_ARRAY ? from_work
                                                                       : (const void *const *)out;
    /* An input array that a sweep writes is in place, so the output is the same memory. */
    void *const *to = sweep->target_array == WEFT_WORK_ARRAY ? to_work : out;
    weft_sweep_run(sweep, from, to, buffers, pass->buffers, first, tiles);
}

void weft_pass_run(const weft_pass *facts, const void *const *in, void *const *out, void *workspace)
{
    const weft_host_pass *pass = (const weft_host_pass *)facts;
    for (int s = 0; s < pass->sweeps; s++)
        run_sweep(pass, s, in, out, workspace, 0, pass->sweep[s].tiling.tiles);
}

static void run_in_order(const weft_pass *facts, const void *const *in, void *const *out,
                         void *workspace, weft_pass_complete *complete, void *context)
{
    const weft_host_pass *pass = (const weft_host_pass *)facts;
    const int last = pass->sweeps - 1, axis = pass->ordered_axis;
    const weft_tiling *tiling = &pass->sweep[last].tiling;
    const ptrdiff_t threads = pass->spec.threads, step = tiling->tiles / facts->in_order,
                    each = (threads + step - 1) / step * step; /* a tile for each thread */
    for (int s = 0; s < last; s++)
        run_sweep(pass, s, in, out, workspace, 0, pass->sweep[s].tiling.tiles);
    for (ptrdiff_t first = 0, end; first < tiling->tiles; first = end) {
        weft_tile tile;
        end = first + each < tiling->tiles ? first + each : tiling->tiles;
        run_sweep(pass, last, in, out, workspace, first, end - first);
        weft_tiling_tile(tiling, end - 1, &tile);
        complete(context, tile.span[axis].start + tile.span[axis].count, pass->target.count[axis]);
    }
}

static bool other_variant(const weft_pass *pass, char *text, size_t capacity)
{
    return weft_division_write((const weft_host_pass *)pass, true, text, capacity);
}

void weft_pass_destroy(weft_pass *facts)
{
    weft_host_pass *pass = (weft_host_pass *)facts;
    if (!pass)
        return;
    weft_sweeps_free(pass->sweep, pass->sweeps);
    weft_side_free(&pass->source);
    weft_side_free(&pass->target);
    free(pass->factors);
    free(pass);
}

const weft_pass_functions weft_pass_on_host = {
    .create = weft_pass_create,
    .run = weft_pass_run,
    .run_in_order = run_in_order,
    .other_variant = other_variant,
    .destroy = weft_pass_destroy,
};
