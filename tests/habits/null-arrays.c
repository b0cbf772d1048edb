/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans made with FFTW_ESTIMATE before there are any arrays, for NULL, and run by the new-array
 * functions: in place, as NULL equals NULL.
 */
#include "report.h"

static const int n[] = {8, 6, 10};
static ptrdiff_t size, count, start;
static double *data;

static void complex_numbers(void)
{
    const ptrdiff_t row = 2 * n[1] * n[2];
    fftw_plan there = planned(fftw_mpi_plan_dft_3d(n[0], n[1], n[2], NULL, NULL, MPI_COMM_WORLD,
                                                   FFTW_FORWARD, FFTW_ESTIMATE),
                              "dft");
    double *right = whole_dft(3, n, FFTW_FORWARD);
    fill(data, count * row, start * row);
    fftw_mpi_execute_dft(there, (fftw_complex *)data, (fftw_complex *)data);
    compare("dft", data, right + start * row, count * row);
    fftw_destroy_plan(there);
    fftw_free(right);
}

static void real_numbers(void)
{
    const ptrdiff_t row = n[1] * padded(n[2]), lines = count * n[1];
    fftw_plan there = planned(
        fftw_mpi_plan_dft_r2c_3d(n[0], n[1], n[2], NULL, NULL, MPI_COMM_WORLD, FFTW_ESTIMATE),
        "r2c");
    fftw_plan back = planned(
        fftw_mpi_plan_dft_c2r_3d(n[0], n[1], n[2], NULL, NULL, MPI_COMM_WORLD, FFTW_ESTIMATE),
        "c2r");
    double *right = whole_r2c(3, n);
    fill_padded(data, lines, n[2], start * n[1]);
    fftw_mpi_execute_dft_r2c(there, data, (fftw_complex *)data);
    compare("r2c", data, right + start * row, count * row);
    fftw_mpi_execute_dft_c2r(back, (fftw_complex *)data, data);
    remove_padding(data, lines, n[2]);
    compare_scaled("c2r", data, n[0] * n[1] * n[2], lines * n[2], start * n[1] * n[2]);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(right);
}

/* There and back: the cosine transforms, each with its inverse. */
static void cosines(void)
{
    const ptrdiff_t row = n[1] * n[2];
    fftw_plan there =
        planned(fftw_mpi_plan_r2r_3d(n[0], n[1], n[2], NULL, NULL, MPI_COMM_WORLD, FFTW_REDFT10,
                                     FFTW_RODFT10, FFTW_REDFT11, FFTW_ESTIMATE),
                "r2r");
    fftw_plan back =
        planned(fftw_mpi_plan_r2r_3d(n[0], n[1], n[2], NULL, NULL, MPI_COMM_WORLD, FFTW_REDFT01,
                                     FFTW_RODFT01, FFTW_REDFT11, FFTW_ESTIMATE),
                "r2r back");
    fill(data, count * row, start * row);
    fftw_mpi_execute_r2r(there, data, data);
    show("r2r", data, (int)(count * row));
    fftw_mpi_execute_r2r(back, data, data);
    compare_scaled("r2r_back", data, 8 * n[0] * n[1] * n[2], count * row, start * row);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
}

static void transpose(void)
{
    ptrdiff_t rows, row_start, columns, column_start;
    const ptrdiff_t enough = fftw_mpi_local_size_2d_transposed(14, 9, MPI_COMM_WORLD, &rows,
                                                               &row_start, &columns, &column_start);
    fftw_plan plan = planned(
        fftw_mpi_plan_transpose(14, 9, NULL, NULL, MPI_COMM_WORLD, FFTW_ESTIMATE), "transpose");
    double *matrix = fftw_alloc_real((size_t)enough), all[14 * 9];
    fill(all, 14 * 9, 0);
    fill(matrix, rows * 9, row_start * 9);
    fftw_mpi_execute_r2r(plan, matrix, matrix);
    double *right = turned(all, 14, 9, 1, column_start, columns);
    compare("transpose", matrix, right, columns * 14);
    fftw_destroy_plan(plan);
    fftw_free(matrix);
    free(right);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    look_around();
    fftw_mpi_init();
    size = fftw_mpi_local_size_3d(n[0], n[1], n[2], MPI_COMM_WORLD, &count, &start);
    data = fftw_alloc_real(2 * (size_t)size);
    complex_numbers();
    real_numbers();
    cosines();
    transpose();
    fftw_free(data);
    return verdict();
}
