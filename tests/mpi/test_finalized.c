/* SPDX-License-Identifier: BSD-3-Clause */
/* After MPI_Finalize: programs can destroy plans, and functions that need MPI fail with a sentence.
 */
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

static bool says_late(void)
{
    return strstr(WEFT(last_error)(), "cannot run after MPI_Finalize") != NULL;
}

int main(int argc, char **argv)
{
    ptrdiff_t count, start;
    FFTW(complex) *array = FFTW(alloc_complex)(64);
    MPI_Init(&argc, &argv);
    FFTW(plan)
    plan = FFTW(mpi_plan_dft_2d)(8, 8, array, array, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    hold(plan != NULL, "no plan before MPI_Finalize");
    FFTW(plan)
    kept = FFTW(mpi_plan_dft_2d)(8, 8, array, array, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    /* execute_many must not run the first plan, because it cannot run the second. */
    FFTW(complex) *single = FFTW(alloc_complex)(64);
    FFTW(plan)
    alone = FFTW(mpi_plan_dft_2d)(8, 8, single, single, MPI_COMM_SELF, FFTW_FORWARD, FFTW_ESTIMATE);
    hold(alone != NULL, "no plan of one rank before MPI_Finalize");
    FFTW(plan) many[] = {alone, kept};
    void *arrays[] = {single, array};
    weft_real *shared = WEFT(alloc_real)(1000000, MPI_COMM_WORLD);
    weft_grid grid = WEFT(grid_create)(MPI_COMM_WORLD, 1, NULL);
    weft_distribution rows = WEFT(distribution_rows)(grid, 2, (const ptrdiff_t[]){8, 8}, NULL);
    hold(shared && WEFT(alloc_real)(10, MPI_COMM_WORLD), "no memory before MPI_Finalize");
    MPI_Finalize();

    FFTW(destroy_plan)(plan);
    /* Plans of several ranks do not run; a plan of one rank needs no MPI. */
    array[0][0] = 7;
    memset(single, 0, 64 * sizeof *single);
    single[1][0] = 7;
    if (ranks > 1) {
        FFTW(execute)(kept);
        hold(array[0][0] == 7 && says_late(), "fftw_execute");
        FFTW(mpi_execute_dft)(kept, array, array);
        hold(array[0][0] == 7 && says_late(), "fftw_mpi_execute_dft");
        hold(!WEFT(execute_start)(kept, array, array) && says_late(), "execute_start");
        hold(!WEFT(execute_many)(2, many, arrays, arrays) && says_late(), "execute_many");
        hold(single[0][0] == 0 && WEFT(execute_start)(alone, single, single) &&
                 WEFT(execute_finish)(alone),
             "execute_many has started a plan");
    } else {
        FFTW(execute)(kept);
    }
    hold(!WEFT(plan_report)(kept, NULL) && strstr(WEFT(last_error)(), "file is NULL"), "a report");
    hold(!WEFT(plan_report_json)(kept, NULL) && strstr(WEFT(last_error)(), "file is NULL"),
         "a report as JSON");
    FFTW(destroy_plan)(kept);
    FFTW(destroy_plan)(alone);
    WEFT(free)(shared);
    hold(!WEFT(plan_redistribute)(rows, rows, 1, NULL, NULL, 0) && says_finalized(), "moving rows");
    WEFT(distribution_free)(rows);
    WEFT(grid_free)(grid);
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
    FFTW(free)(single);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
