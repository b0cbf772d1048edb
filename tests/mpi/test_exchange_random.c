/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges that nobody thought of: random arrays, grids, orders, paddings and flags from a fixed
 * seed, each with a random backend of the table and one of its values.
 */
#include <stdint.h>
#include "kernels/base/error.h"
#include "kernels/base/limits.h"
#include "tests/mpi/moves.h"
#include "tests/mpi/harness.h"

enum { ROUNDS = 10, EXCHANGES = 40 };

static uint64_t state;

/* The same numbers on all ranks: 0 to below - 1. */
static int draw(int below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)below);
}

/* Some grid of at most so many ranks; every dimension of more than one rank divides an axis. */
static void draw_layout(weft_layout *layout, int axes, const ptrdiff_t *size, ptrdiff_t howmany,
                        int most)
{
    weft_layout_init(layout, axes, size, howmany);
    for (int i = axes - 1; i > 0; i--) {
        int other = draw(i + 1), kept = layout->order[i];
        layout->order[i] = layout->order[other];
        layout->order[other] = kept;
    }
    int divided[8], left = most;
    for (int a = 0; a < axes; a++)
        divided[a] = a;
    layout->grid_axes = draw(axes < 3 ? axes + 1 : 4);
    for (int g = 0; g < layout->grid_axes; g++) {
        int other = g + draw(axes - g), a = divided[other];
        divided[other] = divided[g];
        layout->grid[g] = g == layout->grid_axes - 1 && draw(2) ? left : 1 + draw(left);
        left /= layout->grid[g];
        layout->axis[a].grid_axis = g;
        layout->axis[a].rule = draw(3) ? WEFT_BLOCKS : WEFT_BALANCED;
        if (layout->axis[a].rule == WEFT_BLOCKS && !draw(4))
            layout->axis[a].block = (size[a] + layout->grid[g] - 1) / layout->grid[g] + draw(3);
    }
    const weft_axis *last = &layout->axis[axes - 1];
    if (!draw(4) && (last->grid_axis < 0 || layout->grid[last->grid_axis] == 1))
        layout->padded = size[axes - 1] + draw(3);
}

static void one_exchange(int round, int number)
{
    static const size_t elements[] = {1, 4, 8, 12, 16, 32};
    weft_layout from, to;
    ptrdiff_t size[5];
    int axes = 1 + draw(5);
    unsigned flags = 0, flag[] = {WEFT_FROM_BLOCKED, WEFT_TO_BLOCKED, WEFT_IN_PLACE, WEFT_TRAVEL_TO,
                                  WEFT_LEAVE_OWN};
    method methods[MOST_WAYS];
    moving move;
    for (int a = 0; a < axes; a++)
        size[a] = draw(20) ? 1 + draw(axes > 3 ? 5 : 11) : draw(40);
    ptrdiff_t howmany = 1 + (draw(3) ? 0 : draw(4));
    draw_layout(&from, axes, size, howmany, ranks);
    draw_layout(&to, axes, size, howmany, ranks);
    for (int i = 0; i < 5; i++)
        flags |= draw(3) ? 0 : flag[i];
    size_t element = elements[draw(6)];
    weft_limit_set(draw(4) ? 0 : 1 + draw(500));
    weft_exchange *exchange = weft_exchange_create(&from, &to, element, flags, MPI_COMM_WORLD);
    all_true(exchange, "exchange %d of round %d: %s", number, round, weft_error_text());
    move_begin(&move, &from, &to, element, flags, MPI_COMM_WORLD);
    method used = methods[draw(move_ways(exchange, MPI_COMM_WORLD, methods))];
    const char *wrong = move_try(&move, exchange, used, 1 + draw(2));
    all_true(!wrong, "exchange %d of round %d, %s:%d: %s", number, round, used.backend->name,
             used.value, wrong);
    weft_limit_set(0);
    weft_exchange_destroy(exchange);
    move_end(&move);
}

START_TEST(random_exchanges_are_right)
{
    state = (uint64_t)_i + 20;
    for (int number = 0; number < EXCHANGES; number++)
        one_exchange(_i, number);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("exchange_random");
    TCase *tests = tcase_create("random");
    tcase_add_loop_test(tests, random_exchanges_are_right, 0, ROUNDS);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return move_run(&argc, &argv, suite);
}
