/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Visits to the lines that some tiles have in the arrays.
 */
#include "kernels/pass/sweep.h"

#include "kernels/base/cache.h"

#if defined(__SSE2__)
#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>
#endif

#if defined(__SSE2__)
#define FORGETS true

/* Older processors wait for each line that goes. */
static bool goes_quickly(void)
{
    static atomic_int known; /* the same whoever finds it out first: 1 no, 2 yes */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (!answer) {
        unsigned a, b = 0, c, d;
        answer = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_CLFLUSHOPT) ? 2 : 1;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == 2;
}

__attribute__((target("clflushopt"))) static void forget_quickly(char *line)
{
    _mm_clflushopt(line);
}

static void forget(char *line)
{
    if (goes_quickly())
        forget_quickly(line);
    else
        _mm_clflush(line);
}

static void fence(void)
{
    _mm_sfence();
}
#else
#define FORGETS false

static void forget(char *line)
{
    (void)line;
}

static void fence(void)
{
}
#endif

static void visit_line(weft_visit visit, char *line)
{
    volatile char *at = line;
    if (visit == WEFT_VISIT_WRITES)
        *at = 0;
    else if (visit == WEFT_VISIT_READS)
        (void)*at;
    else
        forget(line);
}

static void visit_box(weft_visit visit, int axes, const ptrdiff_t *count, const ptrdiff_t *step,
                      char *at)
{
    if (axes == 0) {
        visit_line(visit, at);
        return;
    }
    ptrdiff_t jump = 1, distance = step[0] < 0 ? -step[0] : step[0];
    if (axes == 1 && distance > 0 && distance < WEFT_LINE)
        jump = WEFT_LINE / distance;
    for (ptrdiff_t i = 0; i < count[0]; i += jump)
        visit_box(visit, axes - 1, count + 1, step + 1, at + i * step[0]);
    if (jump > 1)
        visit_box(visit, axes - 1, count + 1, step + 1, at + (count[0] - 1) * step[0]);
}

static void visit_piece(weft_visit visit, const weft_sweep *sweep, const weft_side *side, int p,
                        const weft_tile *tile, char *array)
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
    visit_box(visit, side->axes, count, step, at);
}

bool weft_pass_visit(const weft_sweep *sweep, const weft_scratch *scratch, ptrdiff_t first,
                     ptrdiff_t tiles, int s, weft_visit visit)
{
    const weft_side *side = s ? &sweep->target : &sweep->source;
    if (visit == WEFT_VISIT_FORGETS && !FORGETS)
        return false;
    for (ptrdiff_t t = first; t < first + tiles; t++) {
        weft_tile tile;
        weft_tiling_tile(&sweep->tiling, t, &tile);
        const weft_segment *segment = tile.segment[side->axis];
        int seen = s ? segment->to_piece : segment->from_piece;
        bool all = sweep->transformed[side->axis];
        for (int p = all ? 0 : seen; p < (all ? side->pieces : seen + 1); p++)
            visit_piece(visit, sweep, side, p, &tile,
                        scratch->array[sweep->in_place ? 0 : s][side->piece[p].array]);
    }
    if (visit == WEFT_VISIT_FORGETS)
        fence();
    return true;
}
