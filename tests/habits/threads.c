/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries: -lfftw3_mpi -lfftw3_threads -lfftw3 -lm
 *
 * Threads asked for in the order of the manual, before fftw_mpi_init; and, after everything was
 * cleaned up, the other way round, and not before the first plan was made.
 */
#include "report.h"

static const int n[] = {12, 10, 14};

static void transform(const char *name, int threads)
{
    ptrdiff_t count, start;
    if (threads)
        fftw_plan_with_nthreads(threads);
    const ptrdiff_t size = fftw_mpi_local_size_3d(n[0], n[1], n[2], MPI_COMM_WORLD, &count, &start);
    const ptrdiff_t row = 2 * n[1] * n[2];
    fftw_complex *data = fftw_alloc_complex((size_t)size);
    fftw_plan plan = planned(fftw_mpi_plan_dft_3d(n[0], n[1], n[2], data, data, MPI_COMM_WORLD,
                                                  FFTW_FORWARD, FFTW_MEASURE),
                             name);
    double *right = whole_dft(3, n, FFTW_FORWARD);
    fill(data, count * row, start * row);
    fftw_execute(plan);
    compare(name, data, right + start * row, count * row);
    fftw_destroy_plan(plan);
    fftw_free(right);
    fftw_free(data);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    look_around();
    require(fftw_init_threads(), "there are threads");
    fftw_mpi_init();
    transform("before_2", 2);
    transform("before_3", 3);
    transform("before_1", 1);
    fftw_mpi_cleanup();
    fftw_cleanup_threads();

    fftw_mpi_init();
    transform("none", 0);
    require(fftw_init_threads(), "there are threads later, too");
    transform("after_2", 2);
    transform("after_1", 1);
    fftw_cleanup_threads();
    fftw_mpi_cleanup();
    return verdict();
}
