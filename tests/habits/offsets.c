/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One plan for many arrays, which lie in one large block of memory one after the other, wherever
 * that comes to be: planned on the first with FFTW_UNALIGNED, run on all, in and out of place.
 */
#include "report.h"

#define FIELDS 5

static const int n[] = {9, 6, 7};

static void complex_fields(const double *right)
{
    ptrdiff_t count, start;
    const ptrdiff_t size = fftw_mpi_local_size_3d(n[0], n[1], n[2], MPI_COMM_WORLD, &count, &start);
    const ptrdiff_t row = 2 * n[1] * n[2], step = 2 * size + 1;
    double *memory = fftw_alloc_real((size_t)(FIELDS * step + 1));
    fftw_complex *first = (fftw_complex *)(memory + 1);
    fftw_plan plan = planned(fftw_mpi_plan_dft_3d(n[0], n[1], n[2], first, first, MPI_COMM_WORLD,
                                                  FFTW_FORWARD, FFTW_ESTIMATE | FFTW_UNALIGNED),
                             "complex fields");
    for (int i = 0; i < FIELDS; i++) {
        double *field = memory + 1 + i * step;
        fill(field, count * row, start * row);
        fftw_mpi_execute_dft(plan, (fftw_complex *)field, (fftw_complex *)field);
        compare("complex", field, right + start * row, count * row);
    }
    fftw_destroy_plan(plan);
    fftw_free(memory);
}

static void real_fields(const double *right)
{
    ptrdiff_t count, start;
    const ptrdiff_t size =
        fftw_mpi_local_size_3d(n[0], n[1], n[2] / 2 + 1, MPI_COMM_WORLD, &count, &start);
    const ptrdiff_t row = n[1] * padded(n[2]), step = 2 * size + 1;
    double *in = fftw_alloc_real((size_t)(FIELDS * step + 1)),
           *out = fftw_alloc_real((size_t)(FIELDS * step + 1));
    fftw_plan plan =
        planned(fftw_mpi_plan_dft_r2c_3d(n[0], n[1], n[2], in + 1, (fftw_complex *)(out + 1),
                                         MPI_COMM_WORLD, FFTW_MEASURE | FFTW_UNALIGNED),
                "real fields");
    for (int i = 0; i < FIELDS; i++) {
        double *from = in + 1 + i * step, *to = out + 1 + (FIELDS - 1 - i) * step;
        fill_padded(from, count * n[1], n[2], start * n[1]);
        fftw_mpi_execute_dft_r2c(plan, from, (fftw_complex *)to);
        compare("real", to, right + start * row, count * row);
    }
    fftw_destroy_plan(plan);
    fftw_free(in);
    fftw_free(out);
}

/* Without the flag: planned on aligned arrays, run on others, whole complex numbers further on; by
 * the function for complex numbers, and by that for real ones, as some programs do. */
static void whole_numbers(const double *right)
{
    ptrdiff_t count, start;
    const ptrdiff_t size = fftw_mpi_local_size_3d(n[0], n[1], n[2], MPI_COMM_WORLD, &count, &start);
    const ptrdiff_t row = 2 * n[1] * n[2];
    fftw_complex *in = fftw_alloc_complex((size_t)size + FIELDS);
    fftw_complex *out = fftw_alloc_complex((size_t)size + FIELDS);
    fftw_plan plan = planned(fftw_mpi_plan_dft_3d(n[0], n[1], n[2], in, out, MPI_COMM_WORLD,
                                                  FFTW_FORWARD, FFTW_ESTIMATE),
                             "whole numbers");
    for (int i = 0; i < FIELDS; i++) {
        fftw_complex *from = in + i, *to = out + FIELDS - i;
        fill(from, count * row, start * row);
        if (i % 2)
            fftw_execute_r2r(plan, (double *)from, (double *)to);
        else
            fftw_mpi_execute_dft(plan, from, to);
        compare("whole", to, right + start * row, count * row);
    }
    fftw_destroy_plan(plan);
    fftw_free(in);
    fftw_free(out);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    look_around();
    fftw_mpi_init();
    double *right = whole_dft(3, n, FFTW_FORWARD), *real_right = whole_r2c(3, n);
    complex_fields(right);
    real_fields(real_right);
    whole_numbers(right);
    fftw_free(right);
    fftw_free(real_right);
    return verdict();
}
