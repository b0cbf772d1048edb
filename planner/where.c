/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of a node are counted by splitting the communicator; the most of all nodes are what counts.
 */
#include <unistd.h>
#include "agreement.h"
#include "where.h"

void weft_where_find(MPI_Comm comm, const char *precision, weft_where *where, weft_machine *machine)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    MPI_Comm node;
    int length, ranks = 1;
    MPI_Get_library_version(version, &length);
    *where = (weft_where){.precision = precision};
    weft_mpi_name(version, where->mpi, sizeof where->mpi);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &ranks);
    MPI_Comm_free(&node);
    double most[2] = {ranks, (double)sysconf(_SC_NPROCESSORS_ONLN)};
    weft_agree_max_all(comm, most, 2);
    where->per_node = (int)most[0];
    *machine = (weft_machine){.per_node = (int)most[0], .cores = (int)most[1]};
}
