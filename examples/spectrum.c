/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The power spectrum of a density field, as in cosmology, on a process grid. The field is white
 * noise whose modes get the modulus sqrt(P(k)). The program measures its spectrum in shells of k,
 * by a plan that adds up the squares of the modes and writes none of them.
 *
 *     mpicc spectrum.c -o spectrum `pkg-config --cflags --libs weft` -lm
 *     mpiexec -n 4 ./spectrum spectrum.gnuplot && gnuplot spectrum.gnuplot
 *     mpiexec -n 4 ./spectrum --compare
 *
 * --compare times this plan and a transform with a loop after it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

enum { N = 64, SHELLS = N / 2 };

static const ptrdiff_t n[3] = {N, N, N};
static ptrdiff_t count[3], start[3], count_k[3], start_k[3]; /* of this rank */

/* A number from -1 to 1 that depends only on the point, not on the ranks. */
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

/* P(k): it has its maximum near k = 6. */
static double power(double k)
{
    return k > 0 ? k / (1 + pow(k / 8, 4)) : 0;
}

/* Adds the modes to their shells: their number, their power, and the expected power. */
static void measure(const fftw_complex *mode, ptrdiff_t modes, double shell[SHELLS][3])
{
    for (ptrdiff_t at = 0; at < modes; at++) {
        const ptrdiff_t last = start_k[2] + at % count_k[2];
        const double k = length(at), weight = last > 0 && last < N / 2 ? 2 : 1; /* also for -k */
        if (k + 0.5 >= SHELLS)
            continue;
        double *sum = shell[(int)(k + 0.5)];
        sum[0] += weight;
        sum[1] += weight * (pow(mode[at][0], 2) + pow(mode[at][1], 2)) / pow(N, 6);
        sum[2] += weight * power(k);
    }
}

static double worst_error(double shell[SHELLS][3], const double *by_plan)
{
    double error = 0;
    for (int s = 1; s < SHELLS; s++)
        error = fmax(error, fabs((by_plan ? by_plan[s] : shell[s][1]) / shell[s][2] - 1));
    return error;
}

/* Prints the least seconds of several runs, each way. */
static void compare(fftw_plan measured, fftw_plan there, const fftw_complex *mode, ptrdiff_t modes,
                    int rank)
{
    double least[2] = {HUGE_VAL, HUGE_VAL};
    for (int run = 0; run < 20; run++) {
        double shell[SHELLS][3] = {{0}};
        MPI_Barrier(MPI_COMM_WORLD);
        double seconds = MPI_Wtime(), slowest;
        fftw_execute(run % 2 ? there : measured);
        if (run % 2)
            measure(mode, modes, shell);
        seconds = MPI_Wtime() - seconds;
        MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        least[run % 2] = fmin(least[run % 2], slowest);
    }
    if (rank == 0)
        printf("spectrum: by one plan %.2f ms, by a transform and a loop %.2f ms\n", 1e3 * least[0],
               1e3 * least[1]);
}

static int write_script(const char *name, double shell[SHELLS][3])
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
    double shell[SHELLS][3] = {{0}}, sums[SHELLS] = {0}, error;
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
    weft_shells shells = {{.rank = 3, .n = n, .howmany = 1, .scale = pow(N, -3)}, 1, SHELLS, sums};
    const int kind[3] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_R2C};
    fftw_plan measured =
        weft_plan_fields(3, n, NULL, 1, 0, density, NULL, grid, kind, weft_power_spectrum, &shells,
                         MPI_COMM_NULL, FFTW_ESTIMATE | WEFT_UNPADDED);
    if (!there || !back || !measured)
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
    fftw_execute(measured); /* the field could come from a simulation */
    MPI_Allreduce(MPI_IN_PLACE, sums, SHELLS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    fftw_execute(there); /* once more, with an array of modes */
    measure(mode, modes, shell);
    MPI_Allreduce(MPI_IN_PLACE, shell, SHELLS * 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    error = fmax(worst_error(shell, NULL), worst_error(shell, sums));
    const int compares = argc > 1 && strcmp(argv[1], "--compare") == 0;
    if (compares)
        compare(measured, there, mode, modes, rank);
    if (rank == 0) {
        printf("spectrum: P(10) = %.4f; largest error %.1e\n", shell[10][1] / shell[10][0], error);
        right = error < 1e-12 && (argc < 2 || compares || write_script(argv[1], shell));
    }
    fftw_destroy_plan(measured);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    weft_free(density);
    weft_free(mode);
    weft_grid_free(grid);
    MPI_Finalize();
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
