/* SPDX-License-Identifier: BSD-3-Clause */
/* What an exchange is found to be: as few axes as possible, counts of any size; or bad input. */
#include <string.h>
#include "kernels/base/error.h"
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

typedef struct {
    const char *says;
    size_t element;
    unsigned flags;
    int rank, axes;
    ptrdiff_t size[2], howmany, from_size;
} bad_case;

static const bad_case bad[] = {
    {"element has 0 bytes", 0, 0, 0, 2, {8, 6}, 1, 8},
    {"unknown flags 0x40", 8, 0x41, 0, 2, {8, 6}, 1, 8},
    {"source has 2 axes, the target has 1", 8, 0, 0, 1, {8, 6}, 1, 8},
    {"axis 1 has a size of 6 in the source, but of 7 in the target", 8, 0, 0, 2, {8, 7}, 1, 8},
    {"source has 1 elements at a point, the target has 3", 8, 0, 0, 2, {8, 6}, 3, 8},
    {"axis 0 has a size of -8", 8, 0, 0, 2, {-8, 6}, 1, -8},
    {"the rank is 3; it must be 0 to 2", 8, 0, 3, 2, {8, 6}, 1, 8},
    {"larger than can be addressed", 8, 0, 0, 2, {PTRDIFF_MAX / 8, 6}, 1, PTRDIFF_MAX / 8},
};
enum { BAD = sizeof bad / sizeof *bad };

START_TEST(bad_input_is_refused_with_a_sentence)
{
    const bad_case *b = &bad[_i];
    const ptrdiff_t from_size[2] = {b->from_size, 6};
    weft_layout from, to;

    weft_layout_init(&from, 2, from_size, 1);
    weft_layout_init(&to, b->axes, b->size, b->howmany);
    weft_error_clear();
    ck_assert_ptr_null(weft_exchange_describe(&from, &to, b->element, b->flags, b->rank, 3));
    ck_assert_msg(strstr(weft_error_text(), b->says) != NULL, "\"%s\", not \"%s\"",
                  weft_error_text(), b->says);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("describe");
    TCase *tests = tcase_create("descriptions");

    tcase_add_test(tests, axes_that_both_ends_walk_as_one_are_one);
    if (sizeof(ptrdiff_t) > sizeof(int)) /* otherwise there are no such arrays */
        tcase_add_test(tests, counts_beyond_an_int_are_exact);
    tcase_add_loop_test(tests, bad_input_is_refused_with_a_sentence, 0, BAD);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_unit(suite());
}
