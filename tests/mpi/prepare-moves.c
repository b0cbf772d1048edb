/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges on random layouts move every element by the plainest of backends. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "tests/layouts.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/plain.h"

enum { ROUNDS = 60, MOST_POINTS = 1200, UNTOUCHED = -2, PADDING = -1 };

/* Global indices where a layout has them in this rank's memory. */
static void fill(const weft_layout *layout, ptrdiff_t *array)
{
    ptrdiff_t index[WEFT_MAX_AXES] = {0};

    do {
        ptrdiff_t id = 0, place = place_of(layout, index);

        for (int a = 0; a < layout->axes; a++)
            id = id * layout->axis[a].size + index[a];
        for (ptrdiff_t h = 0; holder_of(layout, index) == rank && h < layout->howmany; h++)
            array[place + h] = id * layout->howmany + h;
    } while (next_index(layout, layout->order, index));
}

static ptrdiff_t *array_of(ptrdiff_t elements, ptrdiff_t value)
{
    ptrdiff_t *array = malloc((size_t)elements * sizeof *array);

    for (ptrdiff_t i = 0; i < elements; i++)
        array[i] = value;
    return array;
}

/* Runs it twice; whether the output is as expected, padding included, and the input unchanged. */
static bool moves(const weft_exchange *e, const weft_layout *from, const weft_layout *to)
{
    enum { GUARD = 64 };
    ptrdiff_t in_size = e->in_elements + GUARD, out_size = e->out_elements + GUARD;
    ptrdiff_t *in = array_of(in_size, PADDING), *before = array_of(in_size, PADDING);
    ptrdiff_t *out = array_of(out_size, UNTOUCHED), *expected = array_of(out_size, UNTOUCHED);
    weft_prepared *p = weft_prepare(e, &plain, 1);
    bool ok = p != NULL;

    fill(from, in);
    fill(from, before);
    fill(to, expected);
    for (int run = 0; ok && run < 2; run++) {
        weft_prepared_run(p, in, out, NULL);
        ok = memcmp(out, expected, (size_t)out_size * sizeof *out) == 0 &&
             memcmp(in, before, (size_t)in_size * sizeof *in) == 0;
    }
    weft_prepared_release(p);
    free(in);
    free(before);
    free(out);
    free(expected);
    return ok;
}

START_TEST(random_exchanges_move_every_element)
{
    uint64_t state = UINT64_C(0x8BB84B93962EACC9) + (uint64_t)ranks;

    for (int round = 0; round < ROUNDS; round++) {
        int axes = 1 + round % 5;
        weft_layout from, to;
        ptrdiff_t size[5];
        char a[500], b[500];

        random_sizes(&state, axes, MOST_POINTS / ranks, size);
        random_layout(&state, axes, size, 1 + round % 2, ranks, &from);
        random_layout(&state, axes, size, 1 + round % 2, ranks, &to);
        weft_exchange *e = weft_exchange_create(
            &from, &to, sizeof(ptrdiff_t), round % 3 == 0 ? WEFT_TRAVEL_TO : 0, MPI_COMM_WORLD);
        all_true(e != NULL, "%s", weft_error_text());
        bool ok = moves(e, &from, &to);
        all_true(ok, "%s to %s", layout_text(&from, a), layout_text(&to, b));
        weft_exchange_destroy(e);
    }
}
END_TEST

/* Only the order of axes changes, on every rank by itself; in place the workspace is used. */
START_TEST(a_rank_alone_reorders_its_axes_in_place)
{
    const ptrdiff_t size[3] = {2 * ranks, 5, 7};
    static const int orders[][3] = {{0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {0, 2, 1}};

    for (int i = 0; i < 4; i++) {
        weft_layout from, to;
        ptrdiff_t *array, *expected;
        weft_exchange *e;
        weft_prepared *p;
        void *workspace;

        weft_layout_init(&from, 3, size, 2);
        from.grid_axes = 1;
        from.grid[0] = ranks;
        from.axis[0].grid_axis = 0;
        to = from;
        memcpy(to.order, orders[i], sizeof orders[i]);
        e = weft_exchange_create(&from, &to, sizeof *array, WEFT_IN_PLACE, MPI_COMM_WORLD);
        all_true(e != NULL && e->ranks == 1, "%s", weft_error_text());
        p = weft_prepare(e, &plain, 1);
        all_true(p != NULL && plain_prepared == 0, "%s", weft_error_text());
        all_true((p->workspace == 0) == (i == 0), "%zu bytes of workspace", p->workspace);
        workspace = malloc(p->workspace + 1);
        array = array_of(e->in_elements + 1, UNTOUCHED);
        expected = array_of(e->in_elements + 1, UNTOUCHED);
        fill(&from, array);
        fill(&to, expected);
        weft_prepared_start(p, array, array, workspace);
        weft_prepared_finish(p, array, array, workspace);
        all_true(memcmp(array, expected, (size_t)(e->in_elements + 1) * sizeof *array) == 0,
                 "order %d", i);
        weft_prepared_release(p);
        weft_exchange_destroy(e);
        free(workspace);
        free(array);
        free(expected);
    }
}
END_TEST

void add_moves(TCase *tests)
{
    tcase_add_test(tests, random_exchanges_move_every_element);
    tcase_add_test(tests, a_rank_alone_reorders_its_axes_in_place);
}
