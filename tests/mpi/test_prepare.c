/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preparing exchanges: all ranks go on or none does, whatever fails where; ranks alone are served
 * without the backend; exchanges on random layouts move every element by the plainest of backends.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "error.h"
#include "exchange.h"
#include "layouts.h"
#include "mpi/harness.h"

enum { ROUNDS = 60, MOST_POINTS = 1200, UNTOUCHED = -2, PADDING = -1 };

static int rank, ranks;

/* What the backends below were asked to do. */
static int prepared, released, fails_on;

static void find_rank(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    prepared = released = 0;
    fails_on = -1;
    weft_error_clear();
}

static const char *odd_values_only(const weft_exchange *exchange, int value)
{
    (void)exchange;
    return value % 2 == 0 ? "its value is even" : NULL;
}

static void *keep(const weft_exchange *exchange, int value, size_t *workspace)
{
    prepared++;
    *workspace = (size_t)value;
    if (rank != fails_on)
        return (void *)(uintptr_t)exchange;
    if (value > 1)
        exchange->services->error("rank %d has no %s", rank, "strength");
    return NULL;
}

/* Every piece by a message of one datatype, one peer after another. */
static void send_all(void *state, const void *in, void *out, void *workspace)
{
    const weft_exchange *e = state;

    (void)workspace;
    for (int step = 0; step < e->ranks; step++) {
        int to = (e->rank + step) % e->ranks, from = (e->rank - step + e->ranks) % e->ranks;
        MPI_Datatype sent, received;

        e->services->piece_type(e, &e->send[to], &sent);
        e->services->piece_type(e, &e->receive[from], &received);
        MPI_Sendrecv(in, 1, sent, to, e->tag, out, 1, received, from, e->tag, e->comm,
                     MPI_STATUS_IGNORE);
        MPI_Type_free(&sent);
        MPI_Type_free(&received);
    }
}

static void nothing(void *state, const void *in, void *out, void *workspace)
{
    (void)state, (void)in, (void)out, (void)workspace;
}

static void let_go(void *state)
{
    (void)state;
    released++;
}

static const weft_backend plain = {.version = WEFT_BACKEND_VERSION,
                                   .name = "plain",
                                   .about = "sends datatypes",
                                   .applicable = odd_values_only,
                                   .prepare = keep,
                                   .start = send_all,
                                   .finish = nothing,
                                   .release = let_go};

/* Slabs to slabs of the other axis on the first `used` ranks. */
static weft_exchange *make(int used)
{
    static const ptrdiff_t size[2] = {24, 16};
    weft_layout from, to;

    weft_layout_init(&from, 2, size, 1);
    from.grid_axes = 1;
    from.grid[0] = used;
    from.axis[0].rule = from.axis[1].rule = WEFT_BALANCED; /* so that all of them have something */
    to = from;
    from.axis[0].grid_axis = 0;
    to.axis[1].grid_axis = 0;
    return weft_exchange_create(&from, &to, sizeof(ptrdiff_t), 0, MPI_COMM_WORLD);
}

START_TEST(workspace_is_rounded_up_to_64_bytes)
{
    static const struct {
        int asked;
        size_t given;
    } table[] = {{1, 64}, {63, 64}, {65, 128}, {127, 128}, {129, 192}};
    weft_exchange *e = make(ranks);

    for (int i = 0; i < 5; i++) {
        weft_prepared *p = weft_prepare(e, &plain, table[i].asked);
        size_t given = ranks > 1 ? table[i].given : 0; /* a rank alone needs none */

        all_true(p != NULL && weft_prepared_workspace(p) == given, "%s", weft_error_text());
        all_true(weft_prepared_backend(p) == &plain && weft_prepared_value(p) == table[i].asked,
                 "another backend or value");
        weft_prepared_release(p);
    }
    all_true(prepared == (ranks > 1 ? 5 : 0) && released == prepared, "%d prepared, %d released",
             prepared, released);
    weft_exchange_destroy(e);
}
END_TEST

START_TEST(what_a_backend_cannot_do_is_said)
{
    weft_exchange *e = make(ranks);
    weft_prepared *p = weft_prepare(e, &plain, 2);
    const char *expected = "backend plain cannot carry out this exchange: its value is even";

    all_true((p == NULL) == (ranks > 1), "it was prepared");
    all_true(ranks == 1 || strcmp(weft_error_text(), expected) == 0, "\"%s\"", weft_error_text());
    all_true(prepared == 0, "its prepare was called");
    weft_prepared_release(p);
    weft_exchange_destroy(e);
}
END_TEST

/* With fewer ranks used than there are, the others are alone, and must fail with the rest. */
START_TEST(a_failure_on_one_rank_fails_on_all)
{
    for (int used = 2; used <= ranks; used++)
        for (fails_on = 0; fails_on < used; fails_on++)
            for (int value = 1; value <= 3; value += 2) {
                weft_exchange *e = make(used);
                char expected[80];
                weft_prepared *p;
                int mine = rank < used;

                prepared = released = 0;
                p = weft_prepare(e, &plain, value);
                if (value > 1)
                    snprintf(expected, sizeof expected, "rank %d has no strength", fails_on);
                else
                    snprintf(expected, sizeof expected, "backend plain could not be prepared");
                all_true(p == NULL, "prepared though rank %d failed", fails_on);
                all_true(strcmp(weft_error_text(), expected) == 0, "\"%s\", not \"%s\"",
                         weft_error_text(), expected);
                all_true(prepared == mine && released == (mine && rank != fails_on),
                         "%d prepared, %d released with %d ranks, of which %d fails", prepared,
                         released, used, fails_on);
                weft_exchange_destroy(e);
            }
}
END_TEST

START_TEST(a_described_exchange_cannot_be_prepared)
{
    static const ptrdiff_t size[2] = {24, 16};
    weft_layout layout;
    weft_exchange *e;

    weft_layout_init(&layout, 2, size, 1);
    e = weft_exchange_describe(&layout, &layout, 8, 0, 0, 1);
    all_true(weft_prepare(e, &plain, 1) == NULL && weft_error_text()[0] != '\0', "it was prepared");
    weft_exchange_destroy(e);
}
END_TEST

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
        all_true(p != NULL && prepared == 0, "%s", weft_error_text());
        all_true((weft_prepared_workspace(p) == 0) == (i == 0), "%zu bytes of workspace",
                 weft_prepared_workspace(p));
        workspace = malloc(weft_prepared_workspace(p) + 1);
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

static Suite *suite(void)
{
    Suite *suite = suite_create("prepare");
    TCase *tests = tcase_create("prepare");

    tcase_add_checked_fixture(tests, find_rank, NULL);
    tcase_add_test(tests, workspace_is_rounded_up_to_64_bytes);
    tcase_add_test(tests, what_a_backend_cannot_do_is_said);
    tcase_add_test(tests, a_failure_on_one_rank_fails_on_all);
    tcase_add_test(tests, a_described_exchange_cannot_be_prepared);
    tcase_add_test(tests, random_exchanges_move_every_element);
    tcase_add_test(tests, a_rank_alone_reorders_its_axes_in_place);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
