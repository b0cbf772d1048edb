/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators are shared: however many plans are made, alive or destroyed in whatever order,
 * there are few; they outlive the user's, and are given back with the last plan or by MPI_Finalize.
 * MPICH has about 2,000 contexts, which is what the thousands here would run into.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "communicator.h"
#include "error.h"
#include "exchange.h"
#include "layouts.h"
#include "mpi/harness.h"

enum {
    THOUSANDS = 3000,
    CONTEXTS = 2100,
    MOST_KEPT = 1 + 8 /* the duplicate, and the splits kept for later */
};

static int rank, ranks;

static void find_rank(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    weft_error_clear();
}

/* Slabs of one axis to slabs of the other on the first `used` ranks; with fewer than all there is
 * more than one group. */
static weft_exchange *make(MPI_Comm comm, int used)
{
    static const ptrdiff_t size[2] = {24, 16};
    weft_layout from, to;

    weft_layout_init(&from, 2, size, 1);
    from.grid_axes = 1;
    from.grid[0] = used;
    /* Blocks would leave the last of 7 ranks without a part. */
    from.axis[0].rule = from.axis[1].rule = WEFT_BALANCED;
    to = from;
    from.axis[0].grid_axis = 0;
    to.axis[1].grid_axis = 0;
    return weft_exchange_create(&from, &to, sizeof(int), 0, comm);
}

/* Sends every peer a number, over what the exchange says: whether all is as it should be. */
static bool works(const weft_exchange *e)
{
    bool ok = true;

    for (int step = 0; step < e->ranks; step++) {
        int to = (e->rank + step) % e->ranks, from = (e->rank - step + e->ranks) % e->ranks;
        int sent = 100 * e->rank + to, received = -1;

        MPI_Sendrecv(&sent, 1, MPI_INT, to, e->tag, &received, 1, MPI_INT, from, e->tag, e->comm,
                     MPI_STATUS_IGNORE);
        ok = ok && received == 100 * from + e->rank;
    }
    return ok;
}

/* Contexts are counted in each process: a few ranks are as good as many, and on few cores much
 * faster. */
static int many(int all)
{
    return ranks <= 2 ? all : all / 30;
}

/* All communicators are made and freed through these, here and in Weft: how many of them there are.
 */
static int alive;

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    int code = PMPI_Comm_split(comm, color, key, made);

    alive += code == MPI_SUCCESS;
    return code;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    int code = PMPI_Comm_split_type(comm, type, key, info, made);

    alive += code == MPI_SUCCESS;
    return code;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    int code = PMPI_Comm_dup(comm, made);

    alive += code == MPI_SUCCESS;
    return code;
}

int MPI_Comm_free(MPI_Comm *comm)
{
    alive--;
    return PMPI_Comm_free(comm);
}

START_TEST(there_is_one_duplicate_for_each_communicator)
{
    weft_communicator *first = weft_communicator_open(MPI_COMM_WORLD);
    weft_communicator *second = weft_communicator_open(MPI_COMM_WORLD);
    MPI_Comm copy;
    int result;

    all_true(first != NULL && first == second, "two duplicates of one communicator");
    MPI_Comm_compare(MPI_COMM_WORLD, weft_communicator_all(first), &result);
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

    all_true(make(MPI_COMM_NULL, 1) == NULL && strstr(weft_error_text(), "MPI_COMM_NULL") != NULL,
             "\"%s\"", weft_error_text());
    if (ranks == 1)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &across);
    all_true(make(across, 1) == NULL && strstr(weft_error_text(), "intercommunicator") != NULL,
             "\"%s\"", weft_error_text());
    PMPI_Comm_free(&across); /* which was not counted either */
    MPI_Comm_free(&half);
}
END_TEST

START_TEST(thousands_are_made_and_destroyed)
{
    bool ok = true;

    for (int i = 0; ok && i < many(THOUSANDS); i++) {
        weft_exchange *e = make(MPI_COMM_WORLD, 1 + i % ranks);

        ok = e != NULL && (i % 500 != 0 || works(e));
        weft_exchange_destroy(e);
    }
    all_true(ok, "%s", weft_error_text());
    all_true(alive <= MOST_KEPT, "%d communicators are left", alive);
}
END_TEST

START_TEST(thousands_are_alive_at_once)
{
    static weft_exchange *e[THOUSANDS];
    bool ok = true;

    for (int i = 0; ok && i < many(THOUSANDS); i++) {
        e[i] = make(MPI_COMM_WORLD, 1 + i % ranks);
        ok = e[i] != NULL;
    }
    all_true(ok, "%s", weft_error_text());
    for (int i = 0; i < many(THOUSANDS); i += 97)
        ok = ok && works(e[i]);
    all_true(ok, "messages went astray");
    all_true(alive <= MOST_KEPT, "%d communicators for all of them", alive);
    /* Every rank destroys them in an order of its own. */
    for (int i = 0; i < many(THOUSANDS); i++)
        weft_exchange_destroy(e[(i * 7 + rank * 1001) % many(THOUSANDS)]);
}
END_TEST

START_TEST(communicators_of_the_user_come_and_go_by_the_thousand)
{
    int before = alive;
    bool ok = true;

    for (int i = 0; ok && i < many(THOUSANDS); i++) {
        MPI_Comm copy;
        weft_exchange *e;

        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        e = make(copy, 1 + i % ranks);
        ok = e != NULL;
        if (i % 2 == 0)
            weft_exchange_destroy(e);
        MPI_Comm_free(&copy);
        if (i % 2 == 1) {
            ok = ok && (i % 501 != 0 || works(e));
            weft_exchange_destroy(e);
        }
    }
    all_true(ok, "%s", weft_error_text());
    all_true(alive == before, "%d communicators are left", alive - before);
}
END_TEST

/* Any division of the ranks, far more of them than there are contexts, some used for a while; every
 * rank gives them up at times of its own. */
START_TEST(divisions_come_and_go_by_the_thousand)
{
    enum { HELD = 6 };
    weft_communicator *communicator = weft_communicator_open(MPI_COMM_WORLD);
    weft_split *held[HELD] = {NULL};
    uint64_t state = UINT64_C(0x2545F4914F6CDD1D);
    bool ok = communicator != NULL;
    int most = 0;

    for (int i = 0; ok && i < many(CONTEXTS); i++) {
        int leader[64] = {0}, place = (int)random_below(&state, HELD / 2), size, wanted = 0;
        weft_split *split;

        for (int r = 1; r < ranks; r++) {
            int with = (int)random_below(&state, r + 1);

            leader[r] = with == r ? r : leader[with];
        }
        place += rank % 2 == 0 ? HELD / 2 : i % 3;
        split = weft_communicator_split(communicator, leader);
        ok = split != NULL;
        if (!ok)
            break;
        MPI_Comm_size(weft_split_comm(split), &size);
        for (int r = 0; r < ranks; r++)
            wanted += leader[r] == leader[rank];
        ok = size == wanted;
        weft_split_release(held[place]);
        held[place] = split;
        most = alive > most ? alive : most;
    }
    all_true(ok, "%s", weft_error_text());
    /* Even and odd ranks hold others. */
    all_true(most <= MOST_KEPT + 2 * HELD, "%d communicators at a time", most);
    for (int i = 0; i < HELD; i++)
        weft_split_release(held[i]);
    weft_communicator_close(communicator);
}
END_TEST

START_TEST(parts_of_the_ranks_plan_by_themselves)
{
    MPI_Comm half;
    int members, before = alive;
    bool ok;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_size(half, &members);
    weft_exchange *e = make(half, members), *own = make(MPI_COMM_SELF, 1);
    weft_exchange *world = make(MPI_COMM_WORLD, ranks);
    ok = e != NULL && own != NULL && world != NULL;
    all_true(ok, "%s", weft_error_text());
    all_true(e->ranks == members && own->ranks == 1 && world->ranks == ranks,
             "%d of %d, %d of 1, %d of %d ranks", e->ranks, members, own->ranks, world->ranks,
             ranks);
    ok = works(e) && works(own) && works(world);
    MPI_Comm_free(&half);
    ok = ok && works(e);
    all_true(ok, "messages went astray");
    weft_exchange_destroy(own);
    weft_exchange_destroy(e);
    weft_exchange_destroy(world);
    /* MPI_COMM_SELF keeps its duplicate, those of the half are gone. */
    all_true(alive == before + 1, "%d communicators are left", alive - before);
}
END_TEST

START_TEST(bad_input_on_one_rank_is_refused_on_all)
{
    static const ptrdiff_t size[2] = {24, 16}, other[2] = {24, 17};
    weft_layout good, bad, different;
    const char *expected = "axis 0 is divided by dimension 5 of a process grid of 0 dimensions";

    weft_layout_init(&good, 2, size, 1);
    weft_layout_init(&different, 2, other, 1);
    bad = good;
    bad.axis[0].grid_axis = 5;
    for (int odd = 0; odd < ranks; odd++) {
        weft_exchange *e;

        weft_error_clear();
        e = weft_exchange_create(&good, rank == odd ? &bad : &good, 8, 0, MPI_COMM_WORLD);
        all_true(e == NULL && strcmp(weft_error_text(), expected) == 0, "\"%s\"",
                 weft_error_text());
        e = weft_exchange_create(&good, &good, rank == odd ? 0 : 8, 0, MPI_COMM_WORLD);
        all_true(e == NULL && strstr(weft_error_text(), "0 bytes") != NULL, "\"%s\"",
                 weft_error_text());
        if (ranks == 1)
            continue;
        const weft_layout *mine = rank == odd ? &different : &good;
        e = weft_exchange_create(mine, mine, 8, 0, MPI_COMM_WORLD);
        all_true(e == NULL && strstr(weft_error_text(), "differs between ranks") != NULL, "\"%s\"",
                 weft_error_text());
        e = weft_exchange_create(&good, &good, rank == odd ? 8 : 16, 0, MPI_COMM_WORLD);
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
    weft_exchange *e = make(last, ranks);
    bool expected = code == MPI_SUCCESS
                        ? e != NULL
                        : e == NULL && strstr(weft_error_text(), "communicator") != NULL;
    while (made > 0)
        MPI_Comm_free(&copy[--made]);
    all_true(expected, "\"%s\"", weft_error_text());
    weft_exchange_destroy(e);
    e = make(last, ranks);
    all_true(e != NULL && works(e), "\"%s\"", weft_error_text());
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
    left[0] = make(MPI_COMM_WORLD, ranks);
    left[1] = make(MPI_COMM_SELF, 1);
    left[2] = make(freed, 1 + ranks / 2);
    left[3] = make(kept, 1);
    MPI_Comm_free(&freed);
    for (int i = 0; i < 4; i++)
        all_true(left[i] != NULL, "%s", weft_error_text());
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("communicator");
    TCase *tests = tcase_create("communicators");

    tcase_add_checked_fixture(tests, find_rank, NULL);
    tcase_add_test(tests, there_is_one_duplicate_for_each_communicator);
    tcase_add_test(tests, tags_are_those_that_every_mpi_has);
    tcase_add_test(tests, intercommunicators_and_none_are_refused);
    tcase_add_test(tests, thousands_are_made_and_destroyed);
    tcase_add_test(tests, thousands_are_alive_at_once);
    tcase_add_test(tests, communicators_of_the_user_come_and_go_by_the_thousand);
    tcase_add_test(tests, divisions_come_and_go_by_the_thousand);
    tcase_add_test(tests, parts_of_the_ranks_plan_by_themselves);
    tcase_add_test(tests, bad_input_on_one_rank_is_refused_on_all);
    tcase_add_test(tests, running_out_of_communicators_is_an_error_like_others);
    tcase_add_test(tests, plans_may_outlive_mpi_finalize);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    int status = run_mpi(&argc, &argv, suite);

    for (int i = 0; i < 4; i++)
        weft_exchange_destroy(left[i]);
    /* MPI_Finalize gave back all of Weft's; the one the user did not free is left. */
    if (alive != 1) {
        fprintf(stderr, "%d communicators are left after MPI_Finalize\n", alive - 1);
        status = EXIT_FAILURE;
    }
    return status;
}
