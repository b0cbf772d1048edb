/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges within one array and with little more memory (WEFT_WITHIN), for FFTW_CONSERVE_MEMORY.
 * The array is sent in parts, its last rows first, so that the unsent rows are always its
 * beginning. Arriving parts are stacked from the end of the memory downwards: sending a part frees
 * as much space as receiving a part needs. Each part passes through the workspace by itself.
 *
 *     before             | send 0   send 1   send 2 |
 *     part 2 sent        | send 0   send 1   |  | 2 |
 *     part 1 sent        | send 0   |       | 1 | 2 |
 *     part 0 sent        |              | 0 | 1 | 2 |    rows of all ranks, part by part
 *     in order           | row 0, row 1 ...  |
 *
 * Finally the cycles of a permutation put the stacked rows in order.
 *
 * Cost: the messages, one more copy of the sent data, and one more pass over the array by rows. The
 * workspace holds what one of PARTS parts needs, or one bit per granule and one granule.
 */
#include "backends/exchange/exchange.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "backends/messages/blocks.h"
#include "kernels/base/memory.h"

enum { PARTS = 32 };

typedef struct {
    weft_prepared *part[PARTS];
    ptrdiff_t place[PARTS]; /* element at which each part is stacked */
    size_t sent;            /* bytes of the array before the exchange */
    size_t begin, bytes;    /* of the complete stack */
    /* The stack has `rows` rows of `times` granules each; the array is the transpose of this matrix
     * of granules. */
    ptrdiff_t rows, times;
    size_t granule;
    ptrdiff_t *row; /* stack row of each index */
} within;

static int row_axis(const weft_layout *from)
{
    return from->order[0];
}

static ptrdiff_t row_elements(const weft_layout *layout, const weft_box *box, int axis)
{
    const ptrdiff_t count = box->span[axis].count;
    return count > 0 ? weft_layout_elements(layout, box) / count : 0;
}

/* Counts the rows, over all ranks, that belong to each part. */
static void count_rows(const weft_layout *from, int ranks, ptrdiff_t rows[PARTS])
{
    memset(rows, 0, PARTS * sizeof *rows);
    for (int rank = 0; rank < ranks; rank++) {
        weft_box box;
        weft_layout_box(from, rank, &box);
        for (int part = 0; part < PARTS; part++)
            rows[part] += weft_cut_span(box.span[row_axis(from)], PARTS, part).count;
    }
}

/* Sets the elements at which a rank stacks its parts; returns false when a part would overwrite
 * unsent rows. */
static bool stack(const weft_layout *from, const weft_layout *to, const ptrdiff_t *rows, int rank,
                  ptrdiff_t *place)
{
    const int axis = row_axis(from);
    weft_box before, after;
    weft_layout_box(from, rank, &before);
    weft_layout_box(to, rank, &after);
    const ptrdiff_t sent = weft_layout_elements(from, &before),
                    received = weft_layout_elements(to, &after),
                    row = row_elements(from, &before, axis),
                    arriving = row_elements(to, &after, axis);
    ptrdiff_t top = sent > received ? sent : received;
    bool ok = true;
    for (int part = PARTS - 1; part >= 0; part--) {
        const ptrdiff_t left =
            weft_cut_span(before.span[axis], PARTS, part).start - before.span[axis].start;
        top -= rows[part] * arriving;
        place[part] = top;
        ok &= left * row <= top;
    }
    return ok;
}

/* Whether a layout is a slab distribution. Between two slab distributions, rows arrive whole. */
static bool slabs(const weft_layout *layout)
{
    return weft_layout_is_regular(layout) && layout->grid_axes == 1;
}

bool weft_within_possible(const weft_layout *from, const weft_layout *to, int ranks)
{
    ptrdiff_t rows[PARTS], place[PARTS];
    const int axis = row_axis(from);
    if (!slabs(from) || !slabs(to) || to->padded || from->axis[axis].grid_axis != 0 ||
        to->axis[axis].grid_axis >= 0)
        return false;
    count_rows(from, ranks, rows);
    for (int rank = 0; rank < ranks; rank++)
        if (!stack(from, to, rows, rank, place))
            return false;
    return true;
}

/* Sets, for each index, the row of the stack that contains it. */
static bool number_rows(within *it, const weft_layout *from, int ranks)
{
    const int axis = row_axis(from);
    ptrdiff_t next = 0;
    it->rows = from->axis[axis].size;
    it->row = weft_new((size_t)it->rows, sizeof *it->row, "the order of the rows");
    for (int part = 0; it->row && part < PARTS; part++)
        for (int rank = 0; rank < ranks; rank++) {
            weft_box box;
            weft_layout_box(from, rank, &box);
            const weft_span span = weft_cut_span(box.span[axis], PARTS, part);
            for (ptrdiff_t i = 0; i < span.count; i++)
                it->row[span.start + i] = next++;
        }
    return it->row != NULL;
}

/* Sets all fields that need no communication. Local. */
static bool arrange(within *it, const weft_exchange *exchange)
{
    const weft_layout *from = weft_exchange_layouts(exchange), *to = from + 1;
    const size_t element = exchange->element;
    const int rank = weft_base(exchange)->communicator->rank,
              ranks = weft_base(exchange)->communicator->ranks, axis = row_axis(from);
    ptrdiff_t rows[PARTS];
    weft_box box;
    count_rows(from, ranks, rows);
    (void)stack(from, to, rows, rank, it->place); /* weft_within_possible */
    weft_layout_box(to, rank, &box);
    it->sent = (size_t)exchange->in_elements * element;
    it->begin = (size_t)it->place[0] * element;
    it->bytes = (size_t)weft_layout_elements(to, &box) * element;
    it->times = 1;
    it->granule = element * (size_t)to->howmany;
    bool slower = true;
    for (int i = 0; i < to->axes; i++) {
        const int at = to->order[i];
        slower = slower && at != axis;
        if (at != axis && slower)
            it->times *= box.span[at].count;
        else if (at != axis)
            it->granule *= (size_t)box.span[at].count;
    }
    return number_rows(it, from, ranks);
}

static size_t bits_bytes(const within *it)
{
    return (size_t)weft_round_to_alignment(it->rows * it->times / CHAR_BIT + 1);
}

static bool prepare(weft_prepared *prepared, const weft_exchange *exchange)
{
    const weft_exchange_base *base = weft_base(exchange);
    const weft_communicator *communicator = base->communicator;
    const weft_layout *from = weft_exchange_layouts(exchange), *to = from + 1;
    const unsigned flags =
        WEFT_IN_PLACE | WEFT_TO_BLOCKED | WEFT_TRAVEL_TO | (base->as_float ? WEFT_AS_FLOAT : 0);
    weft_cut cut = {.parts = PARTS, .axis = row_axis(from)};
    within *it = prepared->state = weft_new(1, sizeof *it, "an exchange");
    bool ok = weft_agree(communicator->all, it && arrange(it, exchange));
    for (; ok && cut.part < PARTS; cut.part++) {
        cut.base = it->place[cut.part];
        weft_exchange *part =
            weft_exchange_create(from, to, exchange->element, flags, &cut, communicator->user);
        it->part[cut.part] = weft_prepare_inner(prepared, part, communicator->all);
        ok = it->part[cut.part];
        if (ok && it->part[cut.part]->workspace > prepared->workspace)
            prepared->workspace = it->part[cut.part]->workspace;
    }
    const size_t order = ok ? bits_bytes(it) + it->granule : 0;
    if (order > prepared->workspace)
        prepared->workspace = order;
    return ok;
}

/* The granule of the stack that belongs at a place in the array. */
static ptrdiff_t source(const within *it, ptrdiff_t place)
{
    return it->row[place % it->rows] * it->times + place / it->rows;
}

/* Permutes the stack, which begins where the array begins, into the order of the array. */
static void put_in_order(const within *it, char *array, unsigned char *done, char *saved)
{
    const size_t granule = it->granule;
    const ptrdiff_t places = granule > 0 ? it->rows * it->times : 0;
    memset(done, 0, bits_bytes(it));
    for (ptrdiff_t first = 0; first < places; first++) {
        if (done[first / CHAR_BIT] >> first % CHAR_BIT & 1)
            continue;
        ptrdiff_t from = source(it, first), to = first;
        if (from != first)
            memcpy(saved, array + (size_t)first * granule, granule);
        for (; from != first; to = from, from = source(it, to)) {
            memcpy(array + (size_t)to * granule, array + (size_t)from * granule, granule);
            done[to / CHAR_BIT] |= (unsigned char)(1 << to % CHAR_BIT);
        }
        if (to != first)
            memcpy(array + (size_t)to * granule, saved, granule);
        done[to / CHAR_BIT] |= (unsigned char)(1 << to % CHAR_BIT);
    }
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    const within *it = state;
    char *array = out;
    if (in != out && it->sent > 0)
        memcpy(array, in, it->sent);
    for (int part = PARTS - 1; part >= 0; part--)
        weft_prepared_run(it->part[part], array, array, workspace);
    if (it->begin > 0)
        memmove(array, array + it->begin, it->bytes);
    put_in_order(it, array, workspace, (char *)workspace + bits_bytes(it));
}

static void release(void *state)
{
    free(((within *)state)->row);
    free(state);
}

const weft_wrapper weft_wrapper_within = {
    .prepare = prepare,
    .run = {.start = start, .finish = weft_nothing_to_finish, .release = release}};
