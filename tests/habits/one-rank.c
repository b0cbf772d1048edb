/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything on one rank, before or after: rank 0 reads the whole field and sends each rank its
 * rows, by the sizes that FFTW tells; it collects the result the same way. And with blocks as large
 * as the array: the transform itself takes from rank 0, or brings there.
 */
#include "report.h"

static const int n[] = {10, 9, 4};

typedef struct {
    int *counts, *starts;
} division;

/* In numbers, of rows of so many. */
static division divide(ptrdiff_t count, ptrdiff_t start, ptrdiff_t row)
{
    int mine[] = {(int)(count * row), (int)(start * row)};
    division it = {malloc(sizeof(int) * (size_t)ranks), malloc(sizeof(int) * (size_t)ranks)};
    MPI_Gather(&mine[0], 1, MPI_INT, it.counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gather(&mine[1], 1, MPI_INT, it.starts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return it;
}

static void read_and_collect(const double *right)
{
    const ptrdiff_t row = 2 * n[1] * n[2];
    const int total = (int)(n[0] * row);
    ptrdiff_t count, start;
    const ptrdiff_t size = fftw_mpi_local_size_3d(n[0], n[1], n[2], MPI_COMM_WORLD, &count, &start);
    fftw_complex *data = fftw_alloc_complex((size_t)size);
    fftw_plan plan = planned(fftw_mpi_plan_dft_3d(n[0], n[1], n[2], data, data, MPI_COMM_WORLD,
                                                  FFTW_FORWARD, FFTW_ESTIMATE),
                             "rows");
    division it = divide(count, start, row);
    double *all = rank == 0 ? malloc(sizeof *all * (size_t)total) : NULL;
    if (rank == 0)
        fill(all, total, 0);
    MPI_Scatterv(all, it.counts, it.starts, MPI_DOUBLE, data, (int)(count * row), MPI_DOUBLE, 0,
                 MPI_COMM_WORLD);
    fftw_execute(plan);
    MPI_Gatherv(data, (int)(count * row), MPI_DOUBLE, all, it.counts, it.starts, MPI_DOUBLE, 0,
                MPI_COMM_WORLD);
    compare("collected", all, right, rank == 0 ? total : 0);
    fftw_destroy_plan(plan);
    fftw_free(data);
    free(it.counts);
    free(it.starts);
    free(all);
}

/* All of the array is one block, which rank 0 holds, of the input or of the output. */
static void one_block(const char *name, const double *right, ptrdiff_t before, ptrdiff_t after)
{
    const ptrdiff_t size[] = {n[0], n[1], n[2]}, row = 2 * n[1] * n[2];
    ptrdiff_t count, start, count_after, start_after;
    const ptrdiff_t in_size =
        fftw_mpi_local_size_many(3, size, 1, before, MPI_COMM_WORLD, &count, &start);
    const ptrdiff_t out_size =
        fftw_mpi_local_size_many(3, size, 1, after, MPI_COMM_WORLD, &count_after, &start_after);
    const size_t most = (size_t)(in_size > out_size ? in_size : out_size);
    fftw_complex *in = fftw_alloc_complex(most), *out = fftw_alloc_complex(most);
    fftw_plan plan = planned(fftw_mpi_plan_many_dft(3, size, 1, before, after, in, out,
                                                    MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE),
                             name);
    fill(in, count * row, start * row);
    fftw_execute(plan);
    compare(name, out, right + start_after * row, count_after * row);
    fftw_destroy_plan(plan);
    fftw_free(in);
    fftw_free(out);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    look_around();
    fftw_mpi_init();
    double *right = whole_dft(3, n, FFTW_FORWARD);
    read_and_collect(right);
    one_block("from_one", right, n[0], FFTW_MPI_DEFAULT_BLOCK);
    one_block("to_one", right, FFTW_MPI_DEFAULT_BLOCK, n[0]);
    one_block("on_one", right, n[0], n[0]);
    fftw_free(right);
    return verdict();
}
