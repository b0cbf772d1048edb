/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a sweep tile by tile, one after another or shared among threads. Each byte of the source is
 * read once, each byte of the target written once.
 */
#include <stdint.h>
#include <string.h>
#include "kernels/pass/sweep.h"

static void execute(weft_kind kind, FFTW(plan) plan, void *from, void *to)
{
    switch (kind) {
    case WEFT_FORWARD:
    case WEFT_BACKWARD:
        FFTW(execute_dft)(plan, from, to);
        break;
    case WEFT_R2C:
        FFTW(execute_dft_r2c)(plan, from, to);
        break;
    case WEFT_C2R:
        FFTW(execute_dft_c2r)(plan, from, to);
        break;
    default:
        FFTW(execute_r2r)(plan, from, to);
    }
}

/* Transforms and folds rows along the last loop, so few that they stay in the level 1 cache. */
static void execute_batch(weft_kind kind, const weft_transform *transform, ptrdiff_t rows,
                          char *from, char *to)
{
    const weft_copy_axis *loop = &transform->loop[transform->loops - 1];
    const bool backward = kind == WEFT_C2R;
    const weft_fftw_plan *plan = rows == transform->batch ? transform->aligned : transform->rest;
    if (!backward)
        FFTW(execute_dft)(plan->plan, (void *)from, (void *)to);
    for (ptrdiff_t row = 0; row < rows; row++)
        weft_halves_fold(transform->halves, backward, plan->table,
                         backward ? from + row * loop->from : to + row * loop->to,
                         to + row * loop->to);
    if (backward)
        FFTW(execute_dft)(plan->plan, (void *)to, (void *)to);
}

static void execute_halves(weft_kind kind, const weft_transform *transform, int loop, char *from,
                           char *to)
{
    const weft_copy_axis *it = &transform->loop[loop];
    const bool last = loop == transform->loops - 1;
    const ptrdiff_t step = last ? transform->batch : 1;
    for (ptrdiff_t k = 0; k < it->count; k += step) {
        char *const at[] = {from + k * it->from, to + k * it->to};
        if (last)
            execute_batch(kind, transform, it->count - k < step ? it->count - k : step, at[0],
                          at[1]);
        else
            execute_halves(kind, transform, loop + 1, at[0], at[1]);
    }
}

static void run_transform(const weft_transform *transform, weft_kind kind, void *from, void *to)
{
    if (transform->halves) {
        execute_halves(kind, transform, 0, from, to);
        return;
    }
    const bool aligned =
        transform->aligned && FFTW(alignment_of)(from) == 0 && FFTW(alignment_of)(to) == 0;
    const weft_fftw_plan *plan = aligned || !transform->any ? transform->aligned : transform->any;
    execute(kind, plan->plan, from, to);
}

typedef struct {
    const weft_pass_sweep *sweep;
    const weft_tile_work *work;
    ptrdiff_t start[WEFT_MAX_AXES];
    weft_tile tile;
    const void *const *from;
    void *const *to;
    char *buffer[WEFT_BUFFERS];
} tile_job;

void *weft_tile_address(const weft_pass_sweep *sweep, const weft_tile *tile, bool target,
                        weft_block_at at, const void *const *arrays)
{
    const weft_side *side = weft_sweep_side(sweep, target);
    const weft_view_block *block = &side->block[at.p];
    ptrdiff_t offset = weft_block_offset(block, at.nth);
    for (int a = 0; a < side->axes; a++) {
        ptrdiff_t start = tile->span[a].start;
        if (a == side->axis && !sweep->transformed[a])
            start -= weft_side_start(side, at);
        offset += start * block->stride[a];
    }
    return (char *)(uintptr_t)arrays[weft_block_array(block, at.nth)] +
           offset * (ptrdiff_t)side->element;
}

static void *address_in(const tile_job *job, bool target, weft_block_at at)
{
    return weft_tile_address(job->sweep, &job->tile, target, at,
                             target ? (const void *const *)job->to : job->from);
}

/* The address of the tile's first element in a buffer, or in the source or the target: in the block
 * in which the tile is, or in the first block if the tile reaches through all blocks. */
static void *address_of(const tile_job *job, weft_at at)
{
    if (at < WEFT_BUFFERS)
        return job->buffer[at];
    const bool target = at == WEFT_AT_TARGET;
    const weft_side *side = weft_sweep_side(job->sweep, target);
    return address_in(job, target, weft_tile_block(&job->tile, side, target));
}

/* Gathers the tile from all blocks into the first buffer, or scatters it. */
static void carry(const tile_job *job, bool out)
{
    const weft_side *side = weft_sweep_side(job->sweep, out);
    const weft_at b = out ? weft_scattered_buffer(job->sweep) : WEFT_AT_FIRST;
    weft_copy *const *copies = out ? job->work->scatter : job->work->gather;
    const ptrdiff_t step = job->work->stride[b][side->axis] * (ptrdiff_t)side->element;
    const bool all = weft_tile_reaches_all_blocks(job->sweep, side);
    weft_block_at at = weft_tile_block(&job->tile, side, out);
    do {
        char *there = address_in(job, out, at),
             *here = job->buffer[b] + (all ? weft_side_start(side, at) * step : 0);
        weft_copy_run(copies[all ? at.p : 0], out ? here : there, out ? there : here);
    } while (all && weft_side_next_block(side, &at));
}

static void multiply(const tile_job *job)
{
    const weft_pass_sweep *sweep = job->sweep;
    const bool scattered = sweep->variant.scatter;
    const ptrdiff_t *stride =
        scattered ? job->work->stride[1] : weft_tile_strides(sweep, &job->tile, true);
    void *at = address_of(job, scattered ? WEFT_AT_SECOND : WEFT_AT_TARGET);
    weft_factors_apply(sweep->factors, sweep->axes, job->start, job->work->count[1], stride, at);
}

static void run_group(const tile_job *job, const weft_group *group, const weft_transform *transform)
{
    void *from = address_of(job, group->from), *to = address_of(job, group->to);
    const bool forward = weft_kind_is_forward(group->kind);
    if (!forward)
        weft_resize_run(&transform->resize, from);
    run_transform(transform, group->kind, from, to);
    if (forward)
        weft_resize_run(&transform->resize, to);
}

/* The axis along which points are contiguous; negative: there is none. */
static int contiguous(int axes, const ptrdiff_t *count, const ptrdiff_t *stride, ptrdiff_t numbers)
{
    int axis = axes - 1;
    while (axis >= 0 && (count[axis] == 1 || stride[axis] != numbers))
        axis--;
    return axis;
}

/* Calls the callback for all points of a tile, which has these counts and strides in a buffer,
 * while the tile is in the cache. `start` has the indices of its first point. Each call gets all
 * points along the axis whose points are contiguous, so that the compiler can vectorize the loop of
 * the program's function. Where none is contiguous, a call gets one point. */
static void call_back(const weft_pass_sweep *sweep, const ptrdiff_t *start, const ptrdiff_t *count,
                      const ptrdiff_t *stride, void *buffer)
{
    const weft_callback *callback = sweep->callback;
    const int axes = sweep->spec->point_axes;
    const ptrdiff_t element = (ptrdiff_t)sweep->second;
    ptrdiff_t numbers = 1, first[WEFT_MAX_AXES] = {0}, index[WEFT_MAX_AXES];
    char *at = buffer;
    if (!callback->apply)
        return;
    for (int a = axes; a < sweep->axes; a++)
        numbers *= count[a];
    for (int a = 0; a < axes; a++)
        first[a] = sweep->spec->start[a] + start[a];
    memcpy(index, first, sizeof index);
    const int along = contiguous(axes, count, stride, numbers), axis = along < 0 ? axes - 1 : along;
    for (int a = 0; a >= 0;) {
        callback->apply(at, along < 0 ? 1 : count[along], index, axis, callback->data);
        for (a = axes - 1; a >= 0; a--) { /* the next place, the last axis fastest */
            if (a == along)
                continue;
            at += stride[a] * element;
            if (++index[a] < first[a] + count[a])
                break;
            at -= count[a] * stride[a] * element;
            index[a] = first[a];
        }
    }
}

/* Calls the callback for the spectrum of the tile. */
static void operate(const tile_job *job)
{
    const weft_pass_sweep *sweep = job->sweep;
    const weft_at at = sweep->groups > 0 ? sweep->group[0].to : WEFT_AT_FIRST;
    ptrdiff_t count[WEFT_MAX_AXES];
    for (int a = 0; a < sweep->axes; a++) {
        const ptrdiff_t before = job->work->count[0][a], after = job->work->count[1][a];
        count[a] = weft_kind_is_backward(sweep->kind[a]) ? sweep->size[a]
                   : sweep->modes[a]                     ? sweep->modes[a]
                                                         : (before > after ? before : after);
    }
    call_back(sweep, job->start, count, job->work->stride[at], job->buffer[at]);
}

static void run_tile(tile_job *job, ptrdiff_t number)
{
    const weft_pass_sweep *sweep = job->sweep;
    weft_tiling_tile(&sweep->tiling, number, &job->tile);
    job->work = &sweep->work[job->tile.shape];
    for (int a = 0; a < sweep->axes; a++)
        job->start[a] = job->tile.span[a].start;
    if (sweep->groups == 0 && !sweep->variant.gather) {
        weft_copy_run(job->work->gather[0], address_of(job, WEFT_AT_SOURCE),
                      address_of(job, WEFT_AT_TARGET));
        return;
    }
    if (sweep->variant.gather)
        carry(job, false);
    int g = 0;
    for (; g < sweep->groups && !sweep->group[g].inverse; g++)
        run_group(job, &sweep->group[g], &job->work->transform[g]);
    if (sweep->factors)
        multiply(job);
    if (sweep->callback)
        operate(job);
    for (; g < sweep->groups; g++)
        run_group(job, &sweep->group[g], &job->work->transform[g]);
    if (sweep->variant.scatter)
        carry(job, true);
}

static void run_tiles(const weft_pass_sweep *sweep, const void *const *from, void *const *to,
                      char *buffers, ptrdiff_t first, ptrdiff_t end)
{
    tile_job job = {.sweep = sweep, .from = from, .to = to};
    for (int b = 0; b < WEFT_BUFFERS; b++)
        job.buffer[b] = buffers + (weft_buffer_memory(sweep, (weft_at)b) ? sweep->buffer[0] : 0);
    for (ptrdiff_t number = first; number < end; number++)
        run_tile(&job, number);
}

#if defined(_OPENMP) && defined(__ELF__)
/* The link line of FFTW has no OpenMP library, so programs with static libraries may have none, and
 * passes then run on one thread. Therefore the symbols that the compiler uses for the loop below
 * are weak. (Shared libraries load OpenMP's library: kernels/pass/openmp.c.) */
#ifdef __clang__
__asm__(".weak __kmpc_fork_call, __kmpc_push_num_threads, __kmpc_global_thread_num");
__asm__(".weak __kmpc_for_static_init_8, __kmpc_for_static_fini");
extern int kmp_get_blocktime(void) __attribute__((weak)); /* GCC's library has only omp_... */
#define THREADS_LINKED (kmp_get_blocktime != NULL)
#else
__asm__(".weak GOMP_parallel, omp_get_num_threads");
extern int omp_get_thread_num(void) __attribute__((weak));
#define THREADS_LINKED (omp_get_thread_num != NULL)
#endif
#else
#define THREADS_LINKED true
#endif

/* This is a separate function because clang calls OpenMP's library where the function begins. */
__attribute__((noinline)) static void run_parts(const weft_pass_sweep *sweep,
                                                const void *const *from, void *const *to,
                                                char *buffers, size_t buffer_step, ptrdiff_t first,
                                                ptrdiff_t tiles, ptrdiff_t parts)
{
#ifdef _OPENMP
#pragma omp parallel for num_threads((int)parts) schedule(static, 1)
#endif
    for (ptrdiff_t t = 0; t < parts; t++)
        run_tiles(sweep, from, to, buffers + (size_t)t * buffer_step, first + tiles * t / parts,
                  first + tiles * (t + 1) / parts);
}

void weft_sweep_run(const weft_pass_sweep *sweep, const void *const *from, void *const *to,
                    char *buffers, size_t buffer_step, ptrdiff_t first, ptrdiff_t tiles)
{
    const ptrdiff_t threads = sweep->spec->threads, parts = threads < tiles ? threads : tiles;
    if (parts > 1 && THREADS_LINKED)
        run_parts(sweep, from, to, buffers, buffer_step, first, tiles, parts);
    else
        run_tiles(sweep, from, to, buffers, first, first + tiles);
}
