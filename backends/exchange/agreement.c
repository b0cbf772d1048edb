/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreement between ranks. Each agreement is one reduction of a few bytes. Only a failure costs
 * more: a second reduction, and a broadcast of the error sentence from the lowest rank that failed.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "backends/exchange/abort.h"
#include "backends/exchange/agreement.h"
#include "kernels/base/digest.h"
#include "kernels/base/error.h"
#include "kernels/base/memory.h"

enum { LONGEST_SENTENCE = 1024, LARGEST_PART = 1 << 30 };

/* Whether the ranks run on several hosts and not all of them failed. */
static bool depends_on_host(MPI_Comm comm, bool ok)
{
    uint64_t mine[3], least[3];

    mine[0] = weft_digest_bytes(weft_host(), strlen(weft_host()));
    mine[1] = ~mine[0];
    mine[2] = !ok;
    MPI_Allreduce(mine, least, 3, MPI_UINT64_T, MPI_MIN, comm);
    return least[0] != ~least[1] && least[2] == 0;
}

/* Broadcasts the error of the lowest rank that failed, and whether that error blames the
 * environment. Adds the host name to the sentence when the host may be the cause. */
static void spread_error(MPI_Comm comm, int lowest, bool ok)
{
    char sentence[1 + LONGEST_SENTENCE] = "";
    int rank;

    MPI_Comm_rank(comm, &rank);
    const bool with_host = depends_on_host(comm, ok) && !strstr(weft_error_text(), weft_host());
    if (rank == lowest) {
        sentence[0] = weft_error_is_environment();
        snprintf(sentence + 1, LONGEST_SENTENCE, with_host ? "%.900s (on host %s)" : "%s",
                 weft_error_text(), weft_host());
    }
    MPI_Bcast(sentence, sizeof sentence, MPI_CHAR, lowest, comm);
    if (sentence[1] != '\0')
        weft_error("%s", sentence + 1);
    else
        weft_error("rank %d failed without an error message", lowest);
    if (sentence[0])
        weft_error_blame_environment();
}

bool weft_agree_both(MPI_Comm comm, bool ok, const void *bytes, size_t length, const char *what,
                     bool any[2])
{
    uint64_t mine[5], least[5];
    int rank, ranks;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    /* The minimum of the complements is the complement of the maximum, so one reduction finds both.
     */
    mine[0] = weft_digest_bytes(bytes, length);
    mine[1] = ~mine[0];
    mine[2] = (uint64_t)(ok ? ranks : rank);
    for (int i = 0; i < 2; i++)
        mine[3 + i] = any && any[i] ? 0 : 1;
    MPI_Allreduce(mine, least, 5, MPI_UINT64_T, MPI_MIN, comm);
    for (int i = 0; any && i < 2; i++)
        any[i] = least[3 + i] == 0;
    if (least[2] < (uint64_t)ranks) {
        spread_error(comm, (int)least[2], ok);
        return false;
    }
    if (least[0] == ~least[1])
        return true;
    return weft_error("%s differs between ranks", what);
}

bool weft_agree(MPI_Comm comm, bool ok)
{
    return weft_agree_both(comm, ok, "", 0, "", NULL);
}

bool weft_agree_same(MPI_Comm comm, const void *bytes, size_t length, const char *what)
{
    return weft_agree_both(comm, true, bytes, length, what, NULL);
}

void weft_agree_max_all(MPI_Comm comm, double *value, int count)
{
    MPI_Allreduce(MPI_IN_PLACE, value, count, MPI_DOUBLE, MPI_MAX, comm);
}

double weft_agree_max(MPI_Comm comm, double value)
{
    weft_agree_max_all(comm, &value, 1);
    return value;
}

/* Broadcasts a string that is not short; its length is already known on all ranks. */
static void spread_text(MPI_Comm comm, int rank, const char *text, weft_common_text *common)
{
    const size_t bytes = (size_t)common->length + 1;
    common->text = weft_new(1, bytes, "a text");
    if (!weft_agree(comm, common->text != NULL)) {
        weft_common_text_free(common);
        return;
    }
    if (rank == 0)
        memcpy(common->text, text, bytes);
    for (size_t done = 0, part; done < bytes; done += part) {
        part = bytes - done < LARGEST_PART ? bytes - done : LARGEST_PART;
        MPI_Bcast(common->text + done, (int)part, MPI_CHAR, 0, comm);
    }
}

void weft_broadcast_text(MPI_Comm comm, const char *text, weft_common_text *common)
{
    const size_t begin = offsetof(weft_common_text, length);
    int rank;

    MPI_Comm_rank(comm, &rank);
    common->text = NULL;
    if (rank == 0) {
        common->length = text ? (long long)strlen(text) : -1;
        memset(common->few, 0, sizeof common->few);
        if (common->length >= 0 && common->length < WEFT_SHORT_TEXT)
            memcpy(common->few, text, (size_t)common->length);
    }
    MPI_Bcast((char *)common + begin, (int)(sizeof *common - begin), MPI_CHAR, 0, comm);
    if (common->length >= WEFT_SHORT_TEXT)
        spread_text(comm, rank, text, common);
    else if (common->length >= 0)
        common->text = common->few;
}

void weft_common_text_free(weft_common_text *common)
{
    if (common->text != common->few)
        free(common->text);
    common->text = NULL;
}

/* Rank 0 combines a time stamp, later than its previous one, with its rank in MPI_COMM_WORLD or the
 * number of its process. Callers pass communicators within one node. */
uint64_t weft_agree_number(MPI_Comm comm)
{
    enum { PROCESSES = 8192, NANOSECONDS = 2048 };
    static atomic_uint_fast64_t last;
    struct timespec now = {0};
    const int process = weft_has_world() ? weft_process_rank(comm) : (int)getpid();

    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t moment = ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) / NANOSECONDS;
    uint_fast64_t before = atomic_load(&last);
    do {
        if (moment <= before)
            moment = before + 1;
    } while (!atomic_compare_exchange_weak(&last, &before, moment));
    uint64_t number = moment * PROCESSES + (uint64_t)process % PROCESSES;
    MPI_Bcast(&number, 1, MPI_UINT64_T, 0, comm);
    return number;
}

/* Sets the group of the ranks with this rank's leader, or of all ranks if `leader` is NULL, in rank
 * order. */
static bool make_group(MPI_Comm comm, const int *leader, MPI_Group *members)
{
    MPI_Group all = MPI_GROUP_NULL;
    int rank, ranks, count = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int *member = weft_new((size_t)ranks, sizeof *member, "a group of ranks");
    for (int r = 0; member && r < ranks; r++)
        if (!leader || leader[r] == leader[rank])
            member[count++] = r;
    weft_handler was = weft_handler_replace(comm, MPI_ERRORS_RETURN);
    const bool ok = member && MPI_Comm_group(comm, &all) == MPI_SUCCESS &&
                    MPI_Group_incl(all, count, member, members) == MPI_SUCCESS;
    weft_handler_restore(&was);
    if (all != MPI_GROUP_NULL)
        MPI_Group_free(&all);
    free(member);
    if (!ok)
        *members = MPI_GROUP_NULL;
    return ok || weft_error("no memory for a group of ranks");
}

/* Makes a communicator of `members`, or of this node's ranks if NULL. Errors are returned
 * for any error handler of comm. One rank splits its communicator, because MPI_Comm_create_group of
 * MPICH 4.0 crashes where one rank's communicator is from a session. */
static bool make_returning_errors(MPI_Comm comm, const MPI_Group *members, MPI_Comm *made)
{
    char text[MPI_MAX_ERROR_STRING];
    int ranks;
    MPI_Comm_size(comm, &ranks);
    weft_handler was = weft_handler_replace(comm, MPI_ERRORS_RETURN);
    const int code = ranks == 1 ? MPI_Comm_split(comm, 0, 0, made)
                     : members
                         ? MPI_Comm_create_group(comm, *members, 0, made)
                         : MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, made);
    weft_handler_restore(&was);
    const bool mine = code == MPI_SUCCESS || weft_error("no further communicator could be made: %s",
                                                        weft_mpi_error(code, text)),
               ok = weft_agree(comm, mine);
    if (ok)
        MPI_Comm_set_errhandler(*made, MPI_ERRORS_ARE_FATAL);
    else if (mine)
        MPI_Comm_free(made);
    if (!ok)
        *made = MPI_COMM_NULL;
    return ok;
}

bool weft_comm_of_group(MPI_Comm comm, const int *leader, MPI_Comm *made)
{
    MPI_Group members;
    *made = MPI_COMM_NULL;
    /* The ranks agree, because the other ranks would wait for a rank without a group. */
    const bool ok = weft_agree(comm, make_group(comm, leader, &members)) &&
                    make_returning_errors(comm, &members, made);
    if (members != MPI_GROUP_NULL)
        MPI_Group_free(&members);
    return ok;
}

bool weft_comm_of_node(MPI_Comm comm, MPI_Comm *made)
{
    return make_returning_errors(comm, NULL, made);
}
