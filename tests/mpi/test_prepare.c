/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preparing exchanges: all ranks go on or none does, whatever fails where; ranks alone are served
 * without the backend.
 */
#include <stdio.h>
#include <string.h>
#include "kernels/base/error.h"
#include "tests/layouts.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/plain.h"

static void begin(void)
{
    plain_prepared = plain_released = 0;
    plain_fails_on = -1;
    weft_error_clear();
}

/* Slabs to slabs of the other axis on the first `used` ranks. */
static weft_exchange *make(int used)
{
    static const ptrdiff_t size[2] = {24, 16};
    weft_layout from, to;

    slab_layouts(2, size, 1, used, &from, &to);
    /* Blocks would leave the last of 7 ranks without a part. */
    from.axis[0].rule = to.axis[1].rule = WEFT_BALANCED;
    return weft_exchange_create(&from, &to, sizeof(ptrdiff_t), 0, NULL, 0, MPI_COMM_WORLD);
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

        all_true(p != NULL && p->workspace == given, "%s", weft_error_text());
        all_true(p->asked == &plain && p->value == table[i].asked, "another backend or value");
        weft_prepared_release(p);
    }
    all_true(plain_prepared == (ranks > 1 ? 5 : 0) && plain_released == plain_prepared,
             "%d prepared, %d released", plain_prepared, plain_released);
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
    all_true(plain_prepared == 0, "its prepare was called");
    weft_prepared_release(p);
    weft_exchange_destroy(e);
}
END_TEST

/* With fewer ranks used than there are, the others are alone, and must fail with the rest. */
START_TEST(a_failure_on_one_rank_fails_on_all)
{
    for (int used = 2; used <= ranks; used++)
        for (plain_fails_on = 0; plain_fails_on < used; plain_fails_on++)
            for (int value = 1; value <= 3; value += 2) {
                weft_exchange *e = make(used);
                char expected[80];
                weft_prepared *p;
                int mine = rank < used;

                plain_prepared = plain_released = 0;
                p = weft_prepare(e, &plain, value);
                if (value > 1)
                    snprintf(expected, sizeof expected, "rank %d has no strength", plain_fails_on);
                else
                    snprintf(expected, sizeof expected, "backend plain could not be prepared");
                all_true(p == NULL, "prepared though rank %d failed", plain_fails_on);
                all_true(strcmp(weft_error_text(), expected) == 0, "\"%s\", not \"%s\"",
                         weft_error_text(), expected);
                all_true(plain_prepared == mine &&
                             plain_released == (mine && rank != plain_fails_on),
                         "%d prepared, %d released with %d ranks, of which %d fails",
                         plain_prepared, plain_released, used, plain_fails_on);
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
    e = weft_exchange_describe(&layout, &layout, 8, 0, NULL, 0, 0, 1);
    all_true(weft_prepare(e, &plain, 1) == NULL && weft_error_text()[0] != '\0', "it was prepared");
    weft_exchange_destroy(e);
}
END_TEST

START_TEST(a_rank_alone_needs_memory_to_reorder_in_place)
{
    const ptrdiff_t size[3] = {2 * ranks, 5, 7};
    weft_layout from, to;
    weft_layout_init(&from, 3, size, 2);
    from.grid_axes = 1;
    from.grid[0] = ranks;
    from.axis[0].grid_axis = 0;
    to = from;
    to.order[1] = _i ? 2 : 1;
    to.order[2] = _i ? 1 : 2;
    weft_exchange *e = weft_exchange_create(&from, &to, 8, WEFT_IN_PLACE, NULL, 0, MPI_COMM_WORLD);
    weft_prepared *p = weft_prepare(e, &plain, 1);
    all_true(p && plain_prepared == 0, "%s", weft_error_text());
    all_true((p->workspace > 0) == _i, "%zu bytes", p->workspace);
    weft_prepared_release(p);
    weft_exchange_destroy(e);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("prepare");
    TCase *tests = tcase_create("prepare");

    tcase_add_checked_fixture(tests, begin, NULL);
    tcase_add_test(tests, workspace_is_rounded_up_to_64_bytes);
    tcase_add_test(tests, what_a_backend_cannot_do_is_said);
    tcase_add_test(tests, a_failure_on_one_rank_fails_on_all);
    tcase_add_test(tests, a_described_exchange_cannot_be_prepared);
    tcase_add_loop_test(tests, a_rank_alone_needs_memory_to_reorder_in_place, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
