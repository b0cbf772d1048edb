/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The power spectrum of a density field, as in cosmology, on a process grid. The field is white
 * noise whose modes get the modulus sqrt(P(k)). The program measures its spectrum in shells of k.
 *
 *     mpicc spectrum.c -o spectrum `pkg-config --cflags --libs weft` -lm
 *     mpiexec -n 4 ./spectrum spectrum.gnuplot && gnuplot spectrum.gnuplot
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft.h>

enum { N = 64, SHELLS = N / 2 };

static const ptrdiff_t n[3] = {N, N, N};
static ptrdiff_t count[3], start[3], count_k[3], start_k[3]; /* of this rank */

/* From -1 to 1, depending on the point alone and not on the ranks. */
static double noise(ptrdiff_t i, ptrdiff_t j, ptrdiff_t k)
{
    return fmod(43758.5453 * sin(12.9898 * (double)((i * N + j) * N + k)), 1);
}

static double wave(ptrdiff_t i)
{
    return (double)(i <= N / 2 ? i : i - N);
}

/* |k| of a mode of this rank. */
static double length(ptrdiff_t at)
{
    const double i = wave(start_k[0] + at / (count_k[1] * count_k[2])),
                 j = wave(start_k[1] + at / count_k[2] % count_k[1]),
                 k = wave(start_k[2] + at % count_k[2]);
    return sqrt(i * i + j * j + k * k);
}

/* It rises, has its maximum near k = 6, and falls. */
static double power(double k)
{
    return k > 0 ? k / (1 + pow(k / 8, 4)) : 0;
}

/* Adds the modes to their shells: how many, their power, and what it should be. */
static void measure(const fftw_complex *mode, ptrdiff_t modes, double shell[SHELLS + 1][3])
{
    for (ptrdiff_t at = 0; at < modes; at++) {
        const ptrdiff_t last = start_k[2] + at % count_k[2];
        const double k = length(at), weight = last > 0 && last < N / 2 ? 2 : 1; /* also for -k */
        double *sum = shell[(int)fmin(k + 0.5, SHELLS)];
        sum[0] += weight;
        sum[1] += weight * (pow(mode[at][0], 2) + pow(mode[at][1], 2)) / pow(N, 6);
        sum[2] += weight * power(k);
    }
    MPI_Allreduce(MPI_IN_PLACE, shell, (SHELLS + 1) * 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static int write_script(const char *name, double shell[SHELLS + 1][3])
{
    FILE *file = fopen(name, "w");
    if (!file)
        return fprintf(stderr, "spectrum: %s cannot be written\n", name) < 0;
    fputs("$shells << END\n", file);
    for (int s = 1; s < SHELLS; s++)
        fprintf(file, "%d %.6g %.6g\n", s, shell[s][1] / shell[s][0], shell[s][2] / shell[s][0]);
    fputs("END\nset terminal svg size 640,420 background 'white'\nset output 'spectrum.svg'\nset "
          "logscale xy\n"
          "set xlabel 'k'\nset ylabel 'P(k)'\n"
          "plot $shells using 1:3 with lines title 'given', $shells using 1:2 with points pt 7 "
          "title 'measured'\n",
          file);
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    double shell[SHELLS + 1][3] = {{0}}, error = 0;
    int rank, right = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    weft_grid grid = weft_grid_create(MPI_COMM_WORLD, 2, NULL);
    const ptrdiff_t numbers =
        weft_local_size(3, n, 1, grid, WEFT_DFT_R2C, WEFT_UNPADDED, count, start, count_k, start_k);
    double *density = weft_alloc_real(2 * numbers, MPI_COMM_WORLD);
    fftw_complex *mode = weft_alloc_complex(numbers, MPI_COMM_WORLD);
    fftw_plan there = weft_plan_dft_r2c(3, n, density, mode, grid, FFTW_ESTIMATE | WEFT_UNPADDED);
    fftw_plan back = weft_plan_dft_c2r(3, n, mode, density, grid, FFTW_ESTIMATE | WEFT_UNPADDED);
    if (!there || !back)
        MPI_Abort(MPI_COMM_WORLD, fprintf(stderr, "spectrum: %s\n", weft_last_error()));

    const ptrdiff_t points = count[0] * count[1] * count[2],
                    modes = count_k[0] * count_k[1] * count_k[2];
    for (ptrdiff_t at = 0; at < points; at++)
        density[at] = noise(start[0] + at / (count[1] * N), start[1] + at / N % count[1], at % N);
    fftw_execute(there);
    for (ptrdiff_t at = 0; at < modes; at++) {
        const double factor = sqrt(power(length(at))) / hypot(mode[at][0], mode[at][1]);
        mode[at][0] *= factor;
        mode[at][1] *= factor;
    }
    fftw_execute(back);
    fftw_execute(there); /* the field is there; from here on it could come from a simulation */
    measure(mode, modes, shell);
    for (int s = 1; s < SHELLS; s++)
        error = fmax(error, fabs(shell[s][1] / shell[s][2] - 1));
    if (rank == 0) {
        printf("spectrum: P(10) = %.4f; largest error %.1e\n", shell[10][1] / shell[10][0], error);
        right = error < 1e-12 && (argc < 2 || write_script(argv[1], shell));
    }
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    weft_free(density);
    weft_free(mode);
    weft_grid_free(grid);
    MPI_Finalize();
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
