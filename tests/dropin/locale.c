/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose numbers have decimal commas, as its user's locale says: plans, and reports. */
#include <fftw3-mpi.h>
#include <locale.h>
#include <stdio.h>
#include <weft.h>

int main(int argc, char **argv)
{
    ptrdiff_t rows, first;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    setlocale(LC_ALL, "");
    const ptrdiff_t size = fftw_mpi_local_size_2d(16, 12, MPI_COMM_WORLD, &rows, &first);
    fftw_complex *data = fftw_alloc_complex((size_t)size);
    fftw_plan plan =
        fftw_mpi_plan_dft_2d(16, 12, data, data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE);
    printf("a half is %g\n", 0.5);
    if (!plan)
        printf("no plan: %s\n", weft_last_error());
    if (plan)
        weft_plan_report_json(plan, stdout);
    printf("a half is %g\n", 0.5);
    fftw_destroy_plan(plan);
    fftw_free(data);
    MPI_Finalize();
    return 0;
}
