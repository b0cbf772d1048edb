/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two problems on so many ranks that FFTW-MPI crashes while it plans them: 256^3 on 28 ranks, and
 * 448 x 352 x 354, through plan_many_dft, on 56. Planned, and run once in place. The input is a
 * wave and a delta function, whose transforms are known at every point: no other transform of that
 * size is needed. Nothing in here is of Weft.
 */
#include <complex.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double two_pi = 6.283185307179586477;

typedef struct {
    ptrdiff_t n[3];
    ptrdiff_t wave[3];  /* its frequency along each axis */
    ptrdiff_t delta[3]; /* where it is */
    double complex *axis[3];
} problem;

/* exp(sign 2 pi i frequency k / n) along each axis. */
static void make_axes(problem *it, const ptrdiff_t frequency[3], int sign)
{
    for (int a = 0; a < 3; a++)
        for (ptrdiff_t k = 0; k < it->n[a]; k++) {
            const double part = (double)(frequency[a] * k % it->n[a]) / (double)it->n[a];
            it->axis[a][k] = cexp(sign * I * two_pi * part);
        }
}

static int is_at(const ptrdiff_t place[3], ptrdiff_t x, ptrdiff_t y, ptrdiff_t z)
{
    return place[0] == x && place[1] == y && place[2] == z;
}

/* The wave has 1 everywhere; the delta function the root of the number of points, as its transform
 * has everywhere: so that rounding errors of one do not hide the other. */
static void fill(problem *it, double high, ptrdiff_t start, ptrdiff_t count, double complex *data)
{
    make_axes(it, it->wave, 1);
    for (ptrdiff_t x = start; x < start + count; x++)
        for (ptrdiff_t y = 0; y < it->n[1]; y++) {
            const double complex row = it->axis[0][x] * it->axis[1][y];
            for (ptrdiff_t z = 0; z < it->n[2]; z++)
                *data++ = row * it->axis[2][z] + (is_at(it->delta, x, y, z) ? high : 0);
        }
}

/* The largest error, of numbers of the size of `high`, at one point of high * high. */
static double worst(problem *it, double high, ptrdiff_t start, ptrdiff_t count,
                    const double complex *data)
{
    double most = 0;
    make_axes(it, it->delta, -1);
    for (ptrdiff_t x = start; x < start + count; x++)
        for (ptrdiff_t y = 0; y < it->n[1]; y++) {
            const double complex row = high * it->axis[0][x] * it->axis[1][y];
            for (ptrdiff_t z = 0; z < it->n[2]; z++) {
                const int peak = is_at(it->wave, x, y, z);
                const double complex error =
                    *data++ - row * it->axis[2][z] - (peak ? high * high : 0);
                const double size = fmax(fabs(creal(error)), fabs(cimag(error))) / high;
                /* Not a number is not right, either. */
                if (!(size <= most))
                    most = size;
            }
        }
    return most;
}

static fftw_plan plan(const problem *it, int ranks, fftw_complex *data)
{
    const ptrdiff_t *n = it->n;
    return ranks == 28
               ? fftw_mpi_plan_dft_3d(n[0], n[1], n[2], data, data, MPI_COMM_WORLD, FFTW_FORWARD,
                                      FFTW_ESTIMATE)
               : fftw_mpi_plan_many_dft(3, n, 1, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK,
                                        data, data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
}

int main(int argc, char **argv)
{
    static const problem problems[] = {
        {.n = {256, 256, 256}, .wave = {3, 255, 100}, .delta = {200, 1, 77}},
        {.n = {448, 352, 354}, .wave = {447, 5, 300}, .delta = {10, 351, 133}}};
    int rank, ranks;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    problem it = problems[ranks != 28];
    const double high = sqrt((double)it.n[0] * (double)it.n[1] * (double)it.n[2]);
    for (int a = 0; a < 3; a++)
        it.axis[a] = malloc(sizeof *it.axis[a] * (size_t)it.n[a]);

    ptrdiff_t count, start;
    const ptrdiff_t size = fftw_mpi_local_size_many(3, it.n, 1, FFTW_MPI_DEFAULT_BLOCK,
                                                    MPI_COMM_WORLD, &count, &start);
    fftw_complex *data = fftw_alloc_complex((size_t)size);
    fftw_plan there = plan(&it, ranks, data);
    double mine = 1, all;
    if (there) {
        fill(&it, high, start, count, (double complex *)data);
        fftw_execute(there);
        mine = worst(&it, high, start, count, (const double complex *)data);
    }
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const int right = there && all < 1e-10;
    if (rank == 0)
        printf("%td x %td x %td on %d ranks: %s, the largest error is %.3g\n", it.n[0], it.n[1],
               it.n[2], ranks, there ? "planned" : "no plan", all);
    fftw_destroy_plan(there);
    fftw_free(data);
    for (int a = 0; a < 3; a++)
        free(it.axis[a]);
    MPI_Finalize();
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
