/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wisdom that the program itself passes on: rank 0 gathers, exports to a string and sends it to the
 * others by MPI; they forget what they knew and import it. From then on plans come of wisdom alone.
 */
#include <string.h>
#include "report.h"

static const int n[] = {12, 6, 10};
static ptrdiff_t count, start;
static fftw_complex *data;

static fftw_plan plan_with(unsigned flags)
{
    return fftw_mpi_plan_dft_3d(n[0], n[1], n[2], data, data, MPI_COMM_WORLD, FFTW_FORWARD, flags);
}

/* What rank 0 has, all have afterwards. */
static void pass_on(void)
{
    char *text = rank == 0 ? fftw_export_wisdom_to_string() : NULL;
    long length = text ? (long)strlen(text) + 1 : 0;
    MPI_Bcast(&length, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank > 0)
        text = malloc((size_t)length);
    MPI_Bcast(text, (int)length, MPI_CHAR, 0, MPI_COMM_WORLD);
    fftw_forget_wisdom();
    require(fftw_import_wisdom_from_string(text), "the string is imported");
    free(text);
}

static void transform(const char *name, fftw_plan plan, const double *right)
{
    const ptrdiff_t row = 2 * n[1] * n[2];
    fill(data, count * row, start * row);
    fftw_execute(plan);
    compare(name, data, right + start * row, count * row);
    fftw_destroy_plan(plan);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    look_around();
    fftw_mpi_init();
    const ptrdiff_t size = fftw_mpi_local_size_3d(n[0], n[1], n[2], MPI_COMM_WORLD, &count, &start);
    data = fftw_alloc_complex((size_t)size);
    double *right = whole_dft(3, n, FFTW_FORWARD);
    require(!plan_with(FFTW_MEASURE | FFTW_WISDOM_ONLY), "without wisdom there is no plan");
    transform("measured", planned(plan_with(FFTW_MEASURE), "measured"), right);
    fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
    pass_on();
    transform("known", planned(plan_with(FFTW_MEASURE | FFTW_WISDOM_ONLY), "of wisdom alone"),
              right);
    fftw_forget_wisdom();
    require(!plan_with(FFTW_MEASURE | FFTW_WISDOM_ONLY), "with wisdom forgotten there is no plan");
    fftw_free(right);
    fftw_free(data);
    fftw_mpi_cleanup();
    return verdict();
}
