/* SPDX-License-Identifier: BSD-3-Clause */
/* The most ranks of all nodes are what counts. */
#include <ctype.h>
#include <unistd.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "planner/environment.h"
#include "planner/path/process-grid.h"

static int ranks_on_this_node(MPI_Comm comm, const int *node)
{
    int rank, ranks, here = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int r = 0; r < ranks; r++)
        here += node[r] == node[rank];
    return here;
}

void weft_mpi_name(const char *version, char *text, size_t room)
{
    size_t used = 0;
    bool blank = false;
    for (; *version && *version != '\n' && *version != ',' && used + 2 < room; version++) {
        const unsigned char letter = (unsigned char)*version;
        if (isalnum(letter) || letter == '.') {
            if (blank && used > 0)
                text[used++] = '-';
            text[used++] = (char)letter;
        }
        blank = !isalnum(letter) && letter != '.';
    }
    text[used] = '\0';
}

bool weft_environment_find(MPI_Comm comm, const char *precision, weft_environment *environment)
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
    *environment = (weft_environment){.precision = precision};
    weft_mpi_name(version, environment->mpi, sizeof environment->mpi);
    weft_agree_max_all(comm, most, 2);
    environment->machine = (weft_machine){.per_node = (int)most[0], .cores = (int)most[1]};
    return weft_process_grid_wish(comm, &environment->between);
}
