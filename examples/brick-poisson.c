/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Solves Poisson's equation, Laplace u = f, on bricks: each rank has a block of the periodic cube
 * [0, 2 pi)^3, for example one of 2x2x2 blocks with 8 ranks. The transform goes from the bricks to
 * rows of the spectrum and back. Weft divides the rows so that the least data moves.
 *
 *     mpicc brick-poisson.c -o brick-poisson `pkg-config --cflags --libs weft` -lm
 *     mpiexec -n 8 ./brick-poisson
 */
#include <math.h>
#include <stdio.h>
#include <weft.h>

enum { N = 24, BOXES = 3 };

static const ptrdiff_t n[3] = {N, N, N};

static double exact(double x, double y, double z)
{
    return sin(x) * cos(2 * y) + cos(3 * z) * sin(y - x);
}

static double right_side(double x, double y, double z)
{
    return -5 * sin(x) * cos(2 * y) - 11 * cos(3 * z) * sin(y - x);
}

/* Divides the modes of this rank by minus the square of their wave number. */
static void solve(weft_distribution rows, int rank, fftw_complex *number)
{
    int order[3];
    ptrdiff_t start[3 * BOXES], count[3 * BOXES], k[3];
    const int boxes = weft_distribution_list(rows, rank, order, start, count);
    const int a = order[0], b = order[1], c = order[2]; /* the slowest axis in memory first */
    for (int box = 0; box < boxes; box++) {
        const ptrdiff_t *s = start + 3 * box, *m = count + 3 * box;
        for (k[a] = s[a]; k[a] < s[a] + m[a]; k[a]++)
            for (k[b] = s[b]; k[b] < s[b] + m[b]; k[b]++)
                for (k[c] = s[c]; k[c] < s[c] + m[c]; k[c]++, number++) {
                    double square = 0;
                    for (int axis = 0; axis < 3; axis++) {
                        const double wave = (double)(k[axis] <= N / 2 ? k[axis] : k[axis] - N);
                        square += wave * wave;
                    }
                    (*number)[0] *= square > 0 ? -1 / (square * N * N * N) : 0;
                    (*number)[1] *= square > 0 ? -1 / (square * N * N * N) : 0;
                }
    }
}

/* Sets f, or returns the largest error of u. */
static double visit(weft_distribution bricks, int rank, fftw_complex *number, int set)
{
    const double step = 8 * atan(1) / N;
    double worst = 0;
    ptrdiff_t s[3], m[3];
    weft_distribution_box(bricks, rank, s, m);
    for (ptrdiff_t i = 0; i < m[0] * m[1] * m[2]; i++) {
        const double x = step * (double)(s[0] + i / (m[1] * m[2])),
                     y = step * (double)(s[1] + i / m[2] % m[1]),
                     z = step * (double)(s[2] + i % m[2]);
        if (set) {
            number[i][0] = right_side(x, y, z);
            number[i][1] = 0;
        }
        worst = fmax(worst, fabs(number[i][0] - exact(x, y, z)));
    }
    return worst;
}

int main(int argc, char **argv)
{
    static const int there[3] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_FORWARD};
    static const int back[3] = {WEFT_DFT_BACKWARD, WEFT_DFT_BACKWARD, WEFT_DFT_BACKWARD};
    int rank;
    double most;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    weft_grid grid = weft_grid_create(MPI_COMM_WORLD, 3, NULL);
    weft_distribution bricks = weft_distribution_grid(grid, 3, n, NULL, 0);
    weft_distribution rows = weft_distribution_rows(grid, 3, n, (const int[]){2, 1, 0});
    fftw_complex *u =
        fftw_alloc_complex((size_t)weft_distribution_box(bricks, rank, NULL, NULL) + 1);
    fftw_complex *wave =
        fftw_alloc_complex((size_t)weft_distribution_box(rows, rank, NULL, NULL) + 1);
    fftw_plan forward = weft_plan_between(bricks, rows, 1, u, wave, there, FFTW_ESTIMATE);
    fftw_plan backward = weft_plan_between(rows, bricks, 1, wave, u, back, FFTW_ESTIMATE);
    if (!forward || !backward) {
        fprintf(stderr, "no plan: %s\n", weft_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    visit(bricks, rank, u, 1);
    fftw_execute(forward);
    solve(rows, rank, wave);
    fftw_execute(backward);
    const double worst = visit(bricks, rank, u, 0);
    MPI_Allreduce(&worst, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("brick-poisson: largest error %.1e\n", most);
    fftw_destroy_plan(forward);
    fftw_destroy_plan(backward);
    fftw_free(u);
    fftw_free(wave);
    weft_distribution_free(bricks);
    weft_distribution_free(rows);
    weft_grid_free(grid);
    MPI_Finalize();
    return most < 1e-12 ? 0 : 1;
}
