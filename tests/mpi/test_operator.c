/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans with an operator between the forward and the backward transform, compared with serial FFTW
 * and a loop between the two, with an operator and with factors (test_grid has them on every grid).
 * The factors depend on the index and are never 0 or 1, so the result is wrong if a point is left
 * out, visited twice, or visited with another index.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/grids.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/problems.h"

/* Sizes for which passes have several tiles, and copies use vectors. */
TEST(larger_arrays, .to = GRIDS_SORTS)
{
    static const ptrdiff_t sizes[][GRIDS_RANK] = {{64, 64, 64}, {100, 30, 48}, {30, 128, 1}};
    static const unsigned flags[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_ESTIMATE | FFTW_UNALIGNED};
    unsigned state = 3;
    for (int s = 0; s < 3; s++) {
        grids_case it = {.rank = 3, .howmany = 1 + s % 2, .dimensions = 1, .dims = {ranks}};
        memcpy(it.n, sizes[s], sizeof it.n);
        grids_any_kinds(&it, _i, &state);
        it.flags = flags[s] | WEFT_FFTW_BLOCKS;
        it.operates = 1 + s % 2;
        it.in_place = s % 2;
        it.fields = s == 2 ? 2 : 0;
        grids_check(&it, MPI_COMM_WORLD);
    }
}

/* Runs in two halves, with messages that other ranks may send late. */
TEST(started_and_finished, .to = 2)
{
    char text[PROBLEM_TEXT] = "";
    grids_case asked = {.rank = 3,
                        .n = {12, 10, 9},
                        .howmany = 1,
                        .kind = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_R2C},
                        .dimensions = 1,
                        .dims = {ranks},
                        .flags = FFTW_ESTIMATE,
                        .operates = 1,
                        .backend = _i ? "waitall" : "pairwise"};
    problem it;
    const bool made = problem_on_grid(&it, &asked, MPI_COMM_WORLD, text);
    it.halves = made;
    if (made)
        problem_try(&it, MPI_COMM_WORLD, text);
    all_true(!text[0], "%s", text);
}

/* The input of the next tests: sin(x) cos(3 z) + 3 in a cube of 2 pi. */
enum { SIDE_0 = 8, SIDE_1 = 6, SIDE_2 = 10, POINTS = SIDE_0 * SIDE_1 * SIDE_2 };
static const ptrdiff_t sides[3] = {SIDE_0, SIDE_1, SIDE_2};

/* A line of all ranks, for these tests. */
static weft_grid line;

/* Returns the input of this rank: `local` numbers from the number `first`. */
static weft_real *sine_wave(ptrdiff_t *local, ptrdiff_t *first)
{
    ptrdiff_t count[3], start[3];
    const ptrdiff_t numbers =
        WEFT(local_size)(3, sides, 1, line, WEFT_DFT_R2C, WEFT_UNPADDED, count, start, NULL, NULL);
    const double step[3] = {8 * atan(1) / SIDE_0, 8 * atan(1) / SIDE_1, 8 * atan(1) / SIDE_2};
    weft_real *u = FFTW(alloc_real)(2 * (size_t)numbers);
    *local = count[0] * SIDE_1 * SIDE_2;
    *first = start[0] * SIDE_1 * SIDE_2;
    for (ptrdiff_t i = 0; i < *local; i++)
        u[i] = (weft_real)(sin(step[0] * (double)((*first + i) / (SIDE_1 * SIDE_2))) *
                               cos(3 * step[2] * (double)(i % SIDE_2)) +
                           3);
    return u;
}

static double tolerance(void)
{
    return sizeof(weft_real) == sizeof(float) ? 1e-4 : 1e-12;
}

/* In a box of lengths 2 pi, 2 pi and 1 the wave number of cos(3 z) is 6 pi. */
TEST(operators_of_the_library, .to = 4)
{
    static const weft_operator operators[] = {WEFT(inverse_laplacian), WEFT(derivative),
                                              WEFT(gaussian_filter), WEFT(gradient)};
    const double two_pi = 8 * atan(1), k = 3 * two_pi, square = 1 + k * k, width = 0.05,
                 length[3] = {two_pi, two_pi, 1};
    const double wave_factor[] = {-1 / square, 0, exp(-width * width * square / 2), 0},
                 mean_factor[] = {7, 0, 1, 0};
    const int fields = _i == 3 ? 3 : 1,
              kind[3] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_R2C};
    weft_wave wave = {3, sides, length, 1, 1. / POINTS, _i == 0 ? 7. / POINTS : width, 2};
    ptrdiff_t local, first;
    weft_real *u = sine_wave(&local, &first), *out = FFTW(alloc_real)((size_t)(3 * local + 1));
    FFTW(plan)
    plan = WEFT(plan_fields)(3, sides, NULL, 1, fields, u, out, line, kind, operators[_i], &wave,
                             MPI_COMM_NULL, FFTW_ESTIMATE | WEFT_UNPADDED);
    all_true(plan, "%s", WEFT(last_error)());
    FFTW(execute)(plan);
    double error = 0;
    for (ptrdiff_t i = 0; i < local; i++) {
        const double x = two_pi / SIDE_0 * (double)((first + i) / (SIDE_1 * SIDE_2)),
                     z = two_pi / SIDE_2 * (double)(i % SIDE_2), along_z = -k * sin(x) * sin(3 * z),
                     same = wave_factor[_i] * sin(x) * cos(3 * z) + 3 * mean_factor[_i];
        const double right[] = {_i == 3   ? cos(x) * cos(3 * z)
                                : _i == 1 ? along_z
                                          : same,
                                0, along_z};
        for (int f = 0; f < fields; f++)
            error = fmax(error, fabs((double)out[fields * i + f] - right[f]));
    }
    all_true(error < tolerance(), "operator %d is wrong by %g", _i, error);
    FFTW(destroy_plan)(plan);
    FFTW(free)(u);
    FFTW(free)(out);
}

/* The mean 3 has the square 9; the wave has four frequencies of 1/4, with the wave number 3.16. */
TEST(power_spectrum_writes_no_array, .to = 4)
{
    static const unsigned flags[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_ESTIMATE,
                                     FFTW_ESTIMATE | FFTW_DESTROY_INPUT};
    static const double right[] = {9, 0, 0, 0.25, 0};
    enum { SHELLS = sizeof right / sizeof *right };
    const bool halved = _i != 2;
    const int kind[3] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD,
                         halved ? WEFT_DFT_R2C : WEFT_DFT_FORWARD};
    double power[SHELLS] = {0}, sum[SHELLS];
    weft_shells shells = {
        {.rank = 3, .n = sides, .howmany = 1, .scale = 1. / POINTS}, halved, SHELLS, power};
    ptrdiff_t local, first;
    weft_real *u = sine_wave(&local, &first), *z = FFTW(alloc_real)((size_t)(2 * local + 2));
    FFTW(plan)
    plan =
        WEFT(plan_fields)(3, sides, NULL, 1, 0, halved ? u : z, halved ? NULL : z, line, kind,
                          WEFT(power_spectrum), &shells, MPI_COMM_NULL, flags[_i] | WEFT_UNPADDED);
    all_true(plan, "%s", WEFT(last_error)());
    FFTW(free)(u);
    u = sine_wave(&local, &first);
    for (ptrdiff_t i = 0; i < local; i++) {
        z[2 * i] = u[i];
        z[2 * i + 1] = 0;
    }
    FFTW(mpi_execute_r2r)(plan, halved ? u : z, NULL);
    MPI_Allreduce(power, sum, SHELLS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int s = 0; s < SHELLS; s++)
        all_true(fabs(sum[s] - right[s]) < tolerance(), "shell %d has %g, not %g", s, sum[s],
                 right[s]);
    weft_real *before = sine_wave(&local, &first);
    bool kept = true;
    for (ptrdiff_t i = 0; i < local; i++)
        kept &= (halved ? u[i] : z[2 * i]) == before[i];
    all_true(kept || flags[_i] & FFTW_DESTROY_INPUT, "the input changed");
    FFTW(destroy_plan)(plan);
    FFTW(free)(before);
    FFTW(free)(u);
    FFTW(free)(z);
}

enum { MODES_0 = 5, MODES_1 = 3, MODES_2 = 7 };
static const ptrdiff_t modes[3] = {MODES_0, MODES_1, MODES_2};

/* Writes the coefficient of a frequency in a field, 0 if there is no such mode. With `real` the
 * field is real. */
static void coefficient(int field, const ptrdiff_t k[3], bool real, double c[2])
{
    unsigned state = (unsigned)(field * 1000 + 7), mirror = state;
    c[0] = c[1] = 0;
    for (int a = 0; a < 3; a++) {
        if (2 * k[a] >= modes[a] || -2 * k[a] >= modes[a])
            return;
        state = state * 31 + (unsigned)(k[a] + 50);
        mirror = mirror * 31 + (unsigned)(50 - k[a]);
    }
    for (int part = 0; part < 2; part++) {
        c[part] = arrays_random(&state, 1000) / 1000. - 0.5;
        const double other = arrays_random(&mirror, 1000) / 1000. - 0.5;
        c[part] += !real ? 0 : part ? -other : other;
    }
}

static ptrdiff_t frequency(ptrdiff_t index, int axis)
{
    return 2 * index > modes[axis] ? index - modes[axis] : index;
}

/* The sum over all p of coefficient p of one field and coefficient k - p of the other. */
static void convolve(const ptrdiff_t k[3], bool real, double c[2])
{
    c[0] = c[1] = 0;
    for (int i = 0; i < MODES_0 * MODES_1 * MODES_2; i++) {
        const ptrdiff_t p[3] = {frequency(i / (MODES_1 * MODES_2), 0),
                                frequency(i / MODES_2 % MODES_1, 1), frequency(i % MODES_2, 2)},
                        q[3] = {k[0] - p[0], k[1] - p[1], k[2] - p[2]};
        double x[2], y[2];
        coefficient(0, p, real, x);
        coefficient(1, q, real, y);
        c[0] += x[0] * y[0] - x[1] * y[1];
        c[1] += x[0] * y[1] + x[1] * y[0];
    }
}

/* The convolution of two fields, on at least 3/2 times as many points as modes, compared with the
 * sum. */
TEST(convolution_is_not_aliased, .to = 4)
{
    static const ptrdiff_t n[3] = {8, 5, 12};
    const bool real = _i % 2;
    const int kind[3] = {WEFT_DFT_BACKWARD, WEFT_DFT_BACKWARD,
                         real ? WEFT_DFT_C2R : WEFT_DFT_BACKWARD};
    const ptrdiff_t rows = real ? MODES_2 / 2 + 1 : MODES_2;
    ptrdiff_t count[3], start[3];
    WEFT(local_size)(3, modes, 1, line, kind[2], WEFT_TRANSPOSED_IN, count, start, NULL, NULL);
    const ptrdiff_t local = count[0] * count[1] * rows;
    weft_real *in = FFTW(alloc_real)((size_t)(4 * local + 1)),
              *out = FFTW(alloc_real)((size_t)(2 * local + 1));
    FFTW(plan)
    plan = WEFT(plan_convolution)(3, n, modes, 2, in, out, line, kind, MPI_COMM_NULL,
                                  (_i < 2 ? FFTW_ESTIMATE : FFTW_MEASURE) | WEFT_TRANSPOSED_IN);
    all_true(plan, "%s", WEFT(last_error)());
    double error = 0;
    for (int turn = 0; turn < 2; turn++) {
        for (ptrdiff_t i = 0; i < local; i++) { /* in the order of axes 1, 0, 2 */
            const ptrdiff_t k[3] = {frequency(start[0] + i / rows % count[0], 0),
                                    frequency(start[1] + i / rows / count[0], 1),
                                    frequency(i % rows, 2)};
            double c[2];
            for (int f = 0; f < 2 && turn == 0; f++) {
                coefficient(f, k, real, c);
                in[4 * i + 2 * f] = (weft_real)c[0];
                in[4 * i + 2 * f + 1] = (weft_real)c[1];
            }
            if (turn == 1) {
                convolve(k, real, c);
                error = fmax(error, fabs((double)out[2 * i] - c[0]));
                error = fmax(error, fabs((double)out[2 * i + 1] - c[1]));
            }
        }
        if (turn == 0)
            FFTW(execute)(plan);
    }
    all_true(error < tolerance(), "the convolution is wrong by %g", error);
    FFTW(destroy_plan)(plan);
    FFTW(free)(in);
    FFTW(free)(out);
}

static void make_line(void)
{
    line = WEFT(grid_create)(MPI_COMM_WORLD, 1, NULL);
}

static void free_line(void)
{
    WEFT(grid_free)(line);
}

AROUND(.begin = make_line, .end = free_line)
