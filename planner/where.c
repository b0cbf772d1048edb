/* SPDX-License-Identifier: BSD-3-Clause */
/* The most ranks of all nodes are what counts. */
#include <unistd.h>
#include "agreement.h"
#include "communicator.h"
#include "where.h"

static int ranks_on_this_node(MPI_Comm comm, const int *node)
{
    int rank, ranks, here = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int r = 0; r < ranks; r++)
        here += node[r] == node[rank];
    return here;
}

bool weft_where_find(MPI_Comm comm, const char *precision, weft_where *where, weft_machine *machine)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    weft_communicator *communicator = weft_communicator_open(comm);
    if (!communicator)
        return false; /* on all ranks */
    double most[2] = {ranks_on_this_node(comm, weft_communicator_nodes(communicator)),
                      (double)sysconf(_SC_NPROCESSORS_ONLN)};
    weft_communicator_close(communicator);
    MPI_Get_library_version(version, &length);
    *where = (weft_where){.precision = precision};
    weft_mpi_name(version, where->mpi, sizeof where->mpi);
    weft_agree_max_all(comm, most, 2);
    where->per_node = (int)most[0];
    *machine = (weft_machine){.per_node = (int)most[0], .cores = (int)most[1]};
    return true;
}
