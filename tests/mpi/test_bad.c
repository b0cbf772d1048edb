/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bad input: every rank gets NULL, or 0, and a sentence that says what is wrong. FFTW-MPI crashes
 * or hangs on many of these.
 */
#include "api/fftw3-mpi.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/harness.h"
#include "kernels/base/precision.h"
#include "api/weft.h"

static FFTW(complex) a[4096], b[4096];
static weft_real *const ra = (weft_real *)a, *const rb = (weft_real *)b;

#define WORLD MPI_COMM_WORLD
#define GOOD  FFTW_ESTIMATE

static const FFTW(r2r_kind) cosines[] = {FFTW_REDFT10, FFTW_REDFT10};

static FFTW(plan)
    dft(int axes, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block, int sign, unsigned flags)
{
    return FFTW(mpi_plan_many_dft)(axes, n, howmany, block, 0, a, b, WORLD, sign, flags);
}

static FFTW(plan) cosine(ptrdiff_t n0, int kind0)
{
    FFTW(r2r_kind) kinds[] = {(FFTW(r2r_kind))kind0, FFTW_REDFT10};
    return FFTW(mpi_plan_many_r2r)(2, (ptrdiff_t[]){n0, 6}, 1, 0, 0, ra, rb, WORLD, kinds, GOOD);
}

#define N(...) ((const ptrdiff_t[]){__VA_ARGS__})

/* A case is a line of this function, found by its number; the text must occur in the error. */
static const char *plan_of(int which, FFTW(plan) * plan)
{
    switch (which) {
#define CASE(number, call, text)                                                                   \
    case number:                                                                                   \
        *plan = call;                                                                              \
        return text;
        CASE(0, dft(2, N(0, 4), 1, 0, -1, GOOD), "n[0] is 0")
        CASE(1, dft(2, N(4, -7), 1, 0, -1, GOOD), "n[1] is -7")
        CASE(2, dft(0, N(4, 4), 1, 0, -1, GOOD), "the rank is 0")
        CASE(3, dft(-1, N(4, 4), 1, 0, -1, GOOD), "the rank is -1")
        CASE(4, dft(1000, N(4, 4), 1, 0, -1, GOOD), "the rank is 1000")
        CASE(5, dft(2, NULL, 1, 0, -1, GOOD), "NULL")
        CASE(6, dft(2, N(4, 4), -2, 0, -1, GOOD), "howmany is -2")
        CASE(7, dft(2, N(4, 4), 1, -3, -1, GOOD), "a block is -3")
        CASE(8, dft(2, N(4, 4), 1, 0, -1, GOOD | 1U << 31), "unknown bits, 0x80000000")
        CASE(9, dft(2, N(PTRDIFF_MAX / 2, 4), 1, 0, -1, GOOD), "more bytes than can be counted")
        CASE(10, dft(3, N(1 << 30, 1 << 30, 1 << 30), 1, 0, -1, GOOD),
             "more bytes than can be counted")
        CASE(11, dft(2, N(1 << 30, 4), PTRDIFF_MAX / 8, 0, -1, GOOD),
             "more bytes than can be counted")
        CASE(12, dft(1, N(16), 1, 0, -1, GOOD | FFTW_MPI_TRANSPOSED_OUT),
             "need at least two dimensions")
        CASE(13, dft(2, N(4, 4), 1, 0, -1, GOOD | FFTW_MPI_SCRAMBLED_IN),
             "need an array of one dimension")
        CASE(14, FFTW(mpi_plan_dft_2d)(4, 4, a, b, MPI_COMM_NULL, -1, GOOD), "MPI_COMM_NULL")
        CASE(15, FFTW(mpi_plan_dft_r2c)(1, N(16), ra, b, WORLD, GOOD), "the rank is 1")
        CASE(16, FFTW(mpi_plan_dft_c2r)(1, N(16), a, rb, WORLD, GOOD), "the rank is 1")
        CASE(17, FFTW(mpi_plan_dft_r2c_2d)(4, 4, ra, b, WORLD, GOOD | FFTW_MPI_TRANSPOSED_IN),
             "real side")
        CASE(18, FFTW(mpi_plan_dft_c2r_2d)(4, 4, a, rb, WORLD, GOOD | FFTW_MPI_TRANSPOSED_OUT),
             "real side")
        CASE(19, cosine(6, 99), "kind[0] is 99")
        CASE(20, cosine(6, -1), "kind[0] is -1")
        CASE(21, cosine(1, FFTW_REDFT00), "for FFTW_REDFT00 it must be at least 2")
        CASE(22, FFTW(mpi_plan_r2r)(2, N(4, 4), ra, rb, WORLD, NULL, GOOD), "kinds is NULL")
        CASE(23, FFTW(mpi_plan_r2r)(1, N(4), ra, rb, WORLD, cosines, GOOD | FFTW_MPI_SCRAMBLED_OUT),
             "only complex transforms can be scrambled")
        CASE(24, FFTW(mpi_plan_transpose)(0, 4, ra, rb, WORLD, GOOD), "n[0] is 0")
        CASE(25, FFTW(mpi_plan_many_transpose)(4, 4, 1, 0, -1, ra, rb, WORLD, GOOD),
             "a block is -1")
        CASE(26, FFTW(mpi_plan_transpose)(4, 4, ra, rb, WORLD, GOOD | FFTW_MPI_SCRAMBLED_IN),
             "need an array of one dimension")
#undef CASE
    default:
        return NULL;
    }
}

enum { CASES = 27 };

START_TEST(bad_arguments_make_no_plan)
{
    FFTW(plan) plan = NULL;
    const char *text = plan_of(_i, &plan);
    all_true(plan == NULL, "case %d: a plan, where the error is \"%s\"", _i, text);
    all_true(strstr(WEFT(last_error)(), text) != NULL, "case %d: \"%s\" does not say \"%s\"", _i,
             WEFT(last_error)(), text);
}
END_TEST

/* How many bytes a bad call prints; the beginning in `text`. */
static long printed(int which, char text[200])
{
    FFTW(plan) plan = NULL;
    capture();
    plan_of(which, &plan);
    return captured(text, 200);
}

START_TEST(nothing_is_printed_unless_asked_for)
{
    char text[200];
    for (int which = 0; which < CASES; which++) {
        const long bytes = printed(which, text);
        all_true(bytes == 0, "case %d prints \"%s\"", which, text);
    }
    setenv("WEFT_VERBOSE", "1", 1);
    const long bytes = printed(0, text);
    unsetenv("WEFT_VERBOSE");
    all_true(rank == 0 ? strstr(text, "weft: ") && strstr(text, "n[0] is 0") : bytes == 0, "\"%s\"",
             text);
}
END_TEST

START_TEST(intercommunicators_make_no_plan)
{
    MPI_Comm half, across;
    if (ranks == 1)
        return;
    MPI_Comm_split(WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 1, &across);
    FFTW(plan) plan = FFTW(mpi_plan_dft_2d)(4, 4, a, b, across, -1, GOOD);
    all_true(plan == NULL && strstr(WEFT(last_error)(), "inter-communicator"), "\"%s\"",
             WEFT(last_error)());
    MPI_Comm_free(&across);
    MPI_Comm_free(&half);
}
END_TEST

START_TEST(blocks_that_do_not_fit_make_no_plan)
{
    FFTW(plan) plan = FFTW(mpi_plan_many_dft)(2, N(ranks + 1, 8), 1, 1, 0, a, b, WORLD, -1, GOOD);
    all_true(plan == NULL && strstr(WEFT(last_error)(), "the block is 1"), "%s",
             WEFT(last_error)());
}
END_TEST

/* One argument differs on the last rank. */
static FFTW(plan) differing(int which, bool here, const char **text)
{
    ptrdiff_t n0 = 4 + (which == 0 && here);
    int sign = which == 1 && here ? 1 : -1;
    unsigned flags = GOOD;
    static const char *const texts[] = {"the size", "the kind", "flags", "flags",   "flags",
                                        "howmany",  "the kind", "block", "the size"};
    *text = texts[which];
    if (here && which == 2)
        flags = FFTW_MEASURE;
    if (here && which == 3)
        flags |= FFTW_MPI_TRANSPOSED_OUT;
    if (here && which == 4)
        flags |= FFTW_DESTROY_INPUT;
    if (which == 6)
        return cosine(6, here ? FFTW_REDFT01 : FFTW_REDFT10);
    if (which == 8)
        return here ? FFTW(mpi_plan_dft_r2c_2d)(4, 6, ra, b, WORLD, GOOD)
                    : FFTW(mpi_plan_dft_2d)(4, 6, a, b, WORLD, -1, GOOD);
    return FFTW(mpi_plan_many_dft)(2, N(n0, 6), which == 5 && here ? 2 : 1, 4,
                                   which == 7 && here ? 3 : 4, a, b, WORLD, sign, flags);
}

START_TEST(arguments_that_differ_between_ranks_make_no_plan)
{
    const char *text;
    if (ranks == 1)
        return;
    FFTW(plan) plan = differing(_i, rank == ranks - 1, &text);
    all_true(plan == NULL, "case %d: a plan", _i);
    all_true(strstr(WEFT(last_error)(), text) &&
                 strstr(WEFT(last_error)(), "differs between ranks"),
             "case %d: \"%s\"", _i, WEFT(last_error)());
}
END_TEST

/* One rank alone is wrong: all get the sentence. */
START_TEST(what_one_rank_gets_wrong_all_are_told)
{
    FFTW(plan) plan = dft(2, N(4, 4), rank == ranks - 1 ? -1 : 1, 0, -1, GOOD);
    all_true(plan == NULL && strstr(WEFT(last_error)(), "howmany is -1"), "\"%s\"",
             WEFT(last_error)());
}
END_TEST

START_TEST(bad_sizes_are_zero)
{
    ptrdiff_t to[4], size = 1;
    const char *text = "";
#define SIZE(number, call, said)                                                                   \
    if (_i == number) {                                                                            \
        size = call;                                                                               \
        text = said;                                                                               \
    }
    SIZE(0, FFTW(mpi_local_size_2d)(0, 4, WORLD, &to[0], &to[1]), "n[0] is 0")
    SIZE(1, FFTW(mpi_local_size_many)(2, N(4, 4), -1, 0, WORLD, &to[0], &to[1]), "howmany is -1")
    SIZE(2, FFTW(mpi_local_size_many)(2, N(4, 4), 1, -9, WORLD, &to[0], &to[1]), "a block is -9")
    SIZE(3, FFTW(mpi_local_size)(-1, N(4, 4), WORLD, &to[0], &to[1]), "the rank is -1")
    SIZE(4, FFTW(mpi_local_size)(0, N(4, 4), WORLD, &to[0], &to[1]), "the rank is 0")
    SIZE(5, FFTW(mpi_local_size)(2, NULL, WORLD, &to[0], &to[1]), "NULL")
    SIZE(6, FFTW(mpi_local_size_2d)(4, 4, MPI_COMM_NULL, &to[0], &to[1]), "MPI_COMM_NULL")
    SIZE(7, FFTW(mpi_local_size_1d)(16, WORLD, 1, 1U << 31, &to[0], &to[1], &to[2], &to[3]),
         "unknown")
    SIZE(8, FFTW(mpi_local_size_3d)(1 << 30, 1 << 30, 1 << 30, WORLD, &to[0], &to[1]), "counted")
    SIZE(9, FFTW(mpi_local_size_2d_transposed)(4, 0, WORLD, &to[0], &to[1], &to[2], &to[3]),
         "n[1] is 0")
#undef SIZE
    all_true(size == 0, "case %d: size %td", _i, size);
    all_true(strstr(WEFT(last_error)(), text) != NULL, "case %d: \"%s\"", _i, WEFT(last_error)());
}
END_TEST

/* Counted one by one, they would take minutes. No array is there, and none of these runs. */
START_TEST(numbers_beyond_memory_take_no_time)
{
    static const ptrdiff_t howmany[] = {PTRDIFF_MAX / 1048576, PTRDIFF_MAX / 32768};
    FFTW(plan)
    plan = FFTW(mpi_plan_many_dft)(3, N(5, 10, 6), howmany[_i], 0, 0, NULL, NULL, WORLD, -1, GOOD);
    all_true(plan || strstr(WEFT(last_error)(), "no memory") ||
                 strstr(WEFT(last_error)(), "counted"),
             "%s", WEFT(last_error)());
    FFTW(destroy_plan)(plan);
}
END_TEST

START_TEST(no_transforms_need_no_memory)
{
    ptrdiff_t n0, start, size = FFTW(mpi_local_size_many)(2, N(4, 4), 0, 0, WORLD, &n0, &start);
    all_true(size == 0 && WEFT(last_error)()[0] == '\0', "size %td, \"%s\"", size,
             WEFT(last_error)());
}
END_TEST

START_TEST(errors_are_forgotten_by_the_next_plan)
{
    FFTW(plan) plan = dft(2, N(0, 4), 1, 0, -1, GOOD);
    all_true(plan == NULL && WEFT(last_error)()[0] != '\0', "no error");
    plan = dft(2, N(4, 4), 1, 0, -1, GOOD);
    all_true(plan != NULL && WEFT(last_error)()[0] == '\0', "\"%s\"", WEFT(last_error)());
    FFTW(destroy_plan)(plan);
}
END_TEST

START_TEST(wisdom_over_no_communicator_does_nothing)
{
    FFTW(mpi_gather_wisdom)(MPI_COMM_NULL);
    all_true(strstr(WEFT(last_error)(), "gather_wisdom") != NULL, "\"%s\"", WEFT(last_error)());
    FFTW(mpi_broadcast_wisdom)(MPI_COMM_NULL);
    all_true(strstr(WEFT(last_error)(), "broadcast_wisdom") != NULL, "\"%s\"", WEFT(last_error)());
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("bad");
    TCase *tests = tcase_create("input");
    tcase_add_loop_test(tests, bad_arguments_make_no_plan, 0, CASES);
    tcase_add_test(tests, nothing_is_printed_unless_asked_for);
    tcase_add_test(tests, intercommunicators_make_no_plan);
    tcase_add_test(tests, blocks_that_do_not_fit_make_no_plan);
    tcase_add_loop_test(tests, arguments_that_differ_between_ranks_make_no_plan, 0, 9);
    tcase_add_test(tests, what_one_rank_gets_wrong_all_are_told);
    tcase_add_loop_test(tests, bad_sizes_are_zero, 0, 10);
    tcase_add_loop_test(tests, numbers_beyond_memory_take_no_time, 0, 2);
    tcase_add_test(tests, no_transforms_need_no_memory);
    tcase_add_test(tests, errors_are_forgotten_by_the_next_plan);
    tcase_add_test(tests, wisdom_over_no_communicator_does_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
