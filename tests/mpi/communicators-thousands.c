/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans by the thousand, alive or destroyed in whatever order, get by with few communicators. MPICH
 * has about 2,000 contexts, which is what they would run into.
 */
#include <stdint.h>
#include "backends/exchange/communicator.h"
#include "kernels/base/error.h"
#include "tests/layouts.h"
#include "tests/mpi/communicators.h"
#include "tests/mpi/harness.h"

enum { THOUSANDS = 3000 };

/* Contexts are counted in each process: a few ranks are as good as many, and on few cores much
 * faster. */
static int many(int all)
{
    return ranks <= 2 ? all : all / 30;
}

START_TEST(thousands_are_made_and_destroyed)
{
    bool ok = true;

    for (int i = 0; ok && i < many(THOUSANDS); i++) {
        weft_exchange *e = plan_exchange(MPI_COMM_WORLD, 1 + i % ranks);

        ok = e != NULL && (i % 500 != 0 || exchange_works(e));
        weft_exchange_destroy(e);
    }
    all_true(ok, "%s", weft_error_text());
    all_true(communicators <= MOST_KEPT, "%d communicators are left", communicators);
}
END_TEST

START_TEST(thousands_are_alive_at_once)
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
    all_true(ok, "messages went astray");
    all_true(communicators <= MOST_KEPT, "%d communicators for all of them", communicators);
    /* Every rank destroys them in an order of its own. */
    for (int i = 0; i < many(THOUSANDS); i++)
        weft_exchange_destroy(e[(i * 7 + rank * 1001) % many(THOUSANDS)]);
}
END_TEST

START_TEST(communicators_of_the_user_come_and_go_by_the_thousand)
{
    int before = communicators;
    bool ok = true;

    for (int i = 0; ok && i < many(THOUSANDS); i++) {
        MPI_Comm copy;
        weft_exchange *e;

        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        e = plan_exchange(copy, 1 + i % ranks);
        ok = e != NULL;
        if (i % 2 == 0)
            weft_exchange_destroy(e);
        MPI_Comm_free(&copy);
        if (i % 2 == 1) {
            ok = ok && (i % 501 != 0 || exchange_works(e));
            weft_exchange_destroy(e);
        }
    }
    all_true(ok, "%s", weft_error_text());
    all_true(communicators == before, "%d communicators are left", communicators - before);
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
        MPI_Comm_size(split->comm, &size);
        for (int r = 0; r < ranks; r++)
            wanted += leader[r] == leader[rank];
        ok = size == wanted;
        weft_split_release(held[place]);
        held[place] = split;
        most = communicators > most ? communicators : most;
    }
    all_true(ok, "%s", weft_error_text());
    /* Even and odd ranks hold others. */
    all_true(most <= MOST_KEPT + 2 * HELD, "%d communicators at a time", most);
    for (int i = 0; i < HELD; i++)
        weft_split_release(held[i]);
    weft_communicator_close(communicator);
}
END_TEST

void add_thousands(TCase *tests)
{
    tcase_add_test(tests, thousands_are_made_and_destroyed);
    tcase_add_test(tests, thousands_are_alive_at_once);
    tcase_add_test(tests, communicators_of_the_user_come_and_go_by_the_thousand);
    tcase_add_test(tests, divisions_come_and_go_by_the_thousand);
}
