/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Only on Weft: FFTW-MPI writes to the wrong place here, or crashes.
 *
 * A library whose vectors change from call to call runs its MPI plans on them by the functions of
 * serial FFTW: fftw_execute_dft, and those for real numbers.
 */
#include "report.h"

static const int n[] = {8, 10, 6};

static void complex_vectors(int sign)
{
    ptrdiff_t count, start;
    const ptrdiff_t size = fftw_mpi_local_size_3d(n[0], n[1], n[2], MPI_COMM_WORLD, &count, &start);
    const ptrdiff_t row = 2 * n[1] * n[2];
    fftw_complex *x = fftw_alloc_complex((size_t)size), *y = fftw_alloc_complex((size_t)size);
    fftw_complex *other_x = fftw_alloc_complex((size_t)size),
                 *other_y = fftw_alloc_complex((size_t)size);
    fftw_plan plan =
        planned(fftw_mpi_plan_dft_3d(n[0], n[1], n[2], x, y, MPI_COMM_WORLD, sign, FFTW_ESTIMATE),
                "complex vectors");
    fftw_plan in_place =
        planned(fftw_mpi_plan_dft_3d(n[0], n[1], n[2], x, x, MPI_COMM_WORLD, sign, FFTW_ESTIMATE),
                "in place");
    double *right = whole_dft(3, n, sign);
    fill(other_x, count * row, start * row);
    fftw_execute_dft(plan, other_x, other_y);
    compare("complex", other_y, right + start * row, count * row);
    fill(other_x, count * row, start * row);
    fftw_execute_dft(in_place, other_x, other_x);
    compare("in_place", other_x, right + start * row, count * row);
    fftw_destroy_plan(plan);
    fftw_destroy_plan(in_place);
    fftw_free(right);
    fftw_free(x);
    fftw_free(y);
    fftw_free(other_x);
    fftw_free(other_y);
}

static void real_vectors(void)
{
    ptrdiff_t count, start;
    const ptrdiff_t size =
        fftw_mpi_local_size_3d(n[0], n[1], n[2] / 2 + 1, MPI_COMM_WORLD, &count, &start);
    const ptrdiff_t row = n[1] * padded(n[2]), lines = count * n[1];
    double *x = fftw_alloc_real(2 * (size_t)size), *other_x = fftw_alloc_real(2 * (size_t)size);
    fftw_complex *y = fftw_alloc_complex((size_t)size), *other_y = fftw_alloc_complex((size_t)size);
    fftw_plan there = planned(
        fftw_mpi_plan_dft_r2c_3d(n[0], n[1], n[2], x, y, MPI_COMM_WORLD, FFTW_ESTIMATE), "r2c");
    fftw_plan back = planned(
        fftw_mpi_plan_dft_c2r_3d(n[0], n[1], n[2], y, x, MPI_COMM_WORLD, FFTW_ESTIMATE), "c2r");
    double *right = whole_r2c(3, n);
    for (int as_complex = 0; as_complex < 2; as_complex++) {
        fill_padded(other_x, lines, n[2], start * n[1]);
        if (as_complex)
            fftw_execute_dft(there, (fftw_complex *)other_x, other_y);
        else
            fftw_execute_dft_r2c(there, other_x, other_y);
        compare("r2c", other_y, right + start * row, count * row);
        if (as_complex)
            fftw_execute_dft(back, other_y, (fftw_complex *)other_x);
        else
            fftw_execute_dft_c2r(back, other_y, other_x);
        remove_padding(other_x, lines, n[2]);
        compare_scaled("c2r", other_x, n[0] * n[1] * n[2], lines * n[2], start * n[1] * n[2]);
    }
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(right);
    fftw_free(x);
    fftw_free(y);
    fftw_free(other_x);
    fftw_free(other_y);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    look_around();
    fftw_mpi_init();
    complex_vectors(FFTW_FORWARD);
    complex_vectors(FFTW_BACKWARD);
    real_vectors();
    return verdict();
}
