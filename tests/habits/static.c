/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries: -Wl,-Bstatic -lfftw3_mpi -lfftw3 -Wl,-Bdynamic -lm
 *
 * A program that carries FFTW inside: linked to archives, by the line that it has for FFTW's.
 */
#include "report.h"

static const int n[] = {14, 10};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    look_around();
    fftw_mpi_init();
    ptrdiff_t count, start, count1, start1;
    const ptrdiff_t size = fftw_mpi_local_size_2d_transposed(n[0], n[1], MPI_COMM_WORLD, &count,
                                                             &start, &count1, &start1);
    fftw_complex *data = fftw_alloc_complex((size_t)size);
    fftw_plan plan =
        planned(fftw_mpi_plan_dft_2d(n[0], n[1], data, data, MPI_COMM_WORLD, FFTW_FORWARD,
                                     FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT),
                "static");
    double *all = whole_dft(2, n, FFTW_FORWARD),
           *right = turned(all, n[0], n[1], 2, start1, count1);
    fill(data, count * 2 * n[1], start * 2 * n[1]);
    fftw_execute(plan);
    compare("static", data, right, 2 * count1 * n[0]);
    fftw_destroy_plan(plan);
    free(right);
    fftw_free(all);
    fftw_free(data);
    fftw_mpi_cleanup();
    return verdict();
}
