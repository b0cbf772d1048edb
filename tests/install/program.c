/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program like those that users write for FFTW-MPI, in C and in C++. It transforms one plane
 * wave, which must become one peak. Every rank then exits with status 0.
 */
#include <fftw3-mpi.h>
#ifdef USE_WEFT_H
#include <weft.h>
#endif
#include <math.h>
#include <stdio.h>

#ifdef WEFT_SINGLE
#define FFTW(name) fftwf_##name
#define W(name)    weftf_##name
#elif defined(WEFT_LONG_DOUBLE)
#define FFTW(name) fftwl_##name
#define W(name)    weftl_##name
#else
#define FFTW(name) fftw_##name
#define W(name)    weft_##name
#endif

enum { N0 = 8, N1 = 6, N2 = 4, K0 = 3, K1 = 2, K2 = 1 };

/* Turns of the wave at a point. */
static double turns(ptrdiff_t i0, ptrdiff_t i1, ptrdiff_t i2)
{
    return (double)(K0 * i0) / N0 + (double)(K1 * i1) / N1 + (double)(K2 * i2) / N2;
}

static double wrong(const FFTW(complex) * data, ptrdiff_t start, ptrdiff_t count)
{
    double most = 0;
    for (ptrdiff_t i = 0; i < count * N1 * N2; i++) {
        ptrdiff_t place = start * N1 * N2 + i;
        double wanted = place == (K0 * N1 + K1) * N2 + K2 ? N0 * N1 * N2 : 0;
        most = fmax(most, hypot((double)data[i][0] - wanted, (double)data[i][1]));
    }
    return most;
}

int main(int argc, char **argv)
{
    ptrdiff_t count, start;
    int rank, ranks;

    MPI_Init(&argc, &argv);
    FFTW(mpi_init)();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ptrdiff_t size = FFTW(mpi_local_size_3d)(N0, N1, N2, MPI_COMM_WORLD, &count, &start);
    FFTW(complex) *data = FFTW(alloc_complex)((size_t)size);
    FFTW(plan)
    plan =
        FFTW(mpi_plan_dft_3d)(N0, N1, N2, data, data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE);
    double most = 1;
    if (plan) {
        for (ptrdiff_t i = 0; i < count * N1 * N2; i++) {
            double angle =
                2 * 3.14159265358979323846 * turns(start + i / (N1 * N2), i / N2 % N1, i % N2);
            data[i][0] = cos(angle);
            data[i][1] = sin(angle);
        }
        FFTW(execute)(plan);
        most = wrong(data, start, count);
        FFTW(destroy_plan)(plan);
    }
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
#ifdef USE_WEFT_H
        printf("Weft %s, ", W(version)());
#endif
        printf("largest error %.2g on %d ranks\n", most, ranks);
    }
    FFTW(free)(data);
    FFTW(mpi_cleanup)();
    MPI_Finalize();
    return most < 1e-4 ? 0 : 1;
}
