/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sweeps: set up for every shape of tile (buffers, copies, FFTW plans), and run, tile by tile, one
 * after another or shared out among threads. Each byte of the source is read once, each of the
 * target written once.
 */
#include "kernels/pass/sweep.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/cache.h"
#include "kernels/base/error.h"
#include "kernels/copy/kernel.h"
#include "kernels/pass/fft.h"
#include "kernels/pass/modes.h"

/* Rows of an odd number of whole lines: steps that are multiples of a large power of two would
 * compete for the same few places of the cache. */
static size_t pad_row(size_t bytes)
{
    if (bytes < 4 * WEFT_LINE)
        return bytes;
    size_t lines = (bytes + WEFT_LINE - 1) / WEFT_LINE;
    return (lines | 1) * WEFT_LINE;
}

/* Makes an axis the innermost. */
static void turn(int axes, int *order, int axis)
{
    int k = 0;
    while (order[k] != axis)
        k++;
    for (; k < axes - 1; k++)
        order[k] = order[k + 1];
    order[k] = axis;
}

/* Of the two kinds of elements, complex ones. */
static const weft_side *complex_side(const weft_sweep *sweep)
{
    return sweep->source.element > sweep->target.element ? &sweep->source : &sweep->target;
}

/* Strides and sizes of the buffers, for a tile of this shape. */
static void lay_out_buffers(weft_sweep *sweep, weft_program *program)
{
    const weft_side *sides[] = {&sweep->source, &sweep->target, complex_side(sweep)};
    weft_side part = sweep->choice.follow_source ? sweep->source : sweep->target;
    for (int b = 0; b < (sweep->middle ? WEFT_BUFFERS : WEFT_MIDDLE); b++) {
        const bool after = sides[b] == &sweep->target;
        int order[WEFT_MAX_AXES];
        size_t element = sides[b]->element, bytes = element;
        for (int a = 0; a < sweep->axes; a++)
            part.count[a] =
                sweep->modes[a] ? weft_modes_room(sweep, after, a) : program->count[after][a];
        weft_side_order(&part, order);
        if (b == WEFT_SECOND && sweep->turned)
            turn(sweep->axes, order, sweep->group[sweep->apart].axis[0]);
        for (int k = sweep->axes - 1; k >= 0; k--) {
            int a = order[k];
            program->stride[b][a] = (ptrdiff_t)(bytes / element);
            bytes *= (size_t)part.count[a];
            if (k > 0 && part.count[a] > 1)
                bytes = pad_row(bytes);
        }
        bytes = (bytes + 4 * WEFT_LINE - 1) / WEFT_LINE * WEFT_LINE;
        const bool other = sweep->middle ? b == WEFT_MIDDLE : b == WEFT_SECOND;
        if (sweep->buffer[other] < bytes)
            sweep->buffer[other] = bytes;
    }
}

/* Whether tiles see all pieces of a side, and not one. */
static bool sees_all(const weft_sweep *sweep, const weft_side *side)
{
    return weft_side_divided(side) && sweep->transformed[side->axis];
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

/* Between buffer b and every piece that a tile sees (b 0: of the source, 1: of the target). Copies
 * know nothing of where a tile lies: all tiles of one shape share them. NULL: no memory. */
static weft_copy **make_copies(const weft_sweep *sweep, const weft_program *program, int b,
                               const weft_tile *tile)
{
    const weft_side *side = b ? &sweep->target : &sweep->source;
    const ptrdiff_t *buffer = program->stride[b];
    bool all = sees_all(sweep, side);
    int pieces = all ? side->pieces : 1;
    weft_copy_limits limits = {.stream = b && sweep->choice.stream ? 0 : SIZE_MAX};
    weft_copy **copies = calloc((size_t)pieces, sizeof *copies);
    for (int p = 0; copies && p < pieces; p++) {
        int from_or_to = b ? tile->span[side->axis].to_piece : tile->span[side->axis].from_piece;
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

/* Straight from source to target, where a tile sees one piece of each. */
static weft_copy **copy_through(const weft_sweep *sweep, const weft_program *program,
                                const weft_tile *tile)
{
    const weft_side *source = &sweep->source, *target = &sweep->target;
    weft_copy_limits limits = {.stream = sweep->choice.stream ? 0 : SIZE_MAX};
    weft_copy **copies = calloc(1, sizeof *copies);
    if (copies)
        copies[0] =
            weft_copy_prepare_limited(&limits, source->element, sweep->axes, program->count[0], 0,
                                      source->piece[tile->span[source->axis].from_piece].stride, 0,
                                      target->piece[tile->span[target->axis].to_piece].stride);
    if (copies && !copies[0]) {
        free(copies);
        copies = NULL;
    }
    return copies;
}

static bool make_program(weft_sweep *sweep, const weft_tile *tile)
{
    weft_program *program = &sweep->program[tile->shape];
    for (int a = 0; a < sweep->axes; a++) {
        ptrdiff_t count = tile->span[a].count;
        program->count[0][a] = sweep->transformed[a] ? sweep->source.count[a] : count;
        program->count[1][a] = sweep->transformed[a] ? sweep->target.count[a] : count;
    }
    lay_out_buffers(sweep, program);
    if (sweep->groups && !weft_transforms_make(sweep, program, tile))
        return false;
    if (sweep->groups == 0 && !sweep->choice.gather) {
        program->gather = copy_through(sweep, program, tile);
        return program->gather != NULL;
    }
    if (sweep->choice.gather && !(program->gather = make_copies(sweep, program, 0, tile)))
        return false;
    if (sweep->choice.scatter && !(program->scatter = make_copies(sweep, program, 1, tile)))
        return false;
    return true;
}

static void drop_unused_buffers(weft_sweep *sweep)
{
    if (sweep->middle)
        return;
    bool used[2] = {sweep->choice.gather, sweep->choice.scatter};
    for (int g = 0; g < sweep->groups; g++) {
        used[0] = used[0] || sweep->group[g].to == WEFT_AT_FIRST;
        used[1] = used[1] || sweep->group[g].to == WEFT_AT_SECOND;
    }
    if (weft_one_buffer(sweep)) {
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
    sweep->program = calloc((size_t)sweep->tiling.shapes, sizeof *sweep->program);
    if (!sweep->program) {
        weft_error("pass: no memory for %td shapes of tiles", sweep->tiling.shapes);
        return false;
    }
    for (ptrdiff_t shape = 0; shape < sweep->tiling.shapes; shape++) {
        weft_program *program = &sweep->program[shape];
        weft_tile tile;
        program->tiles = weft_tiling_of_shape(&sweep->tiling, shape, &tile);
        if (!make_program(sweep, &tile))
            return false;
        sweep->flops += (double)program->tiles * weft_transforms_flops(sweep, program);
    }
    drop_unused_buffers(sweep);
    return true;
}

bool weft_sweep_make(weft_sweep *sweep, const weft_choice *choice)
{
    size_t element = sweep->source.element > sweep->target.element ? sweep->source.element
                                                                   : sweep->target.element;
    sweep->choice = *choice;
    weft_groups_choose(sweep);
    sweep->flops = 0;
    sweep->buffer[0] = sweep->buffer[1] = 0;
    if (!weft_tiling_make(&sweep->tiling, &sweep->source, &sweep->target, sweep->transformed,
                          choice->tile / (double)element, sweep->threads))
        return false;
    if (sweep->groups == 0 && sweep->in_place && !sweep->factors) {
        sweep->tiling.tiles = 0; /* everything is where it belongs */
        return true;
    }
    if (make_programs(sweep))
        return true;
    weft_sweep_unmake(sweep);
    return false;
}

void weft_sweep_unmake(weft_sweep *sweep)
{
    for (ptrdiff_t s = 0; sweep->program && s < sweep->tiling.shapes; s++) {
        weft_program *program = &sweep->program[s];
        free_copies(sweep, &sweep->source, program->gather);
        free_copies(sweep, &sweep->target, program->scatter);
        weft_transforms_free(sweep, program);
    }
    free(sweep->program);
    sweep->program = NULL;
    weft_tiling_free(&sweep->tiling);
}

/* One tile while it is worked on. */
typedef struct {
    const weft_sweep *sweep;
    const weft_program *program;
    ptrdiff_t start[WEFT_MAX_AXES];
    weft_tile tile;
    const void *const *from;
    void *const *to;
    char *buffer[WEFT_BUFFERS];
} tile_job;

/* Where the first element of the tile lies, in bytes, in a piece. */
static ptrdiff_t begin(const tile_job *job, const weft_side *side, weft_piece_at at)
{
    const weft_view_piece *piece = &side->piece[at.p];
    ptrdiff_t offset = weft_piece_offset(piece, at.nth);
    for (int a = 0; a < side->axes; a++) {
        ptrdiff_t start = job->start[a];
        if (a == side->axis && !job->sweep->transformed[a])
            start -= weft_side_start(side, at);
        offset += start * piece->stride[a];
    }
    return offset * (ptrdiff_t)side->element;
}

static const char *source_at(const tile_job *job, weft_piece_at at)
{
    const weft_side *side = &job->sweep->source;
    return (const char *)job->from[weft_piece_array(&side->piece[at.p], at.nth)] +
           begin(job, side, at);
}

static char *target_at(const tile_job *job, weft_piece_at at)
{
    const weft_side *side = &job->sweep->target;
    return (char *)job->to[weft_piece_array(&side->piece[at.p], at.nth)] + begin(job, side, at);
}

/* The piece that a tile sees, or the first. */
static weft_piece_at source_piece(const tile_job *job)
{
    return weft_tile_piece(&job->tile, &job->sweep->source, false);
}

static weft_piece_at target_piece(const tile_job *job)
{
    return weft_tile_piece(&job->tile, &job->sweep->target, true);
}

/* Where a piece begins in a buffer, in bytes. */
static ptrdiff_t place_in_buffer(const tile_job *job, const weft_side *side, weft_piece_at at,
                                 int b)
{
    return weft_side_start(side, at) * job->program->stride[b][side->axis] *
           (ptrdiff_t)side->element;
}

static void gather(const tile_job *job)
{
    const weft_side *side = &job->sweep->source;
    const weft_program *program = job->program;
    if (!sees_all(job->sweep, side)) {
        weft_copy_run(program->gather[0], source_at(job, source_piece(job)), job->buffer[0]);
        return;
    }
    weft_piece_at at = {0}, next = {0};
    for (bool more = true; more; at = next) {
        more = weft_side_walk(side, &next);
        if (more)
            weft_copy_fetch(program->gather[next.p], source_at(job, next));
        weft_copy_run(program->gather[at.p], source_at(job, at),
                      job->buffer[0] + place_in_buffer(job, side, at, 0));
    }
}

static void scatter(const tile_job *job)
{
    const weft_side *side = &job->sweep->target;
    const weft_program *program = job->program;
    if (!sees_all(job->sweep, side)) {
        weft_copy_run(program->scatter[0], job->buffer[1], target_at(job, target_piece(job)));
        return;
    }
    weft_piece_at at = {0};
    do
        weft_copy_run(program->scatter[at.p], job->buffer[1] + place_in_buffer(job, side, at, 1),
                      target_at(job, at));
    while (weft_side_walk(side, &at));
}

static void *memory_at(const tile_job *job, weft_at at)
{
    switch (at) {
    case WEFT_AT_SOURCE:
        return (void *)(uintptr_t)source_at(job, source_piece(job));
    case WEFT_AT_FIRST:
        return job->buffer[WEFT_FIRST];
    case WEFT_AT_MIDDLE:
        return job->buffer[WEFT_MIDDLE];
    case WEFT_AT_SECOND:
        return job->buffer[WEFT_SECOND];
    default:
        return target_at(job, target_piece(job));
    }
}

static void multiply(const tile_job *job)
{
    const weft_sweep *sweep = job->sweep;
    bool scattered = sweep->choice.scatter;
    const ptrdiff_t *stride =
        scattered ? job->program->stride[1] : sweep->target.piece[target_piece(job).p].stride;
    void *at = memory_at(job, scattered ? WEFT_AT_SECOND : WEFT_AT_TARGET);
    weft_factors_apply(sweep->factors, sweep->axes, job->start, job->program->count[1], stride, at);
}

/* With the change of length of a spectrum, if there is one. */
static void run_group(const tile_job *job, const weft_group *group, const weft_transform *transform)
{
    void *from = memory_at(job, group->from), *to = memory_at(job, group->to);
    const bool forward = group->kind == WEFT_FORWARD || group->kind == WEFT_R2C;
    if (!forward)
        weft_resize_run(&transform->resize, from);
    weft_transform_run(transform, group->kind, from, to);
    if (forward)
        weft_resize_run(&transform->resize, to);
}

static void run_tile(tile_job *job, ptrdiff_t place)
{
    const weft_sweep *sweep = job->sweep;
    weft_tiling_tile(&sweep->tiling, place, &job->tile);
    job->program = &sweep->program[job->tile.shape];
    for (int a = 0; a < sweep->axes; a++)
        job->start[a] = job->tile.span[a].start;
    if (sweep->groups == 0 && !sweep->choice.gather) {
        weft_copy_run(job->program->gather[0], source_at(job, source_piece(job)),
                      target_at(job, target_piece(job)));
        return;
    }
    if (sweep->choice.gather)
        gather(job);
    for (int g = 0; g < sweep->groups; g++) {
        run_group(job, &sweep->group[g], &job->program->transform[g]);
    }
    if (sweep->factors)
        multiply(job);
    if (sweep->choice.scatter)
        scatter(job);
}

static void run_part(const weft_sweep *sweep, const void *const *from, void *const *to,
                     char *buffers, ptrdiff_t first, ptrdiff_t end)
{
    tile_job job = {.sweep = sweep, .from = from, .to = to};
    job.buffer[WEFT_FIRST] = buffers;
    job.buffer[WEFT_MIDDLE] = buffers + sweep->buffer[0];
    job.buffer[WEFT_SECOND] =
        weft_one_buffer(sweep) || sweep->middle ? buffers : buffers + sweep->buffer[0];
    for (ptrdiff_t place = first; place < end; place++)
        run_tile(&job, place);
}

#if defined(_OPENMP) && defined(__ELF__)
/* FFTW's line links no OpenMP library, and with static libraries a program then has none: passes
 * run on one thread. So what the compiler calls for the loop below is weak. (Shared libraries bring
 * theirs: kernels/pass/openmp.c.) */
#ifdef __clang__
__asm__(".weak __kmpc_fork_call, __kmpc_push_num_threads, __kmpc_global_thread_num");
__asm__(".weak __kmpc_for_static_init_8, __kmpc_for_static_fini");
#else
__asm__(".weak GOMP_parallel, omp_get_num_threads");
#endif
extern int omp_get_thread_num(void) __attribute__((weak));
#define THREADS_LINKED (omp_get_thread_num != NULL)
#else
#define THREADS_LINKED true
#endif

void weft_sweep_run(const weft_sweep *sweep, const void *const *from, void *const *to,
                    char *buffers, size_t buffer_step, ptrdiff_t first, ptrdiff_t tiles)
{
    ptrdiff_t parts = sweep->threads;
    if (parts > tiles)
        parts = tiles;
    if (parts <= 1 || !THREADS_LINKED) {
        run_part(sweep, from, to, buffers, first, first + tiles);
        return;
    }
#ifdef _OPENMP
#pragma omp parallel for num_threads((int)parts) schedule(static, 1)
#endif
    for (ptrdiff_t t = 0; t < parts; t++)
        run_part(sweep, from, to, buffers + (size_t)t * buffer_step, first + tiles * t / parts,
                 first + tiles * (t + 1) / parts);
}
