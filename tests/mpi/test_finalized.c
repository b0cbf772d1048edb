/* SPDX-License-Identifier: BSD-3-Clause */
/* After MPI_Finalize: plans can be destroyed, and whatever needs MPI says that it is gone. */
#include "api/fftw3-mpi.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/precision.h"
#include "api/weft.h"

static int wrong;

static void hold(bool condition, const char *what)
{
    if (!condition) {
        printf("%s; the last error: \"%s\"\n", what, WEFT(last_error)());
        wrong = 1;
    }
}

static bool says_finalized(void)
{
    return strstr(WEFT(last_error)(), "has been finalized") != NULL;
}

int main(int argc, char **argv)
{
    ptrdiff_t count, start;
    FFTW(complex) *array = FFTW(alloc_complex)(64);
    MPI_Init(&argc, &argv);
    FFTW(plan)
    plan = FFTW(mpi_plan_dft_2d)(8, 8, array, array, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    hold(plan != NULL, "no plan before MPI_Finalize");
    weft_real *shared = WEFT(alloc_real)(1000000, MPI_COMM_WORLD);
    hold(shared && WEFT(alloc_real)(10, MPI_COMM_WORLD), "no memory before MPI_Finalize");
    MPI_Finalize();

    FFTW(destroy_plan)(plan);
    WEFT(free)(shared);
    hold(!WEFT(alloc_real)(10, MPI_COMM_WORLD) && says_finalized(), "alloc_real");
    plan = FFTW(mpi_plan_dft_2d)(8, 8, array, array, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    hold(plan == NULL && says_finalized(), "planning");
    hold(FFTW(mpi_local_size_2d)(8, 8, MPI_COMM_WORLD, &count, &start) == 0 && says_finalized(),
         "local_size");
    FFTW(mpi_gather_wisdom)(MPI_COMM_WORLD);
    hold(says_finalized(), "gather_wisdom");
    FFTW(mpi_init)();
    FFTW(mpi_cleanup)();
    FFTW(free)(array);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
