/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs: twice
 *
 * Wisdom kept in a file from run to run: rank 0 imports, all get it; after planning it is gathered,
 * and rank 0 exports. The next run plans of wisdom alone. The file is FFTW's, which keeps its
 * serial plans there, too.
 */
#include "report.h"

static const char path[] = "habit-wisdom-file.tmp";
static const int n[] = {10, 8, 12};

static fftw_plan plan_serial(fftw_complex *data, unsigned flags)
{
    return fftw_plan_dft_3d(n[0], n[1], n[2], data, data, FFTW_FORWARD, flags);
}

/* Whether there is a file, on all ranks. */
static int load(void)
{
    int found = rank == 0 && fftw_import_wisdom_from_filename(path);
    MPI_Bcast(&found, 1, MPI_INT, 0, MPI_COMM_WORLD);
    fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
    return found;
}

static void save(void)
{
    fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
    if (rank == 0)
        require(fftw_export_wisdom_to_filename(path), "the file is written");
}

static void run(unsigned flags, const double *right)
{
    ptrdiff_t count, start, count1, start1;
    const ptrdiff_t size = fftw_mpi_local_size_3d_transposed(
        n[0], n[1], n[2] / 2 + 1, MPI_COMM_WORLD, &count, &start, &count1, &start1);
    const ptrdiff_t line = padded(n[2]);
    double *data = fftw_alloc_real(2 * (size_t)size);
    fftw_plan there =
        planned(fftw_mpi_plan_dft_r2c_3d(n[0], n[1], n[2], data, (fftw_complex *)data,
                                         MPI_COMM_WORLD, flags | FFTW_MPI_TRANSPOSED_OUT),
                flags & FFTW_WISDOM_ONLY ? "there, of wisdom alone" : "there");
    fftw_plan back =
        planned(fftw_mpi_plan_dft_c2r_3d(n[0], n[1], n[2], (fftw_complex *)data, data,
                                         MPI_COMM_WORLD, flags | FFTW_MPI_TRANSPOSED_IN),
                flags & FFTW_WISDOM_ONLY ? "back, of wisdom alone" : "back");
    fill_padded(data, count * n[1], n[2], start * n[1]);
    fftw_execute(there);
    double *expected = turned(right, n[0], n[1], line, start1, count1);
    compare("there", data, expected, count1 * n[0] * line);
    fftw_execute(back);
    remove_padding(data, count * n[1], n[2]);
    compare_scaled("back", data, n[0] * n[1] * n[2], count * n[1] * n[2], start * n[1] * n[2]);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    free(expected);
    fftw_free(data);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    look_around();
    fftw_mpi_init();
    const unsigned flags = load() ? FFTW_MEASURE | FFTW_WISDOM_ONLY : FFTW_MEASURE;
    double *right = whole_r2c(3, n);
    fftw_complex *alone = fftw_alloc_complex((size_t)(n[0] * n[1] * n[2]));
    run(flags, right);
    fftw_destroy_plan(planned(plan_serial(alone, flags), "serial"));
    save();
    show("known", (double[]){flags & FFTW_WISDOM_ONLY ? 1 : 0}, 1);
    fftw_free(alone);
    fftw_free(right);
    return verdict();
}
