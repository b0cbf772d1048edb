/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI ends the program when it is called at the wrong time or with a wrong communicator; so ask
 * first. */
#include "api/loaded.h"
#include "api/mpi-state.h"
#include "kernels/base/error.h"

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

static bool running(const char *function)
{
    if (weft_mpi_running())
        return true;
    if (!initialized())
        weft_error("%s: MPI is not initialized; call MPI_Init first", function);
    else
        weft_error("%s: MPI has been finalized; call it before MPI_Finalize", function);
    return false;
}

bool weft_comm_usable(const char *function, MPI_Comm comm, int *rank, int *ranks)
{
    if (!running(function))
        return false;
    if (comm == MPI_COMM_NULL) {
        weft_error("%s: the communicator is MPI_COMM_NULL; only its members may call", function);
        return false;
    }
    int between = 0;
    MPI_Comm_test_inter(comm, &between);
    if (between) {
        weft_error("%s: the communicator is an inter-communicator; pass an ordinary one", function);
        return false;
    }
    MPI_Comm_rank(comm, rank);
    MPI_Comm_size(comm, ranks);
    return true;
}

MPI_Comm weft_comm_of(MPI_Fint comm)
{
    return weft_mpi_running() ? MPI_Comm_f2c(comm) : MPI_COMM_NULL;
}
