/* SPDX-License-Identifier: BSD-3-Clause */
/* Accounts of exchanges between simulated ranks. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/account.h"

void name_case(exchange_case *c)
{
    char from[500], to[500];

    snprintf(c->text, sizeof c->text, "%s to %s, flags %#x, %d ranks", layout_text(&c->from, from),
             layout_text(&c->to, to), c->flags, c->ranks);
}

static ptrdiff_t *array_of(ptrdiff_t value)
{
    ptrdiff_t *array = malloc(CAPACITY * sizeof *array);

    ck_assert_ptr_nonnull(array);
    for (int i = 0; i < CAPACITY; i++)
        array[i] = value;
    return array;
}

/* The elements of one point: where they lie at both ends, and in the list of what travels. */
static void note_point(const exchange_case *c, account *a, const ptrdiff_t *index)
{
    int source = holder_of(&c->from, index), target = holder_of(&c->to, index);
    ptrdiff_t from_place = place_of(&c->from, index), to_place = place_of(&c->to, index), id = 0;

    for (int i = 0; i < c->from.axes; i++)
        id = id * c->from.axis[i].size + index[i];
    for (ptrdiff_t h = 0; h < c->from.howmany; h++) {
        ptrdiff_t element = id * c->from.howmany + h;

        a->in[source][from_place + h] = element;
        a->expected[target][to_place + h] = element;
        a->sent[source][target][a->count[source][target]++] = element;
    }
}

/* The blocks for or from ranks 0, 1, 2 ... one after another; the own one may stay away, but not
 * its room. */
static void add_block(const account *a, int rank, bool sending, bool no_own, ptrdiff_t *array)
{
    for (int peer = 0; peer < a->ranks; peer++) {
        int source = sending ? rank : peer, target = sending ? peer : rank;

        for (ptrdiff_t i = 0; i < a->count[source][target]; i++)
            *array++ = no_own && peer == rank ? UNTOUCHED : a->sent[source][target][i];
    }
}

static void forget_own(const exchange_case *c, account *a)
{
    ptrdiff_t index[WEFT_MAX_AXES] = {0};

    do {
        int target = holder_of(&c->to, index);
        ptrdiff_t place = place_of(&c->to, index);

        for (ptrdiff_t h = 0; holder_of(&c->from, index) == target && h < c->to.howmany; h++)
            a->expected[target][place + h] = UNTOUCHED;
    } while (next_index(&c->from, c->from.order, index));
}

void take_account(const exchange_case *c, account *a)
{
    const weft_layout *order = c->flags & WEFT_TRAVEL_TO ? &c->to : &c->from;
    ptrdiff_t index[WEFT_MAX_AXES] = {0};
    bool no_own = c->flags & WEFT_LEAVE_OWN;

    a->ranks = c->ranks;
    memset(a->count, 0, sizeof a->count);
    for (int r = 0; r < c->ranks; r++) {
        a->in[r] = array_of(PADDING);
        a->out[r] = array_of(UNTOUCHED);
        a->expected[r] = array_of(UNTOUCHED);
        for (int s = 0; s < c->ranks; s++) {
            a->sent[r][s] = malloc(MOST_ELEMENTS * sizeof *a->sent[r][s]);
            ck_assert_ptr_nonnull(a->sent[r][s]);
        }
    }
    do
        note_point(c, a, index);
    while (next_index(&c->from, order->order, index));
    if (no_own && !(c->flags & WEFT_TO_BLOCKED))
        forget_own(c, a);
    for (int r = 0; r < c->ranks; r++) {
        if (c->flags & WEFT_FROM_BLOCKED)
            add_block(a, r, true, false, a->in[r]);
        if (c->flags & WEFT_TO_BLOCKED) {
            free(a->expected[r]);
            a->expected[r] = array_of(UNTOUCHED);
            add_block(a, r, false, no_own, a->expected[r]);
        }
    }
}

void close_account(account *a)
{
    for (int r = 0; r < a->ranks; r++) {
        free(a->in[r]);
        free(a->out[r]);
        free(a->expected[r]);
        for (int s = 0; s < a->ranks; s++)
            free(a->sent[r][s]);
    }
}

ptrdiff_t walk(const weft_block *block, ptrdiff_t n)
{
    for (; block->next; block = block->next) { /* on to the region that has it */
        if (n < block->elements - block->next->elements)
            break;
        n -= block->elements - block->next->elements;
    }
    ptrdiff_t place = block->offset;

    for (int i = block->axes - 1; i >= 0; i--) {
        place += n % block->count[i] * block->stride[i];
        n /= block->count[i];
    }
    return place;
}

/* -1: it is not of the group. */
static int number_of(const weft_exchange *e, int rank)
{
    int i = e->ranks - 1;

    while (i >= 0 && weft_base(e)->group[i] != rank)
        i--;
    return i;
}

const weft_block *block_for(const weft_exchange *e, int rank)
{
    const int i = number_of(e, rank);

    return i < 0 ? NULL : weft_exchange_sent(e, i);
}

const weft_block *block_from(const weft_exchange *e, int rank)
{
    const int i = number_of(e, rank);

    return i < 0 ? NULL : weft_exchange_received(e, i);
}

static void check_contiguous(const weft_block *block, const char *text)
{
    bool contiguous = !block->next;

    for (ptrdiff_t n = 1; n < block->elements; n++)
        contiguous = contiguous && walk(block, n) == walk(block, 0) + n;
    ck_assert_msg(contiguous == (block->contiguous != 0), "contiguous is %d, %s", block->contiguous,
                  text);
}

void carry(const exchange_case *c, account *a, weft_exchange **e, int r, int s,
           const weft_block *send, const weft_block *receive)
{
    check_contiguous(send, c->text);
    check_contiguous(receive, c->text);
    for (ptrdiff_t n = 0; n < send->elements; n++) {
        const ptrdiff_t from = walk(send, n), to = walk(receive, n);

        ck_assert_msg(from >= 0 && from < e[r]->in_elements && to >= 0 && to < e[s]->out_elements,
                      "an element from %d to %d outside of the arrays, %s", r, s, c->text);
        ck_assert_msg(a->out[s][to] == UNTOUCHED, "an element of %d is written twice, %s", s,
                      c->text);
        a->out[s][to] = a->in[r][from];
    }
}

/* Ranks that can reach one another, by going on until nothing changes. */
void reach(const account *a, bool (*reached)[MOST_RANKS])
{
    bool more = true;

    for (int r = 0; r < a->ranks; r++)
        for (int s = 0; s < a->ranks; s++)
            reached[r][s] = r == s || a->count[r][s] > 0 || a->count[s][r] > 0;
    while (more) {
        more = false;
        for (int r = 0; r < a->ranks; r++)
            for (int s = 0; s < a->ranks; s++)
                for (int t = 0; t < a->ranks; t++)
                    if (!reached[r][t] && reached[r][s] && reached[s][t])
                        reached[r][t] = more = true;
    }
}
