/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators are shared: they outlive the user's, and are given back with the last plan or by
 * MPI_Finalize; what cannot be used is refused, and so is what differs between ranks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/communicator.h"
#include "kernels/base/error.h"
#include "tests/mpi/communicators.h"
#include "tests/mpi/harness.h"

START_TEST(there_is_one_duplicate_for_each_communicator)
{
    weft_communicator *first = weft_communicator_open(MPI_COMM_WORLD);
    weft_communicator *second = weft_communicator_open(MPI_COMM_WORLD);
    MPI_Comm copy;
    int result;

    all_true(first != NULL && first == second, "two duplicates of one communicator");
    MPI_Comm_compare(MPI_COMM_WORLD, first->all, &result);
    all_true(result == MPI_CONGRUENT, "not congruent with the original");
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    weft_communicator *other = weft_communicator_open(copy);
    all_true(other != NULL && other != first, "a copy of the communicator is taken for it");
    weft_communicator_close(other);
    MPI_Comm_free(&copy);
    weft_communicator_close(first);
    weft_communicator_close(second);
}
END_TEST

START_TEST(tags_are_those_that_every_mpi_has)
{
    weft_communicator *communicator = weft_communicator_open(MPI_COMM_WORLD);
    bool ok = communicator != NULL;
    int last = 0;

    for (int i = 0; ok && i < 100000; i++) {
        int tag = weft_communicator_tag(communicator);

        ok = tag >= 1 && tag <= 32767 && tag != last;
        last = tag;
    }
    all_true(ok, "tag %d", last);
    weft_communicator_close(communicator);
}
END_TEST

START_TEST(intercommunicators_and_none_are_refused)
{
    MPI_Comm half, across;

    all_true(plan_exchange(MPI_COMM_NULL, 1) == NULL &&
                 strstr(weft_error_text(), "MPI_COMM_NULL") != NULL,
             "\"%s\"", weft_error_text());
    if (ranks == 1)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &across);
    all_true(plan_exchange(across, 1) == NULL &&
                 strstr(weft_error_text(), "intercommunicator") != NULL,
             "\"%s\"", weft_error_text());
    MPI_Comm_free(&across);
    MPI_Comm_free(&half);
}
END_TEST

START_TEST(parts_of_the_ranks_plan_by_themselves)
{
    MPI_Comm half;
    int members, before = communicators;
    bool ok;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_size(half, &members);
    weft_exchange *e = plan_exchange(half, members), *own = plan_exchange(MPI_COMM_SELF, 1);
    weft_exchange *world = plan_exchange(MPI_COMM_WORLD, ranks);
    ok = e != NULL && own != NULL && world != NULL;
    all_true(ok, "%s", weft_error_text());
    all_true(e->ranks == members && own->ranks == 1 && world->ranks == ranks,
             "%d of %d, %d of 1, %d of %d ranks", e->ranks, members, own->ranks, world->ranks,
             ranks);
    ok = exchange_works(e) && exchange_works(own) && exchange_works(world);
    MPI_Comm_free(&half);
    ok = ok && exchange_works(e);
    all_true(ok, "messages went astray");
    weft_exchange_destroy(own);
    weft_exchange_destroy(e);
    weft_exchange_destroy(world);
    /* MPI_COMM_SELF keeps its duplicate, those of the half are gone. */
    all_true(communicators == before + 1, "%d communicators are left", communicators - before);
}
END_TEST

START_TEST(bad_input_on_one_rank_is_refused_on_all)
{
    static const ptrdiff_t size[2] = {24, 16}, other[2] = {24, 17};
    weft_layout good, different;

    weft_layout_init(&good, 2, size, 1);
    weft_layout_init(&different, 2, other, 1);
    for (int odd = 0; ranks > 1 && odd < ranks; odd++) {
        const weft_layout *mine = rank == odd ? &different : &good;
        weft_error_clear();
        weft_exchange *e = weft_exchange_create(mine, mine, 8, 0, NULL, 0, MPI_COMM_WORLD);
        all_true(e == NULL && strstr(weft_error_text(), "differs between ranks") != NULL, "\"%s\"",
                 weft_error_text());
        e = weft_exchange_create(&good, &good, rank == odd ? 8 : 16, 0, NULL, 0, MPI_COMM_WORLD);
        all_true(e == NULL && strstr(weft_error_text(), "differs between ranks") != NULL, "\"%s\"",
                 weft_error_text());
    }
}
END_TEST

/* The user's own plans use up all contexts: a sentence, not the end of the program. */
START_TEST(running_out_of_communicators_is_an_error_like_others)
{
    static MPI_Comm copy[4 * CONTEXTS];
    int made = 0, code = MPI_SUCCESS;
    MPI_Comm last;

    MPI_Comm_dup(MPI_COMM_WORLD, &last);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (made < CONTEXTS && code == MPI_SUCCESS) {
        code = MPI_Comm_dup(MPI_COMM_WORLD, &copy[made]);
        made += code == MPI_SUCCESS;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    weft_exchange *e = plan_exchange(last, ranks);
    bool expected = code == MPI_SUCCESS
                        ? e != NULL
                        : e == NULL && strstr(weft_error_text(), "communicator") != NULL;
    while (made > 0)
        MPI_Comm_free(&copy[--made]);
    all_true(expected, "\"%s\"", weft_error_text());
    weft_exchange_destroy(e);
    e = plan_exchange(last, ranks);
    all_true(e != NULL && exchange_works(e), "\"%s\"", weft_error_text());
    weft_exchange_destroy(e);
    MPI_Comm_free(&last);
}
END_TEST

/* MPI_Finalize comes first, what is left is destroyed after it. */
static weft_exchange *left[4];

START_TEST(plans_may_outlive_mpi_finalize)
{
    MPI_Comm freed, kept;

    MPI_Comm_dup(MPI_COMM_WORLD, &freed);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &kept);
    watch_keep(kept);
    left[0] = plan_exchange(MPI_COMM_WORLD, ranks);
    left[1] = plan_exchange(MPI_COMM_SELF, 1);
    left[2] = plan_exchange(freed, 1 + ranks / 2);
    left[3] = plan_exchange(kept, 1);
    MPI_Comm_free(&freed);
    for (int i = 0; i < 4; i++)
        all_true(left[i] != NULL, "%s", weft_error_text());
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("communicator");
    TCase *tests = tcase_create("communicators");

    tcase_add_checked_fixture(tests, weft_error_clear, NULL);
    tcase_add_test(tests, there_is_one_duplicate_for_each_communicator);
    tcase_add_test(tests, tags_are_those_that_every_mpi_has);
    tcase_add_test(tests, intercommunicators_and_none_are_refused);
    add_thousands(tests);
    tcase_add_test(tests, parts_of_the_ranks_plan_by_themselves);
    tcase_add_test(tests, bad_input_on_one_rank_is_refused_on_all);
    tcase_add_test(tests, running_out_of_communicators_is_an_error_like_others);
    tcase_add_test(tests, plans_may_outlive_mpi_finalize);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    const int status = run_mpi(&argc, &argv, suite);

    for (int i = 0; i < 4; i++)
        weft_exchange_destroy(left[i]);
    /* What MPI_Finalize has left of Weft's the watch tells. */
    return status;
}
