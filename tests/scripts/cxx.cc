// SPDX-License-Identifier: BSD-3-Clause
// As a C++ program would: the headers, a plan, an error.
#include <fftw3-mpi.h>
#include <weft.h>
#include <cstdio>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    fftw_mpi_init();
    ptrdiff_t count, start;
    const ptrdiff_t size = fftw_mpi_local_size_2d(4, 6, MPI_COMM_WORLD, &count, &start);
    fftw_complex *data = fftw_alloc_complex(static_cast<size_t>(size));
    fftw_plan plan = fftw_mpi_plan_dft_2d(4, 6, data, data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    for (ptrdiff_t i = 0; i < count * 6; i++)
        data[i][0] = data[i][1] = start == 0 && i == 0;
    bool right = plan != nullptr && weft_last_error()[0] == '\0';
    if (right)
        fftw_execute(plan);
    for (ptrdiff_t i = 0; i < count * 6; i++)
        right = right && data[i][0] == 1 && data[i][1] == 1;
    fftw_destroy_plan(plan);
    fftw_free(data);
    fftw_mpi_cleanup();
    MPI_Finalize();
    if (rank == 0)
        std::printf("%s on %d ranks\n", right ? "right" : "wrong", ranks);
    return right ? 0 : 1;
}
