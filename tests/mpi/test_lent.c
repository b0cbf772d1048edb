/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays that ranks lend one another: what is written through a loan is there, only what lies in
 * such memory is lent, its place is taken again, and plans read and write there what they would
 * else have copied.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "backends/memory/lent.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/windows.h"
#include "kernels/base/precision.h"
#include "api/weft.h"

/* All ranks' loans of their arrays; to be freed. */
static weft_loan *all_loans(const void *array, size_t bytes)
{
    const weft_loan mine = weft_loan_of(array, bytes);
    weft_loan *all = malloc((size_t)ranks * sizeof *all);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
    return all;
}

START_TEST(what_is_written_through_a_loan_is_there)
{
    const size_t numbers = 1000 + 3000 * (size_t)rank, bytes = numbers * sizeof(uint32_t);
    uint32_t *array = weft_lent_make(MPI_COMM_WORLD, bytes);
    all_true(array, "%s", weft_error_text());
    weft_loan *loan = all_loans(array, bytes);
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    all_true(loan[rank].number && weft_loan_reaches(&loan[next], MPI_COMM_WORLD),
             "it is not lent to all");
    write_part(weft_loan_at(&loan[next]), rank, 1, 1000 + 3000 * (size_t)next);
    MPI_Barrier(MPI_COMM_WORLD);
    all_true(holds(array, before, 1, numbers), "another rank's numbers did not arrive");
    free(loan);
    all_true(weft_lent_free(array), "it is not known");
}
END_TEST

START_TEST(only_what_lies_there_is_lent)
{
    char *array = weft_lent_make(MPI_COMM_WORLD, 1000), *other = malloc(1000);
    all_true(array && other, "%s", weft_error_text());
    const weft_loan whole = weft_loan_of(array, 1000), part = weft_loan_of(array + 128, 872);
    all_true(whole.number && whole.offset == 0 && whole.rank == rank, "all of it is not lent");
    all_true(part.number == whole.number && part.offset == 128, "the part is not lent");
    all_true(weft_loan_at(&part) == array + 128, "the part is not where it is");
    all_true(!weft_loan_of(array + 128, 873).number, "what reaches beyond it is lent");
    all_true(!weft_loan_of(array + 8, 100).number, "what is not aligned is lent");
    all_true(!weft_loan_of(array, 0).number, "nothing is lent");
    all_true(!weft_loan_of(other, 1000).number && !weft_loan_of(NULL, 8).number,
             "other memory is lent");
    all_true(!weft_lent_free(other) && !weft_lent_free(NULL), "other memory is freed");
    all_true(weft_lent_free(array) && !weft_loan_of(array, 1000).number, "it is lent when freed");
    free(other);
}
END_TEST

START_TEST(it_is_lent_to_the_ranks_that_see_it)
{
    MPI_Comm half, single;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &single);
    char *array = weft_lent_make(half, 100);
    const weft_loan loan = weft_loan_of(array, 100);
    all_true(loan.number && weft_loan_at(&loan) == array, "%s", weft_error_text());
    all_true(weft_loan_reaches(&loan, half) && weft_loan_reaches(&loan, single),
             "some of its ranks do not see it");
    all_true(weft_loan_reaches(&loan, MPI_COMM_WORLD) == (ranks == 1),
             "ranks of which it is not shared see it");
    weft_lent_free(array);
    MPI_Comm_free(&half);
    MPI_Comm_free(&single);
}
END_TEST

START_TEST(its_place_is_taken_again)
{
    enum { BYTES = 3 << 20 };
    uint32_t *kept = weft_lent_make(MPI_COMM_WORLD, 4000), *array;
    write_part(kept, rank, 2, 1000);
    array = weft_lent_make(MPI_COMM_WORLD, BYTES);
    int before = windows_made;
    for (int round = 0; round < 20; round++) {
        memset(array, 1, BYTES);
        weft_lent_free(array);
        array = weft_lent_make(MPI_COMM_WORLD, BYTES - 1000 * (size_t)round);
        all_true(array && windows_made == before, "round %d: %s", round, weft_error_text());
    }
    /* Some ranks have given up theirs: a new one is needed, and the old ones are as they were. */
    memset(array, 2, BYTES / 2);
    if (rank == 0)
        weft_lent_free(array);
    uint32_t *next = weft_lent_make(MPI_COMM_WORLD, 100);
    all_true(next && windows_made == before + (ranks > 1), "%s", weft_error_text());
    all_true(rank == 0 || ((unsigned char *)array)[BYTES / 2 - 1] == 2, "it was given away");
    all_true(holds(kept, rank, 2, 1000), "another one has changed");
    if (rank > 0)
        weft_lent_free(array);
    weft_lent_free(next);
    weft_lent_free(kept);
}
END_TEST

START_TEST(without_shared_memory_arrays_are_private)
{
    const ptrdiff_t numbers = 100000 * (_i + 1); /* more than there has been */
    no_room = rank == _i % ranks;
    FFTW(complex) *array = WEFT(alloc_complex)(numbers, MPI_COMM_WORLD);
    no_room = false;
    all_true(array && !weft_loan_of(array, 16).number, "%s", weft_error_text());
    all_true(!WEFT(last_error)()[0], "an error is left: %s", WEFT(last_error)());
    memset(array, 0, (size_t)numbers * sizeof *array);
    WEFT(free)(array);
    array = WEFT(alloc_complex)(numbers, MPI_COMM_WORLD);
    all_true(array && weft_loan_of(array, (size_t)numbers * sizeof *array).number,
             "it is never lent again");
    WEFT(free)(array);
    WEFT(free)(NULL);
}
END_TEST

START_TEST(bad_requests_fail_on_all_ranks)
{
    weft_real *array = WEFT(alloc_real)(rank == ranks - 1 ? -1 : 10, MPI_COMM_WORLD);
    all_true(!array && strstr(WEFT(last_error)(), "alloc_real: an array of -1 numbers cannot be"),
             "%s", WEFT(last_error)());
    array = WEFT(alloc_real)(rank == 0 ? PTRDIFF_MAX : 10, MPI_COMM_WORLD);
    all_true(!array && strstr(WEFT(last_error)(), "numbers cannot be"), "%s", WEFT(last_error)());
    array = WEFT(alloc_real)(10, MPI_COMM_NULL);
    all_true(!array && WEFT(last_error)()[0], "without a communicator there is an array");
    array = WEFT(alloc_real)(rank == 0 ? 0 : 10, MPI_COMM_WORLD);
    all_true(array, "none for no numbers: %s", WEFT(last_error)());
    WEFT(free)(array);
}
END_TEST

/* Whether a plan on a grid of two rows, of [8][8][6], has written into this rank's part of the
 * window in which it would collect slabs. */
static bool copies(weft_real *in, FFTW(complex) * out, bool back)
{
    enum { BYTES = 1024 };
    static unsigned char mark[BYTES];
    const ptrdiff_t n[3] = {8, 8, 6};
    const int dims[2] = {2, ranks / 2};
    weft_grid grid = WEFT(grid_create)(MPI_COMM_WORLD, 2, dims);
    FFTW(plan)
    plan = back ? WEFT(plan_dft_c2r)(3, n, out, in, grid, FFTW_ESTIMATE)
                : WEFT(plan_dft_r2c)(3, n, in, out, grid, FFTW_ESTIMATE);
    all_true(plan, "%s", WEFT(last_error)());
    MPI_Comm row;
    MPI_Comm_split(MPI_COMM_WORLD, rank / dims[1], rank, &row);
    weft_window *window = weft_window_open(row, BYTES); /* the one that the plan has, too */
    int here;
    MPI_Comm_rank(row, &here);
    memset(mark, 0xA5, BYTES);
    memcpy(weft_window_part(window, here), mark, BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    FFTW(execute)(plan);
    MPI_Barrier(MPI_COMM_WORLD);
    const bool same = memcmp(weft_window_part(window, here), mark, BYTES) == 0;
    FFTW(destroy_plan)(plan);
    weft_window_close(window);
    MPI_Comm_free(&row);
    WEFT(grid_free)(grid);
    return !same;
}

START_TEST(plans_do_not_copy_what_is_lent)
{
    enum { NUMBERS = 8 * 8 * 8 };
    if (ranks != 4 && ranks != 8)
        return;
    setenv("WEFT_BACKEND", "shared", 1);
    weft_real *in = WEFT(alloc_real)(NUMBERS, MPI_COMM_WORLD), *own = FFTW(alloc_real)(NUMBERS);
    FFTW(complex) *out = WEFT(alloc_complex)(NUMBERS, MPI_COMM_WORLD);
    memset(in, 0, NUMBERS * sizeof *in);
    memset(own, 0, NUMBERS * sizeof *own);
    memset(out, 0, NUMBERS * sizeof *out);
    all_true(copies(own, out, _i), "what is not lent was not copied");
    all_true(!copies(in, out, _i), "what is lent was copied");
    all_true(copies(rank % 2 ? in : own, out, _i) == (rank % 2 == 0), "not each as it has it");
    unsetenv("WEFT_BACKEND");
    WEFT(free)(in);
    WEFT(free)(out);
    FFTW(free)(own);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("lent");
    TCase *tests = tcase_create("arrays");
    tcase_add_checked_fixture(tests, weft_error_clear, NULL);
    tcase_add_test(tests, what_is_written_through_a_loan_is_there);
    tcase_add_test(tests, only_what_lies_there_is_lent);
    tcase_add_test(tests, it_is_lent_to_the_ranks_that_see_it);
    tcase_add_test(tests, its_place_is_taken_again);
    tcase_add_loop_test(tests, without_shared_memory_arrays_are_private, 0, 3);
    tcase_add_test(tests, bad_requests_fail_on_all_ranks);
    tcase_add_loop_test(tests, plans_do_not_copy_what_is_lent, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return windows_status(run_mpi(&argc, &argv, suite));
}
