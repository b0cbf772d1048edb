/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timing a sweep on memory of its own, by the first of its tiles. Every run finds in the caches
 * what it would find there in the course of a whole run: what is far has been forgotten by them,
 * and what is written there counts as written once it has reached memory.
 */
#include "kernels/pass/sweep.h"

#include <math.h>
#include <time.h>

enum { LEAST_RUNS = 2, CAREFUL_RUNS = 5, MOST_RUNS = 10 };
static const double ENOUGH = 0.0003, ENOUGH_CAREFUL = 0.001; /* seconds */
/* What a run reads and writes, in last caches; of what is near, there are several such parts, which
 * take turns. */
static const double PART = 0.0625, PARTS = 12;

double weft_pass_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* How many of the tiles make so many bytes. */
static ptrdiff_t sample(const weft_sweep *sweep, double bytes)
{
    double tiles = (double)sweep->tiling.tiles * bytes / weft_pass_touched_bytes(sweep) + 1;
    return tiles < (double)sweep->tiling.tiles ? (ptrdiff_t)tiles : sweep->tiling.tiles;
}

/* Candidates of other tiles reach other lines, some for the first time. */
static bool touched(const weft_scratch *scratch, const weft_sweep *sweep)
{
    if (scratch->whole)
        return true;
    for (int a = 0; a < sweep->axes; a++)
        if (scratch->segments[a] != sweep->tiling.axis[a].segments)
            return false;
    return true;
}

/* Pages that were never written to would all be the same memory. */
static void touch(const weft_sweep *sweep, weft_scratch *scratch, ptrdiff_t tiles)
{
    weft_pass_visit(sweep, scratch, 0, tiles, 1, WEFT_VISIT_WRITES);
    weft_pass_visit(sweep, scratch, 0, tiles, 0, WEFT_VISIT_WRITES);
    for (int a = 0; a < sweep->axes; a++)
        scratch->segments[a] = sweep->tiling.axis[a].segments;
    scratch->whole = tiles == sweep->tiling.tiles;
}

/* A run of some tiles. */
typedef struct {
    const weft_sweep *sweep;
    weft_scratch *scratch;
    ptrdiff_t first, tiles;
    size_t buffer;  /* bytes of each thread's */
    bool far, kept; /* kept: the target stays in the caches for what comes next */
} timed_run;

static void run_tiles(const timed_run *run)
{
    weft_scratch *scratch = run->scratch;
    weft_pass_sweep_run(run->sweep, (const void *const *)scratch->array[0],
                        scratch->array[scratch->sides - 1], scratch->buffers, run->buffer,
                        run->first, run->tiles);
}

static bool visit_side(const timed_run *run, int s, weft_visit visit)
{
    return weft_pass_visit(run->sweep, run->scratch, run->first, run->tiles, s, visit);
}

/* False: all caches were filled with other things instead. */
static bool forget(const timed_run *run, const weft_pass_limits *limits)
{
    if (visit_side(run, 0, WEFT_VISIT_FORGETS))
        return visit_side(run, 1, WEFT_VISIT_FORGETS);
    weft_pass_scratch_fill_caches(run->scratch, limits->last);
    return false;
}

/* Seconds, and those of forgetting what is not there, which are to be taken off. */
static double time_of_run(const timed_run *run, const weft_pass_limits *limits, double *nothing)
{
    const bool forgotten = run->far && forget(run, limits);
    const double begin = weft_pass_now();
    if (forgotten)
        visit_side(run, 1, WEFT_VISIT_FORGETS);
    const double start = weft_pass_now();
    *nothing = start - begin;
    run_tiles(run);
    if (forgotten)
        visit_side(run, 1, WEFT_VISIT_FORGETS);
    else if (run->kept)
        visit_side(run, 1, WEFT_VISIT_READS);
    return weft_pass_now() - start;
}

double weft_pass_sweep_time(const weft_sweep *sweep, weft_scratch *scratch,
                            const weft_pass_limits *limits, double limit)
{
    const bool patient = sweep->flags & (FFTW_PATIENT | FFTW_EXHAUSTIVE);
    const double enough = patient || scratch->careful ? ENOUGH_CAREFUL : ENOUGH;
    const int least = scratch->careful ? CAREFUL_RUNS : LEAST_RUNS;
    timed_run run = {.sweep = sweep,
                     .scratch = scratch,
                     .buffer = sweep->buffer[0] + sweep->buffer[1],
                     .tiles = sample(sweep, PART * (double)limits->last),
                     .far = weft_pass_is_far(sweep, limits)};
    const ptrdiff_t all = run.far ? run.tiles : sample(sweep, PARTS * PART * (double)limits->last);
    double best = HUGE_VAL, nothing = HUGE_VAL, total = 0;
    run.kept = !sweep->in_place && !run.far;
    if (!weft_pass_scratch_buffers(scratch, run.buffer * (size_t)sweep->threads + 1))
        return -1;
    limit *= (double)run.tiles / (double)sweep->tiling.tiles;
    if (!touched(scratch, sweep))
        touch(sweep, scratch, all);
    for (int runs = 0; runs < least || (runs < MOST_RUNS && total < enough); runs++) {
        double without, time = time_of_run(&run, limits, &without);
        total += time;
        best = time < best ? time : best;
        nothing = without < nothing ? without : nothing;
        if (limit > 0 && runs > 0 && best - nothing > 1.3 * limit)
            break; /* not after one run, which another process may have disturbed */
        run.first = run.first + 2 * run.tiles <= all ? run.first + run.tiles : 0;
    }
    return (best > nothing ? best - nothing : best) * (double)sweep->tiling.tiles /
           (double)run.tiles;
}
