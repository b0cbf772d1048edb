/* SPDX-License-Identifier: BSD-3-Clause */
/* Agreement: all ranks get the same sentence, whichever ranks fail. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "tests/mpi/harness.h"

/* A failing rank gives a short sentence, one that is too long, or none. */
TEST(every_rank_gets_the_sentence_of_the_lowest_that_failed, .to = 3)
{
    static char longest[3000];
    const bool silent = _i == 1;
    memset(longest, 'x', sizeof longest - 1);
    for (int lowest = 0; lowest <= ranks; lowest++)
        for (int step = 1; step <= ranks; step++) {
            bool ok = rank < lowest || (rank - lowest) % step != 0;
            char expected[sizeof longest + 64];
            weft_error_clear();
            if (!ok && !silent)
                weft_error("rank %d has no memory%s", rank, _i ? longest : "");
            if (!ok && (rank == lowest) == (lowest % 2))
                weft_error_blame_environment();
            bool agreed = weft_agree(MPI_COMM_WORLD, ok);
            snprintf(expected, sizeof expected, "rank %d %s%s", lowest,
                     silent ? "failed" : "has no memory", _i == 2 ? longest : "");
            expected[1023] = '\0'; /* the maximum length of a sentence */
            if (lowest == ranks)
                expected[0] = '\0';
            all_true(agreed == (lowest == ranks), "agreed %d though rank %d failed", agreed,
                     lowest);
            all_true(strncmp(weft_error_text(), expected, strlen(expected) + !silent) == 0,
                     "\"%s\", not \"%s\"", weft_error_text(), expected);
            all_true(agreed || weft_error_is_environment() == lowest % 2, "rank %d's blame",
                     lowest);
        }
}

TEST(different_bytes_on_any_rank_are_found)
{
    for (int odd = -1; odd < ranks; odd++)
        for (int how = 0; how < 4; how++) {
            unsigned char bytes[40] = {0};
            size_t length = how == 3 ? 0 : 32;

            if (rank == odd && how == 0)
                bytes[31] = 1;
            if (rank == odd && how == 1)
                length = 33;
            if (rank == odd && how == 2)
                bytes[0] = 128;
            weft_error_clear();
            bool same = weft_agree_same(MPI_COMM_WORLD, bytes, length, "the recipe");
            bool expected = odd < 0 || ranks == 1 || how == 3;
            all_true(same == expected, "way %d, rank %d: %d", how, odd, same);
            all_true(strcmp(weft_error_text(), same ? "" : "the recipe differs between ranks") == 0,
                     "\"%s\"", weft_error_text());
        }
}

TEST(text_of_rank_0_is_the_text_of_all)
{
    static const size_t lengths[] = {0, 1, WEFT_SHORT_TEXT - 1, WEFT_SHORT_TEXT, 100000};
    weft_common_text reported;
    weft_broadcast_text(MPI_COMM_WORLD, rank == 0 ? NULL : "something", &reported);
    all_true(reported.text == NULL, "text from nothing");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char *mine = malloc(lengths[i] + 1);

        memset(mine, 'a' + rank, lengths[i]);
        mine[lengths[i]] = '\0';
        weft_broadcast_text(MPI_COMM_WORLD, rank % 2 == 0 ? mine : NULL, &reported);
        all_true(reported.text != NULL && strlen(reported.text) == lengths[i] &&
                     strspn(reported.text, "a") == lengths[i],
                 "a text of %zu characters did not arrive", lengths[i]);
        weft_common_text_free(&reported);
        free(mine);
    }
}

static bool group_fails;

/* Replaces MPI's function, and fails on demand. */
int MPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    int (*next)(MPI_Comm, MPI_Group *);
    *(void **)&next = dlsym(RTLD_NEXT, "MPI_Comm_group");
    if (!group_fails)
        return next(comm, group);
    MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
}

/* Without the agreement the other ranks would wait in MPI_Comm_create_group, and with the error
 * handler of MPI_COMM_WORLD the program would end. */
TEST(without_a_group_on_one_rank_no_rank_gets_a_communicator, .to = 2)
{
    int leader[64];
    MPI_Comm made;
    for (int r = 0; r < ranks; r++)
        leader[r] = r % 2;
    for (int odd = 0; odd < ranks; odd++) {
        weft_error_clear();
        group_fails = rank == odd;
        const bool ok = weft_comm_of_group(MPI_COMM_WORLD, _i ? leader : NULL, &made);
        group_fails = false;
        all_true(!ok && made == MPI_COMM_NULL && strstr(weft_error_text(), "a group of ranks"),
                 "rank %d fails: \"%s\"", odd, weft_error_text());
    }
    const bool ok = weft_comm_of_group(MPI_COMM_WORLD, _i ? leader : NULL, &made);
    all_true(ok, "the next communicator: %s", weft_error_text());
    MPI_Comm_free(&made);
}
