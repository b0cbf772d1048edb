/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timing a sweep on memory of its own: the first tiles, as many as are sure not to stay in the
 * caches, in arrays that reach as far as the real ones, of which only what those tiles touch ever
 * becomes memory. Every run takes the next few of them, so that it finds in the caches what it
 * would find there in the course of a whole run.
 */
#include "pass-plan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "error.h"

enum { PAGE = 4096, LINE = 64, LEAST_RUNS = 2, CAREFUL_RUNS = 5, MOST_RUNS = 10 };
static const double ENOUGH = 0.0003, ENOUGH_CAREFUL = 0.002; /* seconds */
/* What a run reads and writes, in last caches, and how many such parts there are. All ranks of a
 * node do the same at the same time, so together that is more than stays in caches. */
static const double PART = 0.25, PARTS = 3;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Widens the range of bytes, relative to the array, that the pieces of a side have in one array. */
static void find_reach(const weft_side *side, int array, ptrdiff_t *lowest, ptrdiff_t *highest)
{
    for (int p = 0; p < side->pieces; p++) {
        const weft_view_piece *piece = &side->piece[p];
        ptrdiff_t count[WEFT_MAX_AXES], low, high, element = (ptrdiff_t)side->element;
        if (piece->array != array)
            continue;
        for (int a = 0; a < side->axes; a++)
            count[a] = a == side->axis ? piece->count : side->count[a];
        weft_box_reach(side->axes, count, piece->stride, &low, &high);
        low = (low + piece->offset) * element;
        high = (high + piece->offset + 1) * element;
        *lowest = low < *lowest ? low : *lowest;
        *highest = high > *highest ? high : *highest;
    }
}

/* Memory that is not there yet; on huge pages, as large arrays mostly are. NULL: there is none. */
static char *zeros(size_t bytes)
{
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE
    (void)madvise(base, bytes, MADV_HUGEPAGE);
#endif
    return base;
}

static bool map(weft_scratch *scratch, int s, int array, ptrdiff_t lowest, ptrdiff_t highest)
{
    size_t before = ((size_t)-lowest + PAGE - 1) / PAGE * PAGE;
    size_t bytes = before + (size_t)highest + PAGE;
    char *base = zeros(bytes);
    if (!base)
        return false;
    scratch->mapped[s][array].base = base;
    scratch->mapped[s][array].bytes = bytes;
    scratch->array[s][array] = base + before;
    return true;
}

bool WEFT(pass_scratch_make)(weft_scratch *scratch, const weft_sweep *sweep)
{
    const weft_side *sides[] = {&sweep->source, &sweep->target};
    *scratch = (weft_scratch){.sides = sweep->in_place ? 1 : 2};
    for (int s = 0; s < scratch->sides; s++) {
        int arrays = sides[s]->arrays;
        if (sweep->in_place && arrays < sides[1]->arrays)
            arrays = sides[1]->arrays;
        scratch->arrays[s] = arrays;
        scratch->array[s] = calloc((size_t)arrays, sizeof *scratch->array[s]);
        scratch->mapped[s] = calloc((size_t)arrays, sizeof *scratch->mapped[s]);
        bool made = scratch->array[s] && scratch->mapped[s];
        for (int k = 0; made && k < arrays; k++) {
            ptrdiff_t lowest = 0, highest = 0;
            find_reach(sides[s], k, &lowest, &highest);
            if (sweep->in_place)
                find_reach(sides[1], k, &lowest, &highest);
            made = map(scratch, s, k, lowest, highest);
        }
        if (!made) {
            WEFT(pass_scratch_free)(scratch);
            return false;
        }
    }
    return true;
}

void WEFT(pass_scratch_free)(weft_scratch *scratch)
{
    for (int s = 0; s < 2; s++) {
        for (int k = 0; scratch->mapped[s] && k < scratch->arrays[s]; k++)
            if (scratch->mapped[s][k].base)
                munmap(scratch->mapped[s][k].base, scratch->mapped[s][k].bytes);
        free(scratch->mapped[s]);
        free(scratch->array[s]);
    }
    free(scratch->buffers);
    if (scratch->other)
        munmap(scratch->other, scratch->other_bytes);
    *scratch = (weft_scratch){0};
}

/* Writes to every line, or reads it: what the step before, and the one after, does to the caches.
 * Pages that were never written to would all be the same memory. */
typedef struct {
    bool write;
    char sum;
} line_visitor;

static void visit_box(line_visitor *visitor, int axes, const ptrdiff_t *count,
                      const ptrdiff_t *step, char *at)
{
    if (axes == 0) {
        if (visitor->write)
            *(volatile char *)at = 0;
        else
            visitor->sum ^= *(volatile char *)at;
        return;
    }
    ptrdiff_t jump = 1, distance = step[0] < 0 ? -step[0] : step[0];
    if (axes == 1 && distance > 0 && distance < LINE)
        jump = LINE / distance;
    for (ptrdiff_t i = 0; i < count[0]; i += jump)
        visit_box(visitor, axes - 1, count + 1, step + 1, at + i * step[0]);
    if (jump > 1)
        visit_box(visitor, axes - 1, count + 1, step + 1, at + (count[0] - 1) * step[0]);
}

static void visit_piece(line_visitor *visitor, const weft_sweep *sweep, const weft_side *side,
                        int p, const weft_tile *tile, char *array)
{
    const weft_view_piece *piece = &side->piece[p];
    ptrdiff_t count[WEFT_MAX_AXES], step[WEFT_MAX_AXES], element = (ptrdiff_t)side->element;
    int order[WEFT_MAX_AXES];
    weft_side_order(side, order);
    char *at = array + piece->offset * element;
    for (int k = 0; k < side->axes; k++) {
        int a = order[k];
        const weft_segment *segment = tile->segment[a];
        bool divided = side->pieces > 1 && a == side->axis;
        step[k] = piece->stride[a] * element;
        count[k] = divided && sweep->transformed[a] ? piece->count
                   : sweep->transformed[a]          ? side->count[a]
                                                    : segment->count;
        at += (segment->start - (divided && !sweep->transformed[a] ? side->start[p] : 0)) * step[k];
    }
    visit_box(visitor, side->axes, count, step, at);
}

/* All that some tiles have on one side. */
static void visit(const weft_sweep *sweep, weft_scratch *scratch, ptrdiff_t first, ptrdiff_t tiles,
                  int s, bool write)
{
    line_visitor visitor = {.write = write};
    const weft_side *side = s ? &sweep->target : &sweep->source;
    for (ptrdiff_t t = first; t < first + tiles; t++) {
        weft_tile tile;
        weft_tiling_tile(&sweep->tiling, t, &tile);
        const weft_segment *segment = tile.segment[side->axis];
        int seen = s ? segment->to_piece : segment->from_piece;
        bool all = sweep->transformed[side->axis];
        for (int p = all ? 0 : seen; p < (all ? side->pieces : seen + 1); p++)
            visit_piece(&visitor, sweep, side, p, &tile,
                        scratch->array[sweep->in_place ? 0 : s][side->piece[p].array]);
    }
}

/* Room for the tiles' buffers. */
static bool give_buffers(weft_scratch *scratch, size_t bytes)
{
    if (scratch->buffers_bytes >= bytes)
        return true;
    free(scratch->buffers);
    scratch->buffers_bytes = (bytes + LINE - 1) / LINE * LINE;
    scratch->buffers = aligned_alloc(LINE, scratch->buffers_bytes);
    if (!scratch->buffers)
        scratch->buffers_bytes = 0;
    return scratch->buffers != NULL;
}

/* Reads as much as this core's part of the last cache holds, that nothing else be left there. */
static void fill_caches(weft_scratch *scratch, size_t bytes)
{
    if (!scratch->other) {
        scratch->other = zeros(bytes);
        scratch->other_bytes = bytes;
        /* pages that were never written to would all be the same memory */
        for (size_t i = 0; scratch->other && i < bytes; i += PAGE)
            *(volatile char *)(scratch->other + i) = 1;
    }
    for (size_t i = 0; scratch->other && i < bytes; i += LINE)
        (void)*(volatile char *)(scratch->other + i);
}

/* How many of the tiles make so many bytes. */
static ptrdiff_t sample(const weft_sweep *sweep, double bytes)
{
    double all = (double)weft_side_elements(&sweep->source) * (double)sweep->source.element;
    if (!sweep->in_place)
        all += (double)weft_side_elements(&sweep->target) * (double)sweep->target.element;
    double tiles = (double)sweep->tiling.tiles * bytes / all + 1;
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

static void touch(const weft_sweep *sweep, weft_scratch *scratch, ptrdiff_t tiles)
{
    visit(sweep, scratch, 0, tiles, 1, true);
    visit(sweep, scratch, 0, tiles, 0, true);
    for (int a = 0; a < sweep->axes; a++)
        scratch->segments[a] = sweep->tiling.axis[a].segments;
    scratch->whole = tiles == sweep->tiling.tiles;
}

double WEFT(pass_sweep_time)(const weft_sweep *sweep, weft_scratch *scratch,
                             const weft_pass_limits *limits, double limit)
{
    const bool patient = sweep->flags & (FFTW_PATIENT | FFTW_EXHAUSTIVE);
    const double enough = patient || scratch->careful ? ENOUGH_CAREFUL : ENOUGH;
    const int least = scratch->careful ? CAREFUL_RUNS : LEAST_RUNS;
    double best = 0, total = 0;
    const ptrdiff_t all = sample(sweep, PARTS * PART * (double)limits->last),
                    tiles = sample(sweep, PART * (double)limits->last);
    ptrdiff_t first = 0;
    size_t step = sweep->buffer[0] + sweep->buffer[1];
    if (!give_buffers(scratch, step * (size_t)sweep->threads + LINE))
        return -1;
    const void *const *from = (const void *const *)scratch->array[0];
    void *const *to = scratch->array[scratch->sides - 1];
    const bool far = WEFT(pass_is_far)(sweep, limits), kept = !sweep->in_place && !far;
    limit *= (double)tiles / (double)sweep->tiling.tiles;
    if (!touched(scratch, sweep))
        touch(sweep, scratch, all);
    if (far) /* the first runs then find nothing there, for each takes other tiles */
        fill_caches(scratch, limits->last);
    for (int run = 0; run < least || (run < MOST_RUNS && total < enough); run++) {
        double start = now();
        WEFT(pass_sweep_run)(sweep, from, to, scratch->buffers, step, first, tiles);
        if (kept)
            visit(sweep, scratch, first, tiles, 1, false);
        double time = now() - start;
        total += time;
        if (run == 0 || time < best)
            best = time;
        if (limit > 0 && best > 1.3 * limit)
            break;
        first = first + 2 * tiles <= all ? first + tiles : 0;
    }
    return best * (double)sweep->tiling.tiles / (double)tiles;
}
