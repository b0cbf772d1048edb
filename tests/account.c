/* SPDX-License-Identifier: BSD-3-Clause */
/* Accounts of exchanges between simulated ranks. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "account.h"

void name_case(exchange_case *c)
{
    char from[500], to[500];

    snprintf(c->text, sizeof c->text, "%s to %s, flags %#x, %d ranks", layout_text(&c->from, from),
             layout_text(&c->to, to), c->flags, c->ranks);
}

static ptrdiff_t *array_of(ptrdiff_t value)
{
    ptrdiff_t *array = malloc(ROOM * sizeof *array);

    ck_assert_ptr_nonnull(array);
    for (int i = 0; i < ROOM; i++)
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
static void block(const account *a, int rank, bool sending, bool no_own, ptrdiff_t *array)
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
            block(a, r, true, false, a->in[r]);
        if (c->flags & WEFT_TO_BLOCKED) {
            free(a->expected[r]);
            a->expected[r] = array_of(UNTOUCHED);
            block(a, r, false, no_own, a->expected[r]);
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
