/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether two indices of a view share an element. Two pieces of which the addresses reach into each
 * other meet when offset differences can be made up of their steps. That is a search over the
 * digits of a number in a mixed base, the largest step first; for the strides of real arrays each
 * digit has one or two candidates. Views so entangled that the search would take long are refused
 * as well.
 */
#include "kernels/pass/side.h"

#include <stdlib.h>
#include "kernels/base/error.h"

enum { MOST_WORK = 4000000 };

/* A step that may be taken from lo to hi times. */
typedef struct {
    ptrdiff_t step, lo, hi;
} term;

typedef struct {
    term term[2 * WEFT_MAX_AXES];
    ptrdiff_t lowest[2 * WEFT_MAX_AXES + 1],
        highest[2 * WEFT_MAX_AXES + 1]; /* of terms from here on */
    int terms;
    bool itself; /* one piece with itself: taking no step at all does not count */
    long work;
} search;

static void add_term(search *s, ptrdiff_t step, ptrdiff_t lo, ptrdiff_t hi)
{
    if (step < 0) {
        ptrdiff_t low = lo;
        step = -step;
        lo = -hi;
        hi = -low;
    }
    if (lo == 0 && hi == 0)
        return;
    int k = s->terms;
    while (k > 0 && s->term[k - 1].step < step)
        k--;
    if (k > 0 && s->term[k - 1].step == step && !s->itself) {
        s->term[k - 1].lo += lo;
        s->term[k - 1].hi += hi;
        return;
    }
    for (int j = s->terms++; j > k; j--)
        s->term[j] = s->term[j - 1];
    s->term[k] = (term){step, lo, hi};
}

static ptrdiff_t floor_divide(ptrdiff_t a, ptrdiff_t b)
{
    return a / b - (a % b < 0);
}

static bool made_up(search *s, int level, ptrdiff_t rest, bool moved)
{
    if (level == s->terms)
        return rest == 0 && (moved || !s->itself);
    const term *t = &s->term[level];
    if (t->step == 0)
        return made_up(s, level + 1, rest, true);
    ptrdiff_t first = -floor_divide(s->highest[level + 1] - rest, t->step);
    ptrdiff_t last = floor_divide(rest - s->lowest[level + 1], t->step);
    if (first < t->lo)
        first = t->lo;
    if (last > t->hi)
        last = t->hi;
    for (ptrdiff_t d = first; d <= last; d++) {
        if (++s->work > MOST_WORK || made_up(s, level + 1, rest - d * t->step, moved || d != 0))
            return true;
    }
    return false;
}

static ptrdiff_t count_of(const weft_side *side, int piece, int axis)
{
    return axis == side->axis ? side->piece[piece].count : side->count[axis];
}

static bool meet(const weft_side *side, int p, int q)
{
    const weft_view_piece *a = &side->piece[p], *b = &side->piece[q];
    search s = {.itself = p == q};
    bool alike = side->like[p] == side->like[q];
    for (int k = 0; k < side->axes; k++) {
        if (alike) {
            add_term(&s, a->stride[k], 1 - count_of(side, q, k), count_of(side, p, k) - 1);
        } else {
            add_term(&s, a->stride[k], 0, count_of(side, p, k) - 1);
            add_term(&s, b->stride[k], 1 - count_of(side, q, k), 0);
        }
    }
    for (int k = s.terms - 1; k >= 0; k--) {
        s.lowest[k] = s.lowest[k + 1] + s.term[k].lo * s.term[k].step;
        s.highest[k] = s.highest[k + 1] + s.term[k].hi * s.term[k].step;
    }
    return made_up(&s, 0, b->offset - a->offset, false);
}

typedef struct {
    int piece, array;
    ptrdiff_t lowest, highest;
} piece_extent;

static int by_address(const void *left, const void *right)
{
    const piece_extent *a = left, *b = right;
    if (a->array != b->array)
        return a->array < b->array ? -1 : 1;
    return (a->lowest > b->lowest) - (a->lowest < b->lowest);
}

static void find_extent(const weft_side *side, int p, piece_extent *extent)
{
    ptrdiff_t count[WEFT_MAX_AXES];
    const weft_view_piece *piece = &side->piece[p];
    for (int k = 0; k < side->axes; k++)
        count[k] = count_of(side, p, k);
    weft_box_reach(side->axes, count, piece->stride, &extent->lowest, &extent->highest);
    extent->lowest += piece->offset;
    extent->highest += piece->offset;
    extent->piece = p;
    extent->array = piece->array;
}

bool weft_side_distinct(const weft_side *side, const char *name)
{
    piece_extent *extents = malloc((size_t)side->pieces * sizeof *extents);
    bool distinct = true;
    if (!extents) {
        weft_error("pass: no memory for the %d pieces of a view", side->pieces);
        return false;
    }
    for (int p = 0; p < side->pieces; p++)
        find_extent(side, p, &extents[p]);
    qsort(extents, (size_t)side->pieces, sizeof *extents, by_address);
    for (int i = 0; distinct && i < side->pieces; i++) {
        for (int j = i; distinct && j < side->pieces && extents[j].array == extents[i].array &&
                        extents[j].lowest <= extents[i].highest;
             j++) {
            int p = extents[i].piece, q = extents[j].piece;
            distinct = !meet(side, p, q);
            if (!distinct && p == q)
                weft_error("pass: elements of piece %d of the %s overlap", p, name);
            else if (!distinct)
                weft_error("pass: pieces %d and %d of the %s overlap", p, q, name);
        }
    }
    free(extents);
    return distinct;
}
