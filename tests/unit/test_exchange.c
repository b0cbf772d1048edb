/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges without MPI: the ranks are simulated. Arrays are filled with global indices by a plain
 * account of who holds what, the blocks of all ranks are moved element by element, and what arrives
 * is compared.
 */
#include <string.h>
#include "tests/account.h"
#include "kernels/base/error.h"
#include "backends/exchange/exchange.h"
#include "tests/unit/harness.h"

enum { ROUNDS = 40, PART_ROUNDS = 24 };

static const ptrdiff_t howmany_of[] = {1, 3};

static void check_groups(const exchange_case *c, const account *a, weft_exchange **e)
{
    bool reached[MOST_RANKS][MOST_RANKS];
    int groups = 0;

    reach(a, reached);
    for (int r = 0; r < c->ranks; r++) {
        int members = 0;

        groups += memchr(reached[r], true, (size_t)c->ranks) == &reached[r][r];
        for (int s = 0; s < c->ranks; s++)
            if (reached[r][s]) {
                ck_assert_msg(members < e[r]->ranks && weft_base(e[r])->group[members] == s,
                              "rank %d misses rank %d in its group, %s", r, s, c->text);
                members++;
            }
        ck_assert_msg(members == e[r]->ranks, "rank %d has %d ranks in its group, not %d, %s", r,
                      e[r]->ranks, members, c->text);
        ck_assert_int_eq(weft_base(e[r])->group[e[r]->rank], r);
    }
    for (int r = 0; r < c->ranks; r++)
        ck_assert_msg(weft_base(e[r])->groups == groups, "rank %d finds %d groups of %d, %s", r,
                      weft_base(e[r])->groups, groups, c->text);
}

/* Moves what goes from one rank to another; both ends must see the same. */
static void transfer(const exchange_case *c, account *a, weft_exchange **e, int r, int s)
{
    const weft_block *send = block_for(e[r], s);
    const weft_block *receive = block_from(e[s], r);
    ptrdiff_t count = r == s && c->flags & WEFT_LEAVE_OWN ? 0 : a->count[r][s];

    ck_assert_int_eq(send == NULL, receive == NULL);
    if (send == NULL)
        return;
    ck_assert_msg(send->elements == count && receive->elements == count,
                  "%td sent, %td expected from %d to %d, not %td, %s", send->elements,
                  receive->elements, r, s, count, c->text);
    ck_assert_int_ge(send->axes, 1);
    ck_assert_int_eq(send->axes, receive->axes);
    ck_assert_mem_eq(send->count, receive->count, (size_t)send->axes * sizeof *send->count);
    carry(c, a, e, r, s, send, receive);
    for (ptrdiff_t n = 0; n < count && !send->next; n++)
        ck_assert_msg(a->in[r][walk(send, n)] == a->sent[r][s][n],
                      "element %td from %d to %d travels out of order, %s", n, r, s, c->text);
}

/* What goes from a rank to all others, or comes from them. */
static weft_traffic traffic_of(const account *a, weft_exchange *const *e, int r, bool sent)
{
    weft_traffic all = {.contiguous = true};

    for (int s = 0; s < a->ranks; s++) {
        const ptrdiff_t count = sent ? a->count[r][s] : a->count[s][r];

        if (r == s || count == 0)
            continue;
        all.elements += count;
        all.largest = count > all.largest ? count : all.largest;
        all.pieces++;
        all.contiguous &= (sent ? block_for : block_from)(e[r], s)->contiguous;
    }
    return all;
}

static void check_traffic(const exchange_case *c, weft_traffic is, weft_traffic expected)
{
    ck_assert_msg(is.elements == expected.elements && is.largest == expected.largest &&
                      is.pieces == expected.pieces && is.contiguous == expected.contiguous,
                  "%td elements in %d pieces, the largest of %td, contiguous %d, %s", is.elements,
                  is.pieces, is.largest, is.contiguous, c->text);
}

static void check_totals(const exchange_case *c, const account *a, weft_exchange **e)
{
    for (int r = 0; r < c->ranks; r++) {
        check_traffic(c, e[r]->send, traffic_of(a, e, r, true));
        check_traffic(c, e[r]->receive, traffic_of(a, e, r, false));
        ck_assert_int_eq(e[r]->own_elements, c->flags & WEFT_LEAVE_OWN ? 0 : a->count[r][r]);
        ck_assert_int_eq(e[r]->in_place, (c->flags & WEFT_IN_PLACE) != 0);
        ck_assert_uint_eq(e[r]->element, 16);
    }
}

static void check_exchange(exchange_case *c)
{
    weft_exchange *e[MOST_RANKS];
    account a;

    name_case(c);
    take_account(c, &a);
    for (int r = 0; r < c->ranks; r++) {
        e[r] = weft_exchange_describe(&c->from, &c->to, 16, c->flags, NULL, 0, r, c->ranks);
        ck_assert_msg(e[r] != NULL, "%s, %s", weft_error_text(), c->text);
    }
    check_groups(c, &a, e);
    check_totals(c, &a, e);
    for (int r = 0; r < c->ranks; r++)
        for (int s = 0; s < c->ranks; s++)
            transfer(c, &a, e, r, s);
    for (int r = 0; r < c->ranks; r++) {
        ck_assert_msg(memcmp(a.out[r], a.expected[r], CAPACITY * sizeof *a.out[r]) == 0,
                      "what rank %d has in the end, %s", r, c->text);
        weft_exchange_destroy(e[r]);
    }
    close_account(&a);
}

START_TEST(random_exchanges_put_every_element_in_its_place)
{
    int ranks = _i;
    uint64_t state = UINT64_C(0xD1B54A32D192ED03) + (uint64_t)ranks;

    for (int round = 0; round < ROUNDS; round++) {
        exchange_case c = {.ranks = ranks, .flags = (unsigned)random_below(&state, 32)};
        ptrdiff_t size[8];
        int axes = 1 + round % 8;

        random_sizes(&state, axes, 1 + MOST_ELEMENTS / 3 / ranks, size);
        random_layout(&state, axes, size, howmany_of[round / 8 % 2], ranks, &c.from);
        random_layout(&state, axes, size, howmany_of[round / 8 % 2], ranks, &c.to);
        check_exchange(&c);
    }
}
END_TEST

/* Ranks that hold several boxes: in rows, or in a list. */
START_TEST(random_exchanges_of_several_boxes)
{
    static several_boxes store[2];
    int ranks = _i, several = 0;
    uint64_t state = UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)ranks;

    for (int round = 0; round < ROUNDS; round++) {
        exchange_case c = {.ranks = ranks};
        ptrdiff_t size[5];
        int axes = 2 + round % 4;

        c.flags =
            (unsigned)random_below(&state, 32) & ~(unsigned)(WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED);
        random_sizes(&state, axes, 1 + MOST_ELEMENTS / 3 / ranks, size);
        random_several(&state, axes, size, howmany_of[round / 4 % 2], ranks, &store[0], &c.from);
        random_several(&state, axes, size, howmany_of[round / 4 % 2], ranks, &store[1], &c.to);
        if (round % 3)
            random_layout(&state, axes, size, howmany_of[round / 4 % 2], ranks,
                          round % 3 == 1 ? &c.from : &c.to);
        several += !weft_layout_is_single(&c.from) || !weft_layout_is_single(&c.to);
        check_exchange(&c);
    }
    ck_assert_int_ge(several, ROUNDS / 4);
}
END_TEST

/* Known ones: what is divided by which extent, and how many groups that makes. */
typedef struct {
    const char *name;
    int ranks, axes;
    ptrdiff_t size[4];
    int from[4], to[4]; /* extent that divides each axis, in the order of the grid; 0: undivided */
    bool reversed;      /* the first of the target's grid is the last axis */
    int order[4];       /* of the target's axes; all 0: as they are */
    int groups;
} known_case;

static const known_case known[] = {
    {"slab to slab", 4, 3, {8, 6, 5}, {4}, {0, 4}, false, {0}, 1},
    {"slab to slab, axes exchanged", 3, 3, {8, 6, 5}, {3}, {0, 3}, false, {1, 0, 2}, 1},
    {"the same slabs", 4, 2, {8, 6}, {4}, {4}, false, {0}, 4},
    {"the same slabs, axes exchanged", 4, 2, {8, 6}, {4}, {4}, false, {1, 0}, 4},
    {"pencils within rows", 6, 3, {8, 6, 9}, {2, 3, 0}, {2, 0, 3}, false, {0}, 2},
    {"pencils within columns", 6, 3, {8, 6, 9}, {2, 3, 0}, {0, 3, 2}, true, {0}, 3},
    {"slab to pencil", 6, 3, {12, 6, 9}, {6}, {2, 3}, false, {0}, 2},
    {"brick to pencil", 8, 3, {8, 8, 8}, {2, 2, 2}, {4, 2}, false, {0}, 2},
    {"four axes on a grid of three",
     12,
     4,
     {4, 6, 4, 5},
     {2, 3, 2, 0},
     {2, 3, 0, 2},
     false,
     {0},
     6},
    {"idle ranks", 13, 3, {8, 6, 5}, {4}, {0, 4}, false, {0}, 10},
    {"more ranks than indices", 7, 2, {3, 7}, {7}, {0, 7}, false, {0}, 1},
    {"fewer indices than ranks at both ends", 7, 2, {3, 5}, {7}, {0, 7}, false, {0}, 3},
    {"one point", 5, 3, {1, 1, 1}, {5}, {0, 5}, false, {0}, 5},
    {"nothing", 5, 2, {0, 7}, {5}, {0, 5}, false, {0}, 5},
    {"one rank gathers", 6, 2, {12, 5}, {6}, {0}, false, {0}, 1},
};
enum { KNOWN = sizeof known / sizeof *known };

static void divide(const known_case *k, const int *extent, bool reversed, weft_layout *layout)
{
    weft_layout_init(layout, k->axes, k->size, 1);
    for (int i = 0; i < k->axes; i++) {
        int a = reversed ? k->axes - 1 - i : i;

        if (extent[a] > 0) {
            layout->axis[a].grid_axis = layout->grid_axes;
            layout->grid[layout->grid_axes++] = extent[a];
        }
    }
}

START_TEST(known_exchanges_have_the_groups_one_expects)
{
    const known_case *k = &known[_i];

    for (unsigned flags = 0; flags < 32; flags++) {
        exchange_case c = {.ranks = k->ranks, .flags = flags};
        weft_exchange *e;

        divide(k, k->from, false, &c.from);
        divide(k, k->to, k->reversed, &c.to);
        for (int i = 0; i < k->axes && k->order[0] + k->order[1] + k->order[2] > 0; i++)
            c.to.order[i] = k->order[i];
        e = weft_exchange_describe(&c.from, &c.to, 8, flags, NULL, 0, 0, k->ranks);
        ck_assert_msg(e != NULL, "%s: %s", k->name, weft_error_text());
        ck_assert_msg(weft_base(e)->groups == k->groups, "%s: %d groups", k->name,
                      weft_base(e)->groups);
        weft_exchange_destroy(e);
        if (k->size[0] > 0)
            check_exchange(&c);
    }
}
END_TEST

/* Exchanges in parts: the parts together do what the whole does; where blocks are sent, each part
 * is contiguous. */

static void transfer_part(const exchange_case *c, account *a, weft_exchange **e, int r, int i)
{
    const int s = weft_base(e[r])->group[i];
    const weft_block *send = weft_exchange_sent(e[r], i), *receive = block_from(e[s], r);
    ck_assert_msg(receive && send->elements == receive->elements, "%d and %d differ, %s", r, s,
                  c->text);
    carry(c, a, e, r, s, send, receive);
}

/* Between arrays as the layouts have them: all parts together do what the whole does. */
static void check_parts(exchange_case *c, const weft_cut *cut)
{
    weft_exchange *e[MOST_RANKS];
    account a;
    name_case(c);
    take_account(c, &a);
    for (int part = 0; part < cut->parts; part++) {
        for (int r = 0; r < c->ranks; r++) {
            e[r] = weft_exchange_describe(&c->from, &c->to, 16, c->flags, cut, part, r, c->ranks);
            ck_assert_msg(e[r] != NULL, "%s, %s", weft_error_text(), c->text);
        }
        for (int r = 0; r < c->ranks; r++)
            for (int i = 0; i < e[r]->ranks; i++)
                transfer_part(c, &a, e, r, i);
        for (int r = 0; r < c->ranks; r++)
            weft_exchange_destroy(e[r]);
    }
    for (int r = 0; r < c->ranks; r++)
        ck_assert_msg(memcmp(a.out[r], a.expected[r], CAPACITY * sizeof *a.out[r]) == 0,
                      "what rank %d has after %d parts along axis %d, %s", r, cut->parts, cut->axis,
                      c->text);
    close_account(&a);
}

/* Where blocks are sent, parts of them are contiguous, and fill the blocks. */
static void check_blocks(const exchange_case *c, const weft_cut *cut)
{
    static char filled[MOST_RANKS][CAPACITY];
    const unsigned flags = c->flags | WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED;
    memset(filled, 0, sizeof filled);
    for (int part = 0; part < cut->parts; part++)
        for (int r = 0; r < c->ranks; r++) {
            weft_exchange *e =
                weft_exchange_describe(&c->from, &c->to, 16, flags, cut, part, r, c->ranks);
            ck_assert_msg(e != NULL, "%s, %s", weft_error_text(), c->text);
            for (int i = 0; i < e->ranks; i++) {
                const weft_block *block = weft_exchange_sent(e, i);
                ck_assert_msg(block->elements == 0 || block->contiguous, "%s", c->text);
                ck_assert_int_le(block->offset + block->elements, CAPACITY);
                for (ptrdiff_t n = 0; n < block->elements; n++)
                    ck_assert_msg(filled[r][block->offset + n]++ == 0, "%s", c->text);
            }
            if (part == cut->parts - 1 && !(flags & WEFT_LEAVE_OWN))
                for (ptrdiff_t n = 0; n < e->in_elements; n++)
                    ck_assert_msg(filled[r][n] == 1, "a hole in blocks, %s", c->text);
            weft_exchange_destroy(e);
        }
}

START_TEST(parts_of_exchanges_put_every_element_in_its_place)
{
    const int ranks = _i;
    uint64_t state = UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)ranks;
    for (int round = 0; round < PART_ROUNDS; round++) {
        const unsigned kept[] = {0, WEFT_TRAVEL_TO, WEFT_LEAVE_OWN,
                                 WEFT_TRAVEL_TO | WEFT_LEAVE_OWN};
        exchange_case c = {.ranks = ranks, .flags = kept[random_below(&state, 4)]};
        ptrdiff_t size[8];
        const int axes = 1 + round % 8;
        const weft_cut cut = {.parts = 2 + (int)random_below(&state, 5),
                              .axis = (int)random_below(&state, axes),
                              .by_to = random_below(&state, 2)};
        random_sizes(&state, axes, 1 + MOST_ELEMENTS / 3 / ranks, size);
        random_layout(&state, axes, size, howmany_of[round / 8 % 2], ranks, &c.from);
        random_layout(&state, axes, size, howmany_of[round / 8 % 2], ranks, &c.to);
        check_parts(&c, &cut);
        check_blocks(&c, &cut);
    }
}
END_TEST

/* What an exchange is found to be: as few axes as possible, counts of any size; or bad input. */

/* Both ends walk whole slabs: what is left of four axes are two. */
START_TEST(axes_that_both_ends_walk_as_one_are_one)
{
    static const ptrdiff_t size[4] = {8, 6, 5, 7};
    weft_layout from, to;
    weft_exchange *e;

    slab_layouts(4, size, 3, 2, &from, &to);
    e = weft_exchange_describe(&from, &to, 8, 0, NULL, 0, 0, 2);
    ck_assert_ptr_nonnull(e);
    for (int peer = 0; peer < 2; peer++) {
        const weft_block *send = weft_exchange_sent(e, peer),
                         *receive = weft_exchange_received(e, peer);

        ck_assert_int_eq(send->axes, 2);
        ck_assert_int_eq(send->count[0], 4);
        ck_assert_int_eq(send->count[1], 3 * 5 * 7 * 3);
        ck_assert_int_eq(send->stride[0], 6 * 5 * 7 * 3);
        ck_assert_int_eq(send->stride[1], 1);
        ck_assert_int_eq(send->offset, peer * 3 * 5 * 7 * 3);
        ck_assert_int_eq(receive->stride[0], 3 * 5 * 7 * 3);
        ck_assert_int_eq(receive->offset, peer * 4 * 3 * 5 * 7 * 3);
        ck_assert_int_eq(send->contiguous, 0);
        ck_assert_int_eq(receive->contiguous, 1);
    }
    weft_exchange_destroy(e);
}
END_TEST

/* Arithmetic only: arrays of more elements than an int counts. */
START_TEST(counts_beyond_an_int_are_exact)
{
    static const ptrdiff_t size[2] = {INT64_C(6000000000), INT64_C(60000)};
    weft_layout from, to;
    weft_exchange *e;

    slab_layouts(2, size, 1, 3, &from, &to);
    to.order[0] = 1;
    to.order[1] = 0;
    e = weft_exchange_describe(&from, &to, 8, 0, NULL, 0, 2, 3);
    ck_assert_ptr_nonnull(e);
    ck_assert_int_eq(e->in_elements, INT64_C(2000000000) * 60000);
    const weft_block *send = weft_exchange_sent(e, 1), *receive = weft_exchange_received(e, 1);
    ck_assert_int_eq(send->elements, INT64_C(2000000000) * 20000);
    ck_assert_int_eq(send->offset, 20000);
    ck_assert_int_eq(receive->offset, INT64_C(2000000000));
    ck_assert_int_eq(receive->count[0], INT64_C(2000000000));
    ck_assert_int_eq(receive->stride[0], 1);
    ck_assert_int_eq(receive->stride[1], INT64_C(6000000000));
    weft_exchange_destroy(e);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("exchange");
    TCase *tests = tcase_create("exchanges");

    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, random_exchanges_put_every_element_in_its_place, 1, MOST_RANKS + 1);
    tcase_add_loop_test(tests, random_exchanges_of_several_boxes, 1, MOST_RANKS + 1);
    tcase_add_loop_test(tests, known_exchanges_have_the_groups_one_expects, 0, KNOWN);
    tcase_add_loop_test(tests, parts_of_exchanges_put_every_element_in_its_place, 1,
                        MOST_RANKS + 1);
    tcase_add_test(tests, axes_that_both_ends_walk_as_one_are_one);
    if (sizeof(ptrdiff_t) > sizeof(int)) /* else there are none */
        tcase_add_test(tests, counts_beyond_an_int_are_exact);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_unit(suite());
}
