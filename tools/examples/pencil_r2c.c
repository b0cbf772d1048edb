/* SPDX-License-Identifier: BSD-3-Clause */
/* A real 3-d array on a 2-d grid of all ranks, to complex numbers and back: mpicc pencil_r2c.c
 * -lweft -lfftw3 */
#include <math.h>
#include <stdio.h>
#include <weft.h>

int main(int argc, char **argv)
{
    const ptrdiff_t n[3] = {42, 127, 256};
    ptrdiff_t count[3], start[3]; /* this rank's part of the real array: all of the last axis */
    double worst = 0, most;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    weft_grid grid = weft_grid_create(MPI_COMM_WORLD, 2, NULL);
    ptrdiff_t numbers = weft_local_size(3, n, 1, grid, WEFT_DFT_R2C, 0, count, start, NULL, NULL);
    double *real = weft_alloc_real(2 * numbers, MPI_COMM_WORLD);
    fftw_complex *half = weft_alloc_complex(numbers, MPI_COMM_WORLD);
    fftw_plan there = weft_plan_dft_r2c(3, n, real, half, grid, FFTW_ESTIMATE);
    fftw_plan back = weft_plan_dft_c2r(3, n, half, real, grid, FFTW_ESTIMATE);
    if (!there || !back) {
        fprintf(stderr, "no plan: %s\n", weft_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    const ptrdiff_t row = 2 * (n[2] / 2 + 1); /* rows are padded, as FFTW's */
    for (ptrdiff_t i = 0; i < count[0] * count[1] * row; i++)
        real[i] = sin((double)i);
    fftw_execute(there);
    fftw_execute(back);
    for (ptrdiff_t i = 0; i < count[0] * count[1] * row; i++)
        if (i % row < n[2])
            worst = fmax(worst, fabs(real[i] / (double)(n[0] * n[1] * n[2]) - sin((double)i)));
    MPI_Allreduce(&worst, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("largest difference after r2c and c2r: %g\n", most);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    weft_grid_free(grid);
    weft_free(real);
    weft_free(half);
    MPI_Finalize();
    return most < 1e-8 ? 0 : 1;
}
