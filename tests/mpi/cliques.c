/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulates several nodes on one host with any MPI: MPIR_CVAR_NUM_CLIQUES is their number, and the
 * ranks belong to them in turn. (MPICH 4 does the same by this variable. Open MPI does not know it,
 * and MPICH 5 ignores it.) Test programs link this file; it calls other layers between the program
 * and MPI.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

typedef int split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made);

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    split_type *next;
    int rank;
    const char *cliques = getenv("MPIR_CVAR_NUM_CLIQUES");
    *(void **)&next = dlsym(RTLD_NEXT, "MPI_Comm_split_type");
    if (type != MPI_COMM_TYPE_SHARED || !cliques)
        return next(comm, type, key, info, made);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return MPI_Comm_split(comm, rank % atoi(cliques), key, made);
}
