/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fewer rows than ranks: some ranks hold nothing, have arrays of no bytes, and take part all the
 * same. And transposes of no numbers at all, in the place of a field that this run does not have.
 */
#include "report.h"

#define ROWS 2

static void few_rows(unsigned flags)
{
    const int n[] = {ROWS, 8, 6};
    ptrdiff_t count, start;
    const ptrdiff_t size =
        fftw_mpi_local_size_3d(n[0], n[1], n[2] / 2 + 1, MPI_COMM_WORLD, &count, &start);
    const ptrdiff_t row = n[1] * padded(n[2]);
    double *in = fftw_malloc(sizeof *in * 2 * (size_t)size), *right = whole_r2c(3, n);
    fftw_complex *out = fftw_malloc(sizeof *out * (size_t)size);
    fftw_plan there =
        planned(fftw_mpi_plan_dft_r2c_3d(n[0], n[1], n[2], in, out, MPI_COMM_WORLD, flags),
                "few rows, there");
    fftw_plan back =
        planned(fftw_mpi_plan_dft_c2r_3d(n[0], n[1], n[2], out, in, MPI_COMM_WORLD, flags),
                "few rows, back");
    fill_padded(in, count * n[1], n[2], start * n[1]);
    fftw_execute(there);
    compare("there", out, right + start * row, count * row);
    fftw_execute(back);
    remove_padding(in, count * n[1], n[2]);
    compare_scaled("back", in, n[0] * n[1] * n[2], count * n[1] * n[2], start * n[1] * n[2]);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(right);
    fftw_free(out);
    fftw_free(in);
}

/* A wide matrix: whoever has no rows before has columns later. */
static void wide_matrix(ptrdiff_t fields, unsigned flags)
{
    enum { COLUMNS = 23 };
    const ptrdiff_t n[] = {ROWS, COLUMNS}, block = FFTW_MPI_DEFAULT_BLOCK, column = ROWS * fields;
    ptrdiff_t rows, row_start, columns, column_start;
    const ptrdiff_t size = fftw_mpi_local_size_many_transposed(
        2, n, fields, block, block, MPI_COMM_WORLD, &rows, &row_start, &columns, &column_start);
    double *matrix = fftw_alloc_real((size_t)size);
    double *all = malloc(sizeof *all * (size_t)(COLUMNS * column));
    fftw_plan plan = planned(fftw_mpi_plan_many_transpose(ROWS, COLUMNS, fields, block, block,
                                                          matrix, matrix, MPI_COMM_WORLD, flags),
                             "wide matrix");
    fill(all, COLUMNS * column, 0);
    fill(matrix, rows * COLUMNS * fields, row_start * COLUMNS * fields);
    fftw_execute(plan);
    double *right = turned(all, ROWS, COLUMNS, fields, column_start, columns);
    compare("matrix", matrix, right, columns * column);
    fftw_destroy_plan(plan);
    fftw_free(matrix);
    free(right);
    free(all);
}

/* Whatever comes of it, a plan or none: it moves nothing. */
static void nothing(ptrdiff_t rows, ptrdiff_t fields)
{
    double untouched[] = {1, 2, 3};
    fftw_plan plan = fftw_mpi_plan_many_transpose(rows, 5, fields, FFTW_MPI_DEFAULT_BLOCK,
                                                  FFTW_MPI_DEFAULT_BLOCK, untouched, untouched,
                                                  MPI_COMM_WORLD, FFTW_ESTIMATE);
    const double planned_any[] = {plan != NULL};
    if (plan)
        fftw_execute(plan);
    fftw_destroy_plan(plan);
    show("nothing_planned", planned_any, 1);
    compare("nothing", untouched, (double[]){1, 2, 3}, 3);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    look_around();
    fftw_mpi_init();
    few_rows(FFTW_ESTIMATE);
    few_rows(FFTW_MEASURE);
    wide_matrix(3, FFTW_MEASURE);
    wide_matrix(1, FFTW_ESTIMATE);
    nothing(0, 1);
    nothing(ROWS, 0);
    return verdict();
}
