/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times a sweep by running some of its tiles on scratch arrays that span as many addresses as the
 * real ones; only pages that are touched take memory. Before every timed run the caches have the
 * contents that they would have during a whole sweep. If the arrays are far, their lines are
 * flushed first, and a store counts as complete only when it has reached memory.
 */
#include "kernels/pass/division.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "kernels/base/cache.h"
#include "kernels/base/clock.h"
#include "kernels/base/memory.h"

#if defined(__SSE2__)
#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>
#endif

enum { PAGE = 4096, LEAST_RUNS = 2, CAREFUL_RUNS = 5, MOST_RUNS = 10, MOST_SPOILED = 5 };
static const double ENOUGH = 0.0003, ENOUGH_CAREFUL = 0.001; /* seconds */
/* PART: bytes of the tiles of one run, as a fraction of the last cache. If the arrays are near, the
 * runs alternate among PARTS such parts. */
static const double PART = 0.0625, PARTS = 12;

/* Extends a range of bytes, relative to the beginning of an array, to contain the blocks of a side
 * in that array. */
static void find_reach(const weft_side *side, int array, ptrdiff_t *lowest, ptrdiff_t *highest)
{
    weft_block_at at = {0};
    do {
        const weft_view_block *block = &side->block[at.p];
        const ptrdiff_t offset = weft_block_offset(block, at.nth);
        ptrdiff_t count[WEFT_MAX_AXES], low, high, element = (ptrdiff_t)side->element;
        if (weft_block_array(block, at.nth) != array)
            continue;
        for (int a = 0; a < side->axes; a++)
            count[a] = a == side->axis ? block->count : side->count[a];
        weft_box_reach(side->axes, count, block->stride, &low, &high);
        low = (low + offset) * element;
        high = (high + offset + 1) * element;
        *lowest = low < *lowest ? low : *lowest;
        *highest = high > *highest ? high : *highest;
    } while (weft_side_next_block(side, &at));
}

/* Places all arrays from `base` on, if `base` is not NULL. Returns the number of bytes of all
 * arrays. */
static size_t place_arrays(weft_scratch *scratch, const weft_pass_sweep *sweep, char *base)
{
    const weft_side *sides[] = {sweep->source, sweep->target};
    size_t bytes = 0;
    for (int s = 0; s < (sweep->in_place ? 1 : 2); s++)
        for (int k = 0; k < scratch->arrays[s]; k++) {
            ptrdiff_t lowest = 0, highest = 0;
            find_reach(sides[s], k, &lowest, &highest);
            if (sweep->in_place)
                find_reach(sides[1], k, &lowest, &highest);
            bytes += weft_round_up((size_t)-lowest, PAGE);
            if (base)
                scratch->array[s][k] = base + bytes;
            bytes += weft_round_up((size_t)highest + PAGE, PAGE);
        }
    return bytes;
}

bool weft_scratch_make(weft_scratch *scratch, const weft_pass_sweep *sweep)
{
    const int in = sweep->source->arrays, out = sweep->target->arrays;
    *scratch = (weft_scratch){.arrays = {sweep->in_place && out > in ? out : in, out}};
    scratch->array[0] = calloc((size_t)scratch->arrays[0], sizeof *scratch->array[0]);
    scratch->array[1] = sweep->in_place
                            ? scratch->array[0]
                            : calloc((size_t)scratch->arrays[1], sizeof *scratch->array[1]);
    scratch->bytes = place_arrays(scratch, sweep, NULL);
    scratch->base = weft_memory_map(scratch->bytes);
    if (!scratch->array[0] || !scratch->array[1] || !scratch->base) {
        weft_scratch_free(scratch);
        return false;
    }
    place_arrays(scratch, sweep, scratch->base);
    return true;
}

void weft_scratch_free(weft_scratch *scratch)
{
    if (scratch->array[1] != scratch->array[0])
        free(scratch->array[1]);
    free(scratch->array[0]);
    free(scratch->buffers);
    if (scratch->base)
        munmap(scratch->base, scratch->bytes);
    if (scratch->other)
        munmap(scratch->other, scratch->other_bytes);
    *scratch = (weft_scratch){0};
}

/* Allocates the buffers of the tiles. Returns false if there is no memory. */
static bool make_buffers(weft_scratch *scratch, size_t bytes)
{
    if (scratch->buffers_bytes >= bytes)
        return true;
    free(scratch->buffers);
    scratch->buffers = weft_memory_allocate(bytes);
    scratch->buffers_bytes = scratch->buffers ? bytes : 0;
    return scratch->buffers != NULL;
}

/* Reads so many bytes of memory that no other data stays in the caches. */
static void fill_caches(weft_scratch *scratch, size_t bytes)
{
    if (!scratch->other) {
        scratch->other = weft_memory_map(bytes);
        scratch->other_bytes = bytes;
        /* pages that were never written all map the same memory */
        for (size_t i = 0; scratch->other && i < bytes; i += PAGE)
            *(volatile char *)(scratch->other + i) = 1;
    }
    for (size_t i = 0; scratch->other && i < bytes; i += WEFT_LINE)
        (void)*(volatile char *)(scratch->other + i);
}

#if defined(__SSE2__)
#define FLUSHES true

/* Whether the processor has clflushopt. Older processors have only clflush, which waits for each
 * line. */
static bool flushes_quickly(void)
{
    static atomic_int known; /* 1 no, 2 yes, 0 not known yet */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (!answer) {
        unsigned a, b = 0, c, d;
        answer = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_CLFLUSHOPT) ? 2 : 1;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == 2;
}

__attribute__((target("clflushopt"))) static void flush_quickly(char *line)
{
    _mm_clflushopt(line);
}

static void flush(char *line)
{
    if (flushes_quickly())
        flush_quickly(line);
    else
        _mm_clflush(line);
}
#else
#define FLUSHES false

static void flush(char *line)
{
    (void)line;
}
#endif

static void touch_line(weft_touch touch, char *line)
{
    volatile char *at = line;
    if (touch == WEFT_TOUCH_WRITE)
        *at = 0;
    else if (touch == WEFT_TOUCH_READ)
        (void)*at;
    else
        flush(line);
}

static void touch_box(weft_touch touch, int axes, const ptrdiff_t *count, const ptrdiff_t *step,
                      char *at)
{
    if (axes == 0) {
        touch_line(touch, at);
        return;
    }
    ptrdiff_t jump = 1, distance = step[0] < 0 ? -step[0] : step[0];
    if (axes == 1 && distance > 0 && distance < WEFT_LINE)
        jump = WEFT_LINE / distance;
    for (ptrdiff_t i = 0; i < count[0]; i += jump)
        touch_box(touch, axes - 1, count + 1, step + 1, at + i * step[0]);
    if (jump > 1)
        touch_box(touch, axes - 1, count + 1, step + 1, at + (count[0] - 1) * step[0]);
}

static void touch_block(weft_touch touch, const weft_pass_sweep *sweep, bool target,
                        weft_block_at which, const weft_tile *tile, void *const *arrays)
{
    const weft_side *side = weft_sweep_side(sweep, target);
    const weft_view_block *block = &side->block[which.p];
    ptrdiff_t count[WEFT_MAX_AXES], step[WEFT_MAX_AXES];
    int order[WEFT_MAX_AXES];
    weft_side_order(side, order);
    for (int k = 0; k < side->axes; k++) {
        const int a = order[k];
        step[k] = block->stride[a] * (ptrdiff_t)side->element;
        count[k] = !sweep->transformed[a] ? tile->span[a].count
                   : a == side->axis      ? block->count
                                          : side->count[a];
    }
    touch_box(touch, side->axes, count, step,
              weft_tile_address(sweep, tile, target, which, (const void *const *)arrays));
}

bool weft_touch_lines(const weft_pass_sweep *sweep, const weft_scratch *scratch, ptrdiff_t first,
                      ptrdiff_t tiles, bool target, weft_touch touch)
{
    const weft_side *side = weft_sweep_side(sweep, target);
    if (touch == WEFT_TOUCH_FLUSH && !FLUSHES)
        return false;
    for (ptrdiff_t t = first; t < first + tiles; t++) {
        weft_tile tile;
        weft_tiling_tile(&sweep->tiling, t, &tile);
        weft_block_at at = weft_tile_block(&tile, side, target);
        do
            touch_block(touch, sweep, target, at, &tile, scratch->array[target]);
        while (sweep->transformed[side->axis] && weft_side_next_block(side, &at));
    }
    if (touch == WEFT_TOUCH_FLUSH)
        weft_stream_fence();
    return true;
}

static ptrdiff_t tiles_of_bytes(const weft_pass_sweep *sweep, double bytes)
{
    double tiles = (double)sweep->tiling.tiles * bytes / weft_touched_bytes(sweep) + 1;
    return tiles < (double)sweep->tiling.tiles ? (ptrdiff_t)tiles : sweep->tiling.tiles;
}

/* Whether all pages of a sweep have been written. A candidate with other tiles may reach other
 * pages. */
static bool is_written(const weft_scratch *scratch, const weft_pass_sweep *sweep)
{
    if (scratch->whole)
        return true;
    for (int a = 0; a < sweep->axes; a++)
        if (scratch->spans[a] != sweep->tiling.axis[a].spans)
            return false;
    return true;
}

/* Writes tiles, because all pages that were never written map the same memory. */
static void write_tiles(const weft_pass_sweep *sweep, weft_scratch *scratch, ptrdiff_t tiles)
{
    weft_touch_lines(sweep, scratch, 0, tiles, 1, WEFT_TOUCH_WRITE);
    weft_touch_lines(sweep, scratch, 0, tiles, 0, WEFT_TOUCH_WRITE);
    for (int a = 0; a < sweep->axes; a++)
        scratch->spans[a] = sweep->tiling.axis[a].spans;
    scratch->whole = tiles == sweep->tiling.tiles;
}

typedef struct {
    const weft_pass_sweep *sweep;
    weft_scratch *scratch;
    ptrdiff_t first, tiles;
    size_t buffer; /* bytes of the buffers of each thread */
    bool kept;     /* the target stays in the caches after the run */
} timed_run;

static bool touch_side(const timed_run *run, int s, weft_touch touch)
{
    return weft_touch_lines(run->sweep, run->scratch, run->first, run->tiles, s, touch);
}

/* Flushes both sides. Returns false if the processor cannot flush lines; the function has then
 * filled the caches with other memory instead. */
static bool flush_sides(const timed_run *run, size_t last)
{
    if (touch_side(run, 0, WEFT_TOUCH_FLUSH))
        return touch_side(run, 1, WEFT_TOUCH_FLUSH);
    fill_caches(run->scratch, last);
    return false;
}

/* Returns the seconds of one run. *nothing becomes the seconds that flushing takes for lines that
 * are not in the caches, which the caller subtracts; *spoiled becomes whether another process had
 * the core during the run. */
static double time_run(const timed_run *run, size_t last, double *nothing, bool *spoiled)
{
    const bool flushed = run->sweep->far && flush_sides(run, last);
    const double begin = weft_clock();
    if (flushed)
        touch_side(run, 1, WEFT_TOUCH_FLUSH);
    const weft_moment start = weft_moment_now();
    *nothing = start.clock - begin;
    weft_sweep_run(run->sweep, (const void *const *)run->scratch->array[0], run->scratch->array[1],
                   run->scratch->buffers, run->buffer, run->first, run->tiles);
    if (flushed)
        touch_side(run, 1, WEFT_TOUCH_FLUSH);
    else if (run->kept)
        touch_side(run, 1, WEFT_TOUCH_READ);
    double lost;
    const double time = weft_seconds_since(&start, &lost);
    *spoiled = lost > 0;
    return time;
}

double weft_sweep_time(const weft_pass_sweep *sweep, weft_scratch *scratch, size_t last,
                       double limit)
{
    const bool patient = sweep->spec->fftw_flags & (FFTW_PATIENT | FFTW_EXHAUSTIVE);
    const double enough = patient || scratch->careful ? ENOUGH_CAREFUL : ENOUGH;
    const int least = scratch->careful ? CAREFUL_RUNS : LEAST_RUNS;
    timed_run run = {.sweep = sweep,
                     .scratch = scratch,
                     .buffer = sweep->buffer[0] + sweep->buffer[1],
                     .tiles = tiles_of_bytes(sweep, PART * (double)last)};
    const ptrdiff_t all =
        sweep->far ? run.tiles : tiles_of_bytes(sweep, PARTS * PART * (double)last);
    double best = HUGE_VAL, nothing = HUGE_VAL, total = 0;
    run.kept = !sweep->in_place && !sweep->far;
    if (!make_buffers(scratch, run.buffer * (size_t)sweep->spec->threads + 1))
        return -1;
    limit *= (double)run.tiles / (double)sweep->tiling.tiles;
    if (!is_written(scratch, sweep))
        write_tiles(sweep, scratch, all);
    for (int runs = 0, spoiled = 0; runs < least || (runs < MOST_RUNS && total < enough); runs++) {
        bool disturbed;
        double without, time = time_run(&run, last, &without, &disturbed);
        if (disturbed && spoiled++ < MOST_SPOILED) {
            runs--;
            continue;
        }
        total += time;
        best = time < best ? time : best;
        nothing = without < nothing ? without : nothing;
        if (limit > 0 && runs > 0 && best - nothing > 1.3 * limit)
            break; /* but not after the first run, which may have been disturbed */
        run.first = run.first + 2 * run.tiles <= all ? run.first + run.tiles : 0;
    }
    return (best > nothing ? best - nothing : best) * (double)sweep->tiling.tiles /
           (double)run.tiles;
}
