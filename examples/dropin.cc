// SPDX-License-Identifier: BSD-3-Clause
//
// dropin.c in C++: a wave packet spreads freely. Destructors free plans and memory. fftw_complex is
// two doubles, like std::complex<double>.
//
//     mpicxx dropin.cc -o dropin `pkg-config --cflags --libs weft` -lm
//     mpicxx dropin.cc -o dropin -lfftw3_mpi `pkg-config --cflags --libs fftw3` -lm (FFTW-MPI)
//     mpiexec -n 4 ./dropin
//
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <fftw3-mpi.h>

using complex = std::complex<double>;

struct free_plan {
    void operator()(fftw_plan plan) const
    {
        fftw_destroy_plan(plan);
    }
};
struct free_memory {
    void operator()(void *memory) const
    {
        fftw_free(memory);
    }
};
using plan = std::unique_ptr<fftw_plan_s, free_plan>;
using memory = std::unique_ptr<complex[], free_memory>;

constexpr std::ptrdiff_t n0 = 192, n1 = 160;
constexpr double width = 24, duration = 0.6, pi = 3.14159265358979323846;

// The exact solution on an infinite line, with mean momentum p.
static complex packet(double x, double p, double t)
{
    const complex spread(1, t), shifted(x, -p);
    return std::exp((-shifted * shifted / 2.0 - spread * p * p / 2.0) / spread) / std::sqrt(spread);
}

static complex exact(std::ptrdiff_t i0, std::ptrdiff_t i1, double t)
{
    const double x = width * (double(i0) / n0 - 0.5), y = width * (double(i1) / n1 - 0.5);
    return packet(x, 2, t) * packet(y, -1, t);
}

static double wave(std::ptrdiff_t i, std::ptrdiff_t n)
{
    return 2 * pi / width * double(i <= n / 2 ? i : i - n);
}

static plan make_plan(fftw_complex *array, int sign, unsigned order)
{
    plan made(
        fftw_mpi_plan_dft_2d(n0, n1, array, array, MPI_COMM_WORLD, sign, FFTW_ESTIMATE | order));
    if (!made) {
        std::fprintf(stderr, "dropin: no plan\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return made;
}

// The largest error of this rank.
static double spread_packet()
{
    std::ptrdiff_t rows, first_row, columns, first_column;
    const std::ptrdiff_t numbers = fftw_mpi_local_size_2d_transposed(
        n0, n1, MPI_COMM_WORLD, &rows, &first_row, &columns, &first_column);
    const memory psi(reinterpret_cast<complex *>(fftw_alloc_complex(std::size_t(numbers))));
    const auto array = reinterpret_cast<fftw_complex *>(psi.get());
    const plan forward = make_plan(array, FFTW_FORWARD, FFTW_MPI_TRANSPOSED_OUT);
    const plan backward = make_plan(array, FFTW_BACKWARD, FFTW_MPI_TRANSPOSED_IN);

    for (std::ptrdiff_t i = 0; i < rows; i++)
        for (std::ptrdiff_t j = 0; j < n1; j++)
            psi[i * n1 + j] = exact(first_row + i, j, 0);

    fftw_execute(forward.get());
    for (std::ptrdiff_t j = 0; j < columns; j++)
        for (std::ptrdiff_t i = 0; i < n0; i++) {
            const double k0 = wave(i, n0), k1 = wave(first_column + j, n1);
            psi[j * n0 + i] *= std::polar(1.0 / (n0 * n1), -duration * (k0 * k0 + k1 * k1) / 2);
        }
    fftw_execute(backward.get());

    double error = 0;
    for (std::ptrdiff_t i = 0; i < rows; i++)
        for (std::ptrdiff_t j = 0; j < n1; j++)
            error = std::max(error, std::abs(psi[i * n1 + j] - exact(first_row + i, j, duration)));
    return error;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double most, error = spread_packet();
    MPI_Allreduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("dropin: largest error %.1e\n", most);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return most < 1e-12 ? 0 : 1;
}
