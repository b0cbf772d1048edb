/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans made late, with FFTW_ESTIMATE, for arrays that hold what is to be transformed: planning
 * leaves them as they are, input, output and padding.
 */
#include "report.h"

static const int n[] = {6, 9, 8};

static void in_place(void)
{
    ptrdiff_t count, start;
    const ptrdiff_t size = fftw_mpi_local_size_3d(n[0], n[1], n[2], MPI_COMM_WORLD, &count, &start);
    const ptrdiff_t row = 2 * n[1] * n[2];
    fftw_complex *data = fftw_alloc_complex((size_t)size);
    double *right = whole_dft(3, n, FFTW_BACKWARD);
    fill(data, 2 * size, start * row);
    fftw_plan plan = planned(fftw_mpi_plan_dft_3d(n[0], n[1], n[2], data, data, MPI_COMM_WORLD,
                                                  FFTW_BACKWARD, FFTW_ESTIMATE),
                             "in place");
    compare_scaled("before", data, 1, 2 * size, start * row);
    fftw_execute(plan);
    compare("after", data, right + start * row, count * row);
    fftw_destroy_plan(plan);
    fftw_free(right);
    fftw_free(data);
}

/* Out of place; the output holds an earlier result, and the input is kept. */
static void real_to_complex(void)
{
    ptrdiff_t count, start;
    const ptrdiff_t size =
        fftw_mpi_local_size_3d(n[0], n[1], n[2] / 2 + 1, MPI_COMM_WORLD, &count, &start);
    const ptrdiff_t line = padded(n[2]), row = n[1] * line;
    double *in = fftw_alloc_real(2 * (size_t)size), *right = whole_r2c(3, n);
    double *before = malloc(sizeof *before * 2 * (size_t)size);
    fftw_complex *out = fftw_alloc_complex((size_t)size);
    fill(out, 2 * size, start * row);
    fill(in, 2 * size, start * row);
    fill_padded(in, count * n[1], n[2], start * n[1]);
    for (ptrdiff_t i = 0; i < 2 * size; i++)
        before[i] = in[i];
    fftw_plan plan = planned(fftw_mpi_plan_dft_r2c_3d(n[0], n[1], n[2], in, out, MPI_COMM_WORLD,
                                                      FFTW_ESTIMATE | FFTW_PRESERVE_INPUT),
                             "real to complex");
    compare("input_before", in, before, 2 * size);
    compare_scaled("output_before", out, 1, 2 * size, start * row);
    fftw_execute(plan);
    compare("output", out, right + start * row, count * row);
    remove_padding(in, count * n[1], n[2]);
    compare_scaled("input_after", in, 1, count * n[1] * n[2], start * n[1] * n[2]);
    fftw_destroy_plan(plan);
    fftw_free(in);
    fftw_free(out);
    fftw_free(right);
    free(before);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    look_around();
    fftw_mpi_init();
    in_place();
    real_to_complex();
    return verdict();
}
