/* SPDX-License-Identifier: BSD-3-Clause */
/* This program calls MPI from C, so that the test needs no MPI for Fortran. */
#include <mpi.h>
#include <stdio.h>

int fortran_transforms(MPI_Fint comm);
void fortran_long_double(MPI_Fint comm);
int fortran_grids(MPI_Fint comm);
int fortran_grids_float(MPI_Fint comm);
int fortran_grids_long(MPI_Fint comm);

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const MPI_Fint world = MPI_Comm_c2f(MPI_COMM_WORLD);
    int wrong = fortran_transforms(world);
    fortran_long_double(world);
#ifdef GRIDS
    wrong += fortran_grids(world) + fortran_grids_float(world) + fortran_grids_long(world);
#endif
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d numbers are wrong\n", wrong);
    MPI_Finalize();
    return wrong != 0;
}
