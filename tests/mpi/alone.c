/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An MPI that reports each rank alone on its node, as some do for some networks. A test program
 * links this file.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <mpi.h>

typedef int split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made);

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    int rank;
    split_type *next;
    MPI_Comm_rank(comm, &rank);
    if (type == MPI_COMM_TYPE_SHARED)
        return MPI_Comm_split(comm, rank, 0, made);
    *(void **)&next = dlsym(RTLD_NEXT, "MPI_Comm_split_type");
    return next(comm, type, key, info, made);
}
