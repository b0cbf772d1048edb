/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans share communicators, which live longer than the user's and are freed with the last plan or
 * by MPI_Finalize. (test_bad and test_differing have communicators that are refused.) Thousands of
 * plans, destroyed in any order, need few communicators: MPICH has about 2,000 contexts. The watch
 * counts communicators, and reports in MPI_Finalize those that are left.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/communicator.h"
#include "backends/exchange/exchange.h"
#include "kernels/base/error.h"
#include "tests/layouts.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/watch.h"

#define communicators watch_alive(WATCH_COMMUNICATOR)

enum {
    THOUSANDS = 3000,
    CONTEXTS = 2100,  /* more contexts than MPICH has */
    MOST_KEPT = 1 + 8 /* the duplicate and the cached splits */
};

/* An exchange from slabs of one axis to slabs of the other on the first `used` ranks. With fewer
 * than all ranks it has several groups. */
static weft_exchange *plan_exchange(MPI_Comm comm, int used)
{
    static const ptrdiff_t size[2] = {24, 16};
    weft_layout from, to;
    slab_layouts(2, size, 1, used, &from, &to);
    return weft_exchange_create(&from, &to, sizeof(int), 0, NULL, comm);
}

/* Sends a number to every peer on the communicator of the exchange. Returns whether all arrive. */
static bool exchange_works(const weft_exchange *e)
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

TEST(each_communicator_is_duplicated_once)
{
    weft_communicator *first = weft_communicator_open(MPI_COMM_WORLD);
    weft_communicator *second = weft_communicator_open(MPI_COMM_WORLD);
    MPI_Comm copy;
    int result, last = 0;
    bool ok = true;
    all_true(first && first == second, "two duplicates of one communicator");
    MPI_Comm_compare(MPI_COMM_WORLD, first->all, &result);
    all_true(result == MPI_CONGRUENT, "not congruent with the original");
    for (int i = 0; ok && i < 100000; i++) { /* uses only tags that every MPI allows */
        int tag = weft_communicator_tag(first);
        ok = tag >= 1 && tag <= 32767 && tag != last;
        last = tag;
    }
    all_true(ok, "tag %d", last);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    weft_communicator *other = weft_communicator_open(copy);
    all_true(other != NULL && other != first, "a duplicate counts as the same communicator");
    weft_communicator_close(other);
    MPI_Comm_free(&copy);
    weft_communicator_close(first);
    weft_communicator_close(second);
}

/* Each process counts its contexts, so a few ranks suffice, and are much faster on few cores. */
static int many(int all)
{
    return ranks <= 2 ? all : all / 30;
}

TEST(thousands_of_exchanges_exist_at_once)
{
    static weft_exchange *e[THOUSANDS];
    bool ok = true;
    for (int i = 0; ok && i < many(THOUSANDS); i++) {
        e[i] = plan_exchange(MPI_COMM_WORLD, 1 + i % ranks);
        ok = e[i] != NULL;
    }
    all_true(ok, "%s", weft_error_text());
    for (int i = 0; i < many(THOUSANDS); i += 97)
        ok = ok && exchange_works(e[i]);
    all_true(ok, "messages are wrong");
    all_true(communicators <= MOST_KEPT, "%d communicators for all of them", communicators);
    /* Every rank destroys the exchanges in another order. */
    for (int i = 0; i < many(THOUSANDS); i++)
        weft_exchange_destroy(e[(i * 7 + rank * 1001) % many(THOUSANDS)]);
}

TEST(communicators_of_the_user_come_and_go_by_the_thousand)
{
    int before = communicators;
    bool ok = true;
    for (int i = 0; ok && i < many(THOUSANDS); i++) {
        MPI_Comm copy;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        weft_exchange *e = plan_exchange(copy, 1 + i % ranks), *early = i % 2 ? NULL : e;
        ok = e != NULL;
        weft_exchange_destroy(early);
        MPI_Comm_free(&copy);
        ok = ok && (early || i % 501 != 0 || exchange_works(e));
        weft_exchange_destroy(early ? NULL : e);
    }
    all_true(ok, "%s", weft_error_text());
    all_true(communicators == before, "%d communicators are left", communicators - before);
}

/* Many more divisions of the ranks than contexts. Some are used for a while; every rank releases
 * them at other times. */
TEST(divisions_come_and_go_by_the_thousand)
{
    enum { HELD = 6 };
    weft_communicator *communicator = weft_communicator_open(MPI_COMM_WORLD);
    weft_split *held[HELD] = {NULL};
    uint64_t state = UINT64_C(0x2545F4914F6CDD1D);
    bool ok = communicator != NULL;
    int most = 0;
    for (int i = 0; ok && i < many(CONTEXTS); i++) {
        int leader[64] = {0}, place = (int)random_below(&state, HELD / 2), size, wanted = 0;
        for (int r = 1; r < ranks; r++) {
            int with = (int)random_below(&state, r + 1);
            leader[r] = with == r ? r : leader[with];
        }
        place += rank % 2 == 0 ? HELD / 2 : i % 3;
        weft_split *split = weft_communicator_split(communicator, leader);
        ck_assert_msg(split, "%s", weft_error_text());
        MPI_Comm_size(split->comm, &size);
        for (int r = 0; r < ranks; r++)
            wanted += leader[r] == leader[rank];
        ok = size == wanted;
        weft_split_release(held[place]);
        held[place] = split;
        most = communicators > most ? communicators : most;
    }
    all_true(ok, "a division has another size");
    /* Even and odd ranks keep different exchanges. */
    all_true(most <= MOST_KEPT + 2 * HELD, "%d communicators at a time", most);
    for (int i = 0; i < HELD; i++)
        weft_split_release(held[i]);
    weft_communicator_close(communicator);
}

/* If the user's communicators use all contexts, the program gets a sentence and continues. */
TEST(running_out_of_communicators_is_an_error_like_others)
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
    while (made > 0)
        MPI_Comm_free(&copy[--made]);
    all_true(code == MPI_SUCCESS ? e != NULL : !e && strstr(weft_error_text(), "communicator"),
             "\"%s\"", weft_error_text());
    weft_exchange_destroy(e);
    e = plan_exchange(last, ranks);
    all_true(e != NULL && exchange_works(e), "\"%s\"", weft_error_text());
    weft_exchange_destroy(e);
    MPI_Comm_free(&last);
}

/* Exchanges that are destroyed after MPI_Finalize. */
static weft_exchange *left[4];

TEST(plans_may_outlive_mpi_finalize)
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

static bool right(void)
{
    for (int i = 0; i < NUMBER(left); i++)
        weft_exchange_destroy(left[i]);
    return true;
}

AROUND(.right = right)
