/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Taylor-Green vortices decay: the Navier-Stokes equations of an incompressible fluid in a periodic
 * cube, u_t = P(u x curl u) + nu Laplace u, where P projects to fields without divergence. The
 * program uses a spectral method without the upper third of the wave numbers, and Runge-Kutta steps
 * of order 4. It uses only functions of FFTW's MPI library. The three components of a point are
 * adjacent in memory (howmany = 3), in slabs, with a transposed spectrum.
 *
 * First it computes the flow in 2 dimensions, which decays exactly like exp(-2 nu t). Then it
 * computes the flow in 3 dimensions, whose energy E decreases by 2 nu Z (Z: the mean of half the
 * square of the vorticity). The program sums up Z to check that.
 *
 *     mpicc taylor-green.c -o taylor-green `pkg-config --cflags --libs weft` -lm
 *     mpiexec -n 4 ./taylor-green
 *     mpiexec -n 4 ./taylor-green --points 64 --viscosity 0.005 --time 5 --picture vorticity.ppm
 */
#include <complex.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double vector[3];
typedef double complex spectrum[3];

static ptrdiff_t n = 32;
static double viscosity = 0.01, until = 1, step = 0.05;
static int steps;
static const char *picture;

static int rank;
static ptrdiff_t rows, first_row, columns,
    first_column;            /* of this rank: axis 0 of the flow, axis 1 of its spectrum */
static size_t points, waves; /* rows of points are padded to n + 2 */
static fftw_plan to_spectrum,
    to_points; /* in place in u; the second also has an array for the vorticity */
static vector *velocity, *vorticity;
static spectrum *flow, *rate, *stage, *sum;

/* Wave numbers are integers because the width of the cube is 2 pi. The axes of a spectrum have the
 * order 1, 0, 2 in memory, with half of axis 2. */
static void wave_at(size_t at, double k[3])
{
    const size_t half = (size_t)n / 2 + 1;
    const ptrdiff_t i = (ptrdiff_t)(at / half) % n, j = first_column + (ptrdiff_t)(at / half) / n;
    k[0] = (double)(i < n / 2 ? i : i - n);
    k[1] = (double)(j < n / 2 ? j : j - n);
    k[2] = (double)(at % half);
}

static int is_cut(const double k[3])
{
    const double most = fmax(fabs(k[0]), fmax(fabs(k[1]), k[2]));
    return 3 * most >= (double)n;
}

static double square(const double k[3])
{
    return k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
}

static void curl(const double k[3], const spectrum u, spectrum w)
{
    for (int c = 0; c < 3; c++)
        w[c] = I * (k[(c + 1) % 3] * u[(c + 2) % 3] - k[(c + 2) % 3] * u[(c + 1) % 3]);
}

static void cross(const vector a, const vector b, vector c)
{
    const vector product = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                            a[0] * b[1] - a[1] * b[0]};
    memcpy(c, product, sizeof product);
}

static void curl_to_points(const spectrum *u)
{
    spectrum *w = (spectrum *)vorticity;
    double k[3];
    for (size_t at = 0; at < waves; at++) {
        wave_at(at, k);
        curl(k, u[at], w[at]);
    }
    fftw_mpi_execute_dft_c2r(to_points, (fftw_complex *)vorticity, (double *)vorticity);
}

static void flow_to_points(const spectrum *u)
{
    memcpy(velocity, u, waves * sizeof *u);
    fftw_mpi_execute_dft_c2r(to_points, (fftw_complex *)velocity, (double *)velocity);
}

/* Computes u_t from u. */
static void find_rate(const spectrum *u)
{
    double k[3];
    curl_to_points(u);
    flow_to_points(u);
    for (size_t at = 0; at < points; at++)
        cross(velocity[at], vorticity[at], velocity[at]);
    fftw_mpi_execute_dft_r2c(to_spectrum, (double *)velocity, (fftw_complex *)velocity);
    const spectrum *force = (const spectrum *)velocity;
    for (size_t at = 0; at < waves; at++) {
        wave_at(at, k);
        const double complex along =
            k[0] * force[at][0] + k[1] * force[at][1] + k[2] * force[at][2];
        const double k2 = square(k), scale = is_cut(k) ? 0 : 1 / (double)(n * n * n);
        for (int c = 0; c < 3; c++)
            rate[at][c] = scale * (force[at][c] - (k2 > 0 ? k[c] * along / k2 : 0)) -
                          viscosity * k2 * u[at][c];
    }
}

/* The mean of half the square of u (power 0) or of its curl (power 1). Modes with k2 > 0 also stand
 * for -k. */
static double half_square(const spectrum *u, int power)
{
    double k[3], own = 0, all;
    for (size_t at = 0; at < waves; at++) {
        wave_at(at, k);
        const double weight = (k[2] > 0 ? 1 : 0.5) * (power ? square(k) : 1);
        for (int c = 0; c < 3; c++)
            own += weight * (creal(u[at][c]) * creal(u[at][c]) + cimag(u[at][c]) * cimag(u[at][c]));
    }
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* A Runge-Kutta step of the flow and of the energy that it has lost. */
static double advance(void)
{
    static const double to_stage[4] = {0.5, 0.5, 1, 0},
                        weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double lost = 0;
    memcpy(stage, flow, waves * sizeof *flow);
    memcpy(sum, flow, waves * sizeof *flow);
    for (int s = 0; s < 4; s++) {
        find_rate(stage);
        lost += step * weight[s] * 2 * viscosity * half_square(stage, 1);
        for (size_t at = 0; at < waves; at++)
            for (int c = 0; c < 3; c++) {
                sum[at][c] += step * weight[s] * rate[at][c];
                stage[at][c] = flow[at][c] + step * to_stage[s] * rate[at][c];
            }
    }
    memcpy(flow, sum, waves * sizeof *flow);
    return lost;
}

/* The initial flow: the same in all planes, or different along z. */
static void exact(int dimensions, size_t at, vector u)
{
    const size_t row = (size_t)n + 2;
    const double angle = 2 * acos(-1) / (double)n,
                 x = angle * (double)(first_row + (ptrdiff_t)(at / row) / n),
                 y = angle * (double)((ptrdiff_t)(at / row) % n), z = angle * (double)(at % row),
                 height = dimensions == 3 ? cos(z) : 1;
    u[0] = sin(x) * cos(y) * height;
    u[1] = -cos(x) * sin(y) * height;
    u[2] = 0;
}

static void begin(int dimensions)
{
    for (size_t at = 0; at < points; at++)
        exact(dimensions, at, velocity[at]);
    fftw_mpi_execute_dft_r2c(to_spectrum, (double *)velocity, (fftw_complex *)velocity);
    const spectrum *u = (const spectrum *)velocity;
    for (size_t at = 0; at < waves; at++)
        for (int c = 0; c < 3; c++)
            flow[at][c] = u[at][c] / (double)(n * n * n);
}

/* The largest error of the energy in all steps, relative to the initial energy. */
static double run(int dimensions)
{
    double expected, error = 0, lost = 0;
    begin(dimensions);
    const double energy = half_square(flow, 0);
    if (rank == 0)
        printf("%d dimensions\n     t       energy    vorticity      off by\n", dimensions);
    for (int s = 0; s <= steps; s++) {
        lost += s > 0 ? advance() : 0;
        const double now = half_square(flow, 0), t = s * step;
        expected = dimensions == 2 ? energy * exp(-4 * viscosity * t) : energy - lost;
        error = fmax(error, fabs(now - expected) / energy);
        const double vortices = half_square(flow, 1);
        if (rank == 0)
            printf("%6.2f %12.8f %12.8f %11.1e\n", t, now, vortices, (now - expected) / energy);
    }
    return error;
}

/* The largest error of the flow in 2 dimensions. */
static double pointwise_error(void)
{
    const double decayed = exp(-2 * viscosity * step * steps);
    double error = 0, most;
    vector u;
    flow_to_points(flow);
    for (size_t at = 0; at < points; at++) {
        exact(2, at, u);
        for (int c = 0; c < 3 && at % ((size_t)n + 2) < (size_t)n; c++)
            error = fmax(error, fabs(velocity[at][c] - u[c] * decayed));
    }
    MPI_Allreduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* Writes the vorticity in the plane x = 0, which rank 0 has: from black over red to white. It is
 * also readable in grey. */
static int paint(void)
{
    const size_t row = (size_t)n + 2;
    double most = 0;
    curl_to_points(flow);
    FILE *file = rank == 0 ? fopen(picture, "wb") : NULL;
    if (rank == 0 && !file)
        fprintf(stderr, "taylor-green: cannot write %s\n", picture);
    if (!file)
        return rank != 0;
    for (size_t at = 0; at < (size_t)n * row; at++)
        most = at % row < (size_t)n
                   ? fmax(most, hypot(hypot(vorticity[at][0], vorticity[at][1]), vorticity[at][2]))
                   : most;
    fprintf(file, "P6\n%td %td\n255\n", n, n);
    for (size_t at = 0; at < (size_t)n * row; at++) {
        const double size =
            hypot(hypot(vorticity[at][0], vorticity[at][1]), vorticity[at][2]) / most;
        for (int colour = 0; colour < 3 && at % row < (size_t)n; colour++)
            fputc((int)(255 * fmin(1, fmax(0, 3 * size - colour))), file);
    }
    return fclose(file) == 0;
}

/* Returns the name of the first argument that is not known. */
static const char *read_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        char *end = "";
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--picture"))
            picture = value;
        else if (!strcmp(argv[i], "--points"))
            n = strtol(value, &end, 10);
        else if (!strcmp(argv[i], "--viscosity"))
            viscosity = strtod(value, &end);
        else if (!strcmp(argv[i], "--time"))
            until = strtod(value, &end);
        else if (!strcmp(argv[i], "--step"))
            step = strtod(value, &end);
        else
            return argv[i];
        if (!*value || *end || n < 4 || n > 4096 || n % 2 || !(viscosity >= 0) || !(step > 0) ||
            !(until > 0 && until / step < 1e6))
            return argv[i];
    }
    steps = (int)(until / step + 0.5);
    return NULL;
}

static int make_plans(void)
{
    const ptrdiff_t size[3] = {n, n, n}, half[3] = {n, n, n / 2 + 1};
    const ptrdiff_t block = FFTW_MPI_DEFAULT_BLOCK;
    const size_t numbers = (size_t)fftw_mpi_local_size_many_transposed(
        3, half, 3, block, block, MPI_COMM_WORLD, &rows, &first_row, &columns, &first_column);
    points = (size_t)(rows * n * (n + 2));
    waves = (size_t)(columns * n * (n / 2 + 1));
    velocity = (vector *)fftw_alloc_complex(numbers);
    vorticity = (vector *)fftw_alloc_complex(numbers);
    flow = (spectrum *)fftw_alloc_complex(4 * 3 * waves + 1);
    rate = flow + waves;
    stage = rate + waves;
    sum = stage + waves;
    to_spectrum = fftw_mpi_plan_many_dft_r2c(3, size, 3, block, block, (double *)velocity,
                                             (fftw_complex *)velocity, MPI_COMM_WORLD,
                                             FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
    to_points = fftw_mpi_plan_many_dft_c2r(3, size, 3, block, block, (fftw_complex *)velocity,
                                           (double *)velocity, MPI_COMM_WORLD,
                                           FFTW_MEASURE | FFTW_MPI_TRANSPOSED_IN);
    return velocity && vorticity && flow && to_spectrum && to_points;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *wrong = read_options(argc, argv);
    if (wrong && rank == 0)
        fprintf(stderr,
                "taylor-green: %s does not make sense; there are --points N (even), --viscosity "
                "NU, --time T, "
                "--step DT, --picture FILE.ppm, each with its value\n",
                wrong);
    if (wrong) {
        MPI_Finalize();
        return 2;
    }
    if (!make_plans()) {
        fprintf(stderr, "taylor-green: no plan, or no memory\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }

    const double decay = run(2), pointwise = pointwise_error(), balance = run(3);
    int right = decay < 1e-9 && pointwise < 1e-9 && balance < 1e-6;
    if (rank == 0)
        printf("taylor-green: largest error %.1e in 2 dimensions, %.1e of their energy; energy in "
               "3 balanced to %.1e\n",
               pointwise, decay, balance);
    if (picture)
        right &= paint();
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);

    fftw_destroy_plan(to_spectrum);
    fftw_destroy_plan(to_points);
    fftw_free(velocity);
    fftw_free(vorticity);
    fftw_free(flow);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
