/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges in parts, without MPI: the ranks are simulated. The parts together do what the whole
 * does; where blocks are sent, each part is contiguous.
 */
#include <string.h>
#include "tests/account.h"
#include "kernels/base/error.h"
#include "backends/exchange/exchange.h"
#include "tests/unit/harness.h"

enum { ROUNDS = 40 };

static const ptrdiff_t howmany_of[] = {1, 3};

static void move_part(const exchange_case *c, account *a, weft_exchange **e, int r, int i)
{
    const int s = weft_base(e[r])->group[i];
    const weft_piece *send = weft_exchange_sent(e[r], i), *receive = piece_from(e[s], r);
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
            e[r] =
                weft_exchange_describe_part(&c->from, &c->to, 16, c->flags, cut, part, r, c->ranks);
            ck_assert_msg(e[r] != NULL, "%s, %s", weft_error_text(), c->text);
        }
        for (int r = 0; r < c->ranks; r++)
            for (int i = 0; i < e[r]->ranks; i++)
                move_part(c, &a, e, r, i);
        for (int r = 0; r < c->ranks; r++)
            weft_exchange_destroy(e[r]);
    }
    for (int r = 0; r < c->ranks; r++)
        ck_assert_msg(memcmp(a.out[r], a.expected[r], ROOM * sizeof *a.out[r]) == 0,
                      "what rank %d has after %d parts along axis %d, %s", r, cut->parts, cut->axis,
                      c->text);
    close_account(&a);
}

/* Where blocks are sent, parts of them are contiguous, and fill the blocks. */
static void check_blocks(const exchange_case *c, const weft_cut *cut)
{
    static char filled[MOST_RANKS][ROOM];
    const unsigned flags = c->flags | WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED;
    memset(filled, 0, sizeof filled);
    for (int part = 0; part < cut->parts; part++)
        for (int r = 0; r < c->ranks; r++) {
            weft_exchange *e =
                weft_exchange_describe_part(&c->from, &c->to, 16, flags, cut, part, r, c->ranks);
            ck_assert_msg(e != NULL, "%s, %s", weft_error_text(), c->text);
            for (int i = 0; i < e->ranks; i++) {
                const weft_piece *piece = weft_exchange_sent(e, i);
                ck_assert_msg(piece->elements == 0 || piece->contiguous, "%s", c->text);
                ck_assert_int_le(piece->offset + piece->elements, ROOM);
                for (ptrdiff_t n = 0; n < piece->elements; n++)
                    ck_assert_msg(filled[r][piece->offset + n]++ == 0, "%s", c->text);
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
    for (int round = 0; round < ROUNDS; round++) {
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

static Suite *suite(void)
{
    Suite *suite = suite_create("exchange_parts");
    TCase *tests = tcase_create("parts");

    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, parts_of_exchanges_put_every_element_in_its_place, 1,
                        MOST_RANKS + 1);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_unit(suite());
}
