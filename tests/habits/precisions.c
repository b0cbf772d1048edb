/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries: -lfftw3f_mpi -lfftw3_mpi -lfftw3f -lfftw3 -lm
 *
 * One program that computes in double and keeps in float: plans of both precisions, alive at the
 * same time and run in turns, and each library cleaned up while the other is in use.
 */
#include "report.h"

static const int n[] = {10, 6, 8};

/* Of float results, which differ in the last digits, only the program says whether they are right.
 */
static void compare_float(const fftwf_complex *mine, const double *right, ptrdiff_t count)
{
    double error = 0;
    for (ptrdiff_t i = 0; i < 2 * count; i++)
        error = fmax(error, fabs(((const float *)mine)[i] - right[i]));
    require(error < 2e-5, "the float transform is right");
}

/* The same numbers in both, where the array begins at so many. */
static void fill_both(fftw_complex *data, fftwf_complex *kept, ptrdiff_t count, ptrdiff_t start)
{
    fill(data, 2 * count, 2 * start);
    for (ptrdiff_t i = 0; i < count; i++) {
        kept[i][0] = (float)data[i][0];
        kept[i][1] = (float)data[i][1];
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    look_around();
    fftw_mpi_init();
    fftwf_mpi_init();
    ptrdiff_t count, start, float_count, float_start;
    const ptrdiff_t size = fftw_mpi_local_size_3d(n[0], n[1], n[2], MPI_COMM_WORLD, &count, &start);
    const ptrdiff_t float_size =
        fftwf_mpi_local_size_3d(n[0], n[1], n[2], MPI_COMM_WORLD, &float_count, &float_start);
    require(count == float_count && start == float_start, "both precisions divide the array alike");
    const ptrdiff_t plane = n[1] * n[2];
    fftw_complex *data = fftw_alloc_complex((size_t)size);
    fftwf_complex *kept = fftwf_alloc_complex((size_t)float_size);
    fftw_plan plan = planned(fftw_mpi_plan_dft_3d(n[0], n[1], n[2], data, data, MPI_COMM_WORLD,
                                                  FFTW_FORWARD, FFTW_MEASURE),
                             "double");
    fftwf_plan float_plan = fftwf_mpi_plan_dft_3d(n[0], n[1], n[2], kept, kept, MPI_COMM_WORLD,
                                                  FFTW_FORWARD, FFTW_MEASURE);
    planned((fftw_plan)float_plan, "float");
    double *right = whole_dft(3, n, FFTW_FORWARD);
    for (int i = 0; i < 3; i++) {
        fill_both(data, kept, count * plane, start * plane);
        fftw_execute(plan);
        fftwf_execute(float_plan);
        compare("double", data, right + 2 * start * plane, 2 * count * plane);
        compare_float(kept, right + 2 * start * plane, count * plane);
    }
    fftwf_destroy_plan(float_plan);
    fftwf_mpi_cleanup();
    fill(data, 2 * count * plane, 2 * start * plane);
    fftw_execute(plan);
    compare("double_alone", data, right + 2 * start * plane, 2 * count * plane);
    fftw_destroy_plan(plan);
    fftw_mpi_cleanup();
    fftw_free(right);
    fftwf_free(kept);
    fftw_free(data);
    return verdict();
}
