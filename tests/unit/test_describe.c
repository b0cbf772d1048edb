/* SPDX-License-Identifier: BSD-3-Clause */
/* What an exchange is found to be: as few axes as possible, counts of any size; or bad input. */
#include <string.h>
#include "backends/exchange/exchange.h"
#include "tests/layouts.h"
#include "tests/unit/harness.h"

/* Both ends walk whole slabs: what is left of four axes are two. */
START_TEST(axes_that_both_ends_walk_as_one_are_one)
{
    static const ptrdiff_t size[4] = {8, 6, 5, 7};
    weft_layout from, to;
    weft_exchange *e;

    slab_layouts(4, size, 3, 2, &from, &to);
    e = weft_exchange_describe(&from, &to, 8, 0, 0, 2);
    ck_assert_ptr_nonnull(e);
    for (int peer = 0; peer < 2; peer++) {
        const weft_piece *send = weft_exchange_sent(e, peer),
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
    static const ptrdiff_t size[2] = {(ptrdiff_t)INT64_C(6000000000), 60000};
    weft_layout from, to;
    weft_exchange *e;

    slab_layouts(2, size, 1, 3, &from, &to);
    to.order[0] = 1;
    to.order[1] = 0;
    e = weft_exchange_describe(&from, &to, 8, 0, 2, 3);
    ck_assert_ptr_nonnull(e);
    ck_assert_int_eq(e->in_elements, INT64_C(2000000000) * 60000);
    const weft_piece *send = weft_exchange_sent(e, 1), *receive = weft_exchange_received(e, 1);
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
    Suite *suite = suite_create("describe");
    TCase *tests = tcase_create("descriptions");

    tcase_add_test(tests, axes_that_both_ends_walk_as_one_are_one);
    if (sizeof(ptrdiff_t) > sizeof(int)) /* otherwise there are no such arrays */
        tcase_add_test(tests, counts_beyond_an_int_are_exact);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_unit(suite());
}
