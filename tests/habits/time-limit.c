/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planning limited: FFTW_PATIENT, but with no time at all, whatever comes of it, which is a plan;
 * with more than enough; and without a limit again. (What comes of limits that end a search in its
 * middle is a matter of luck.)
 */
#include "report.h"

static const int n[] = {16, 12, 10};

static void transform(const char *name, double seconds, unsigned flags, const double *right)
{
    ptrdiff_t count, start;
    fftw_set_timelimit(seconds);
    const ptrdiff_t size = fftw_mpi_local_size_3d(n[0], n[1], n[2], MPI_COMM_WORLD, &count, &start);
    const ptrdiff_t row = 2 * n[1] * n[2];
    fftw_complex *data = fftw_alloc_complex((size_t)size);
    fftw_plan plan = planned(
        fftw_mpi_plan_dft_3d(n[0], n[1], n[2], data, data, MPI_COMM_WORLD, FFTW_FORWARD, flags),
        name);
    fill(data, count * row, start * row);
    fftw_execute(plan);
    compare(name, data, right + start * row, count * row);
    fftw_destroy_plan(plan);
    fftw_free(data);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    look_around();
    fftw_mpi_init();
    double *right = whole_dft(3, n, FFTW_FORWARD);
    transform("no_time", 0, FFTW_PATIENT, right);
    transform("much", 300, FFTW_MEASURE, right);
    transform("any", FFTW_NO_TIMELIMIT, FFTW_MEASURE, right);
    fftw_free(right);
    return verdict();
}
