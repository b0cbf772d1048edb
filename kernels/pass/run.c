/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running a sweep: its tiles, one after another or shared out among threads, each of which has
 * buffers of its own.
 */
#include "kernels/pass/sweep.h"

#include <stdint.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* One tile while it is worked on. */
typedef struct {
    const weft_sweep *sweep;
    const weft_program *program;
    ptrdiff_t start[WEFT_MAX_AXES];
    weft_tile tile;
    const void *const *from;
    void *const *to;
    char *buffer[2];
} tile_job;

/* Where the first element of the tile lies, in bytes, in a piece. */
static ptrdiff_t begin(const tile_job *job, const weft_side *side, int p)
{
    const weft_view_piece *piece = &side->piece[p];
    ptrdiff_t offset = piece->offset;
    for (int a = 0; a < side->axes; a++) {
        ptrdiff_t start = job->start[a];
        if (a == side->axis && side->pieces > 1 && !job->sweep->transformed[a])
            start -= side->start[p];
        offset += start * piece->stride[a];
    }
    return offset * (ptrdiff_t)side->element;
}

static const char *source_at(const tile_job *job, int p)
{
    const weft_side *side = &job->sweep->source;
    return (const char *)job->from[side->piece[p].array] + begin(job, side, p);
}

static char *target_at(const tile_job *job, int p)
{
    const weft_side *side = &job->sweep->target;
    return (char *)job->to[side->piece[p].array] + begin(job, side, p);
}

static int source_piece(const tile_job *job)
{
    return job->tile.segment[job->sweep->source.axis]->from_piece;
}

static int target_piece(const tile_job *job)
{
    return job->tile.segment[job->sweep->target.axis]->to_piece;
}

static void gather(const tile_job *job)
{
    const weft_side *side = &job->sweep->source;
    const weft_program *program = job->program;
    if (side->pieces == 1 || !job->sweep->transformed[side->axis]) {
        weft_copy_run(program->gather[0], source_at(job, source_piece(job)), job->buffer[0]);
        return;
    }
    ptrdiff_t step = program->buffer.stride[0][side->axis] * (ptrdiff_t)side->element;
    for (int p = 0; p < side->pieces; p++) {
        if (p + 1 < side->pieces)
            weft_copy_fetch(program->gather[p + 1], source_at(job, p + 1));
        weft_copy_run(program->gather[p], source_at(job, p),
                      job->buffer[0] + side->start[p] * step);
    }
}

static void scatter(const tile_job *job)
{
    const weft_side *side = &job->sweep->target;
    const weft_program *program = job->program;
    if (side->pieces == 1 || !job->sweep->transformed[side->axis]) {
        weft_copy_run(program->scatter[0], job->buffer[1], target_at(job, target_piece(job)));
        return;
    }
    ptrdiff_t step = program->buffer.stride[1][side->axis] * (ptrdiff_t)side->element;
    for (int p = 0; p < side->pieces; p++)
        weft_copy_run(program->scatter[p], job->buffer[1] + side->start[p] * step,
                      target_at(job, p));
}

static void *memory_at(const tile_job *job, weft_at at)
{
    switch (at) {
    case WEFT_AT_SOURCE:
        return (void *)(uintptr_t)source_at(job, source_piece(job));
    case WEFT_AT_FIRST:
        return job->buffer[0];
    case WEFT_AT_SECOND:
        return job->buffer[1];
    default:
        return target_at(job, target_piece(job));
    }
}

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

static void execute_rows(weft_kind kind, FFTW(plan) plan, const weft_transform *transform, int loop,
                         char *from, char *to)
{
    if (loop == transform->loops) {
        execute(kind, plan, from, to);
        return;
    }
    for (ptrdiff_t k = 0; k < transform->count[loop]; k++)
        execute_rows(kind, plan, transform, loop + 1, from + k * transform->from_step[loop],
                     to + k * transform->to_step[loop]);
}

static void run_group(const tile_job *job, int g)
{
    const weft_group *group = &job->sweep->group[g];
    const weft_transform *transform = &job->program->transform[g];
    void *from = memory_at(job, group->from), *to = memory_at(job, group->to);
    const bool aligned =
        transform->aligned && FFTW(alignment_of)(from) == 0 && FFTW(alignment_of)(to) == 0;
    execute_rows(group->kind, aligned || !transform->any ? transform->aligned : transform->any,
                 transform, 0, from, to);
}

static void multiply(const tile_job *job)
{
    const weft_sweep *sweep = job->sweep;
    bool scattered = sweep->choice.scatter;
    const ptrdiff_t *stride =
        scattered ? job->program->buffer.stride[1] : sweep->target.piece[target_piece(job)].stride;
    void *at = memory_at(job, scattered ? WEFT_AT_SECOND : WEFT_AT_TARGET);
    weft_pass_factors_apply(sweep->factors, sweep->axes, job->start, job->program->count[1], stride,
                            at);
}

static void run_tile(tile_job *job, ptrdiff_t place)
{
    const weft_sweep *sweep = job->sweep;
    weft_tiling_tile(&sweep->tiling, place, &job->tile);
    job->program = &sweep->program[job->tile.sort];
    for (int a = 0; a < sweep->axes; a++)
        job->start[a] = job->tile.segment[a]->start;
    if (sweep->groups == 0 && !sweep->choice.gather) {
        weft_copy_run(job->program->gather[0], source_at(job, source_piece(job)),
                      target_at(job, target_piece(job)));
        return;
    }
    if (sweep->choice.gather)
        gather(job);
    for (int g = 0; g < sweep->groups; g++)
        run_group(job, g);
    if (sweep->factors)
        multiply(job);
    if (sweep->choice.scatter)
        scatter(job);
}

static void run_part(const weft_sweep *sweep, const void *const *from, void *const *to,
                     char *buffers, ptrdiff_t first, ptrdiff_t end)
{
    tile_job job = {.sweep = sweep, .from = from, .to = to};
    job.buffer[0] = buffers;
    job.buffer[1] =
        sweep->source.element == sweep->target.element ? buffers : buffers + sweep->buffer[0];
    for (ptrdiff_t place = first; place < end; place++)
        run_tile(&job, place);
}

void weft_pass_sweep_run(const weft_sweep *sweep, const void *const *from, void *const *to,
                         char *buffers, size_t buffer_step, ptrdiff_t first, ptrdiff_t tiles)
{
    ptrdiff_t parts = sweep->threads;
    if (parts > tiles)
        parts = tiles;
    if (parts <= 1) {
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
