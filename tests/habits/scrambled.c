/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A long signal filtered: there with FFTW_MPI_SCRAMBLED_OUT, the spectrum changed number by number,
 * which needs no order, and back with FFTW_MPI_SCRAMBLED_IN. What comes out is the signal folded
 * with itself.
 */
#include "report.h"

static void square(fftw_complex *waves, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        const double re = waves[i][0], im = waves[i][1];
        waves[i][0] = re * re - im * im;
        waves[i][1] = 2 * re * im;
    }
}

static double *folded(int n)
{
    fftw_complex *all = (fftw_complex *)whole_dft(1, &n, FFTW_FORWARD);
    square(all, n);
    fftw_complex *right = fftw_alloc_complex((size_t)n);
    fftw_plan plan = fftw_plan_dft_1d(n, all, right, FFTW_BACKWARD, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    fftw_free(all);
    return (double *)right;
}

static void filter(int n, unsigned flags, int in_place)
{
    const unsigned out_of_order = ranks > 1 ? FFTW_MPI_SCRAMBLED_OUT : 0;
    const unsigned into_order = ranks > 1 ? FFTW_MPI_SCRAMBLED_IN : 0;
    ptrdiff_t in, in_start, out, out_start, back, back_start, end, end_start;
    const ptrdiff_t there_size = fftw_mpi_local_size_1d(
        n, MPI_COMM_WORLD, FFTW_FORWARD, flags | out_of_order, &in, &in_start, &out, &out_start);
    const ptrdiff_t back_size = fftw_mpi_local_size_1d(
        n, MPI_COMM_WORLD, FFTW_BACKWARD, flags | into_order, &back, &back_start, &end, &end_start);
    require(back == out && back_start == out_start, "one way takes what the other has left");
    require(end == in && end_start == in_start, "and leaves what the other has taken");
    const size_t size = (size_t)(there_size > back_size ? there_size : back_size);
    fftw_complex *signal = fftw_alloc_complex(size),
                 *waves = in_place ? signal : fftw_alloc_complex(size);
    fftw_plan there = planned(
        fftw_mpi_plan_dft_1d(n, signal, waves, MPI_COMM_WORLD, FFTW_FORWARD, flags | out_of_order),
        "there");
    fftw_plan again = planned(
        fftw_mpi_plan_dft_1d(n, waves, signal, MPI_COMM_WORLD, FFTW_BACKWARD, flags | into_order),
        "back");
    fill(signal, 2 * in, 2 * in_start);
    fftw_execute(there);
    square(waves, out);
    fftw_execute(again);
    double *right = folded(n);
    compare("folded", signal, right + 2 * in_start, 2 * in);
    fftw_destroy_plan(there);
    fftw_destroy_plan(again);
    fftw_free(right);
    if (!in_place)
        fftw_free(waves);
    fftw_free(signal);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    look_around();
    fftw_mpi_init();
    filter(72, FFTW_ESTIMATE, 0);
    filter(180, FFTW_MEASURE, 1);
    filter(256, FFTW_ESTIMATE, 1);
    return verdict();
}
