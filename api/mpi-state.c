/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI ends the program when it is called at the wrong time or with a wrong communicator; so ask
 * first. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "api/loaded.h"
#include "api/mpi-state.h"
#include "backends/exchange/communicator.h"
#include "backends/exchange/handshake.h"
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "planner/abort.h"

static bool initialized(void)
{
    int yes = 0;
    MPI_Initialized(&yes);
    return yes;
}

static bool finalized(void)
{
    int yes = 0;
    MPI_Finalized(&yes);
    return yes;
}

bool weft_mpi_running(void)
{
    weft_mpi_check_kind();
    if (initialized())
        return !finalized();
    weft_mpi_check_other();
    return false;
}

/* What is wrong with a communicator; NULL: nothing. */
static const char *unusable(MPI_Comm comm)
{
    int between = 0;
    if (!weft_mpi_running())
        return initialized() ? "MPI has been finalized; call it before MPI_Finalize"
                             : "MPI is not initialized; call MPI_Init first";
    if (comm == MPI_COMM_NULL)
        return "the communicator is MPI_COMM_NULL; only its members may call";
    MPI_Comm_test_inter(comm, &between);
    return between ? "the communicator is an inter-communicator; pass an ordinary one" : NULL;
}

static void make_fatal(MPI_Comm comm, MPI_Errhandler *was)
{
    *was = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(comm, was);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

static void give_back(MPI_Comm comm, MPI_Errhandler *was)
{
    if (*was == MPI_ERRHANDLER_NULL)
        return;
    MPI_Comm_set_errhandler(comm, *was);
    MPI_Errhandler_free(was);
}

/* Those of the two that MPI takes where a call has none, while any thread is inside. */
static struct {
    pthread_mutex_t lock;
    int inside;
    MPI_Errhandler world, self;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

weft_handler weft_handler_fatal(MPI_Comm comm)
{
    weft_handler was = {.comm = comm, .handler = MPI_ERRHANDLER_NULL};
    pthread_mutex_lock(&shared.lock);
    if (shared.inside++ == 0) {
        make_fatal(MPI_COMM_WORLD, &shared.world);
        make_fatal(MPI_COMM_SELF, &shared.self);
    }
    pthread_mutex_unlock(&shared.lock);
    if (comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF)
        make_fatal(comm, &was.handler);
    return was;
}

void weft_handler_restore(weft_handler *was)
{
    give_back(was->comm, &was->handler);
    pthread_mutex_lock(&shared.lock);
    if (--shared.inside == 0) {
        give_back(MPI_COMM_SELF, &shared.self);
        give_back(MPI_COMM_WORLD, &shared.world);
    }
    pthread_mutex_unlock(&shared.lock);
}

bool weft_comm_usable(const char *function, MPI_Comm comm, int *rank, int *ranks)
{
    const char *why = unusable(comm);
    if (why) {
        weft_error("%s: %s", function, why);
        return false;
    }
    WEFT_ERRORS_ARE_FATAL(comm);
    MPI_Comm_rank(comm, rank);
    MPI_Comm_size(comm, ranks);
    return true;
}

/* Seconds that ranks wait for one that does not answer. */
static double answer_limit(void)
{
    enum { LIMIT = 60 };
    const char *text = weft_setting("WEFT_ANSWER_LIMIT");
    char *end = NULL;
    const double seconds = text && *text ? weft_number(text, &end) : LIMIT;
    return seconds > 0 && (!end || !*end) ? seconds : LIMIT;
}

bool weft_comm_joint(const char *function, MPI_Comm comm, int *rank, int *ranks)
{
    if (!weft_comm_usable(function, comm, rank, ranks))
        return false;
    WEFT_ERRORS_ARE_FATAL(comm);
    if (weft_communicator_is_open(comm))
        return true;
    switch (weft_handshake(comm, answer_limit())) {
    case WEFT_HANDSHAKE_GOOD:
        return true;
    case WEFT_HANDSHAKE_FAILED:
        weft_error_blame_environment();
        return false;
    case WEFT_HANDSHAKE_ALONE:
        break;
    }
    if (weft_error_text()[0])
        weft_abort("%s: %s", function, weft_error_text());
    pause(); /* for the rank that has the sentence to end all */
    return false;
}

bool weft_is_verbose(void)
{
    const char *verbose = weft_setting("WEFT_VERBOSE");
    return verbose && atoi(verbose) > 0;
}

void weft_complain(MPI_Comm comm)
{
    int rank = 0;
    if (!unusable(comm))
        MPI_Comm_rank(comm, &rank);
    if (rank == 0 && weft_error_is_environment())
        weft_say("%s", weft_error_text());
    else if (rank == 0 && weft_is_verbose())
        fprintf(stderr, "weft: %s\n", weft_error_text());
}

MPI_Comm weft_comm_of(MPI_Fint comm)
{
    return weft_mpi_running() ? MPI_Comm_f2c(comm) : MPI_COMM_NULL;
}
