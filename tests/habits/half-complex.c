/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Real fields kept real: FFTW_R2HC along all three axes, or along some and cosines or sines along
 * the others, and back; in natural and in transposed order.
 */
#include "report.h"

typedef struct {
    const char *name;
    fftw_r2r_kind there[3], back[3];
    int scale;
    unsigned transposed;
} field;

static const int n[] = {8, 6, 9};

static double *whole_r2r(const fftw_r2r_kind *kinds)
{
    const int total = n[0] * n[1] * n[2];
    double *all = fftw_alloc_real((size_t)total);
    fftw_plan plan = fftw_plan_r2r(3, n, all, all, kinds, FFTW_ESTIMATE);
    fill(all, total, 0);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return all;
}

static void there_and_back(const field *it)
{
    ptrdiff_t count, start, count1, start1;
    const ptrdiff_t size = fftw_mpi_local_size_3d_transposed(n[0], n[1], n[2], MPI_COMM_WORLD,
                                                             &count, &start, &count1, &start1);
    const ptrdiff_t row = n[1] * n[2];
    double *data = fftw_alloc_real((size_t)size), *all = whole_r2r(it->there);
    fftw_plan there =
        planned(fftw_mpi_plan_r2r_3d(
                    n[0], n[1], n[2], data, data, MPI_COMM_WORLD, it->there[0], it->there[1],
                    it->there[2], FFTW_ESTIMATE | (it->transposed ? FFTW_MPI_TRANSPOSED_OUT : 0)),
                it->name);
    fftw_plan back =
        planned(fftw_mpi_plan_r2r_3d(n[0], n[1], n[2], data, data, MPI_COMM_WORLD, it->back[0],
                                     it->back[1], it->back[2],
                                     FFTW_ESTIMATE | (it->transposed ? FFTW_MPI_TRANSPOSED_IN : 0)),
                it->name);
    fill(data, count * row, start * row);
    fftw_execute(there);
    double *right = turned(all, n[0], n[1], n[2], start1, count1);
    if (it->transposed)
        compare(it->name, data, right, count1 * n[0] * n[2]);
    else
        compare(it->name, data, all + start * row, count * row);
    fftw_execute(back);
    compare_scaled(it->name, data, it->scale * n[0] * n[1] * n[2], count * row, start * row);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    free(right);
    fftw_free(all);
    fftw_free(data);
}

int main(int argc, char **argv)
{
    static const field fields[] = {
        {"periodic", {FFTW_R2HC, FFTW_R2HC, FFTW_R2HC}, {FFTW_HC2R, FFTW_HC2R, FFTW_HC2R}, 1, 0},
        {"turned", {FFTW_R2HC, FFTW_R2HC, FFTW_R2HC}, {FFTW_HC2R, FFTW_HC2R, FFTW_HC2R}, 1, 1},
        {"walls", {FFTW_REDFT10, FFTW_R2HC, FFTW_R2HC}, {FFTW_REDFT01, FFTW_HC2R, FFTW_HC2R}, 2, 0},
        {"duct",
         {FFTW_R2HC, FFTW_RODFT10, FFTW_REDFT10},
         {FFTW_HC2R, FFTW_RODFT01, FFTW_REDFT01},
         4,
         1},
        {"hartley", {FFTW_DHT, FFTW_R2HC, FFTW_DHT}, {FFTW_DHT, FFTW_HC2R, FFTW_DHT}, 1, 1}};
    MPI_Init(&argc, &argv);
    look_around();
    fftw_mpi_init();
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        there_and_back(&fields[i]);
    return verdict();
}
