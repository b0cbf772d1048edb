/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A transform of arrays on a GPU. The calls are the same as for arrays in host memory; the pointers
 * come from cudaMalloc. The input is a plane wave of real numbers on a process grid, whose
 * spectrum has one nonzero number. Each rank uses a device of its node; ranks may share one.
 *
 *     export CPATH=/usr/local/cuda/include LIBRARY_PATH=/usr/local/cuda/lib64
 *     mpicc pencil_r2c_cuda.c -o pencil_r2c_cuda `pkg-config --cflags --libs weft` -lcudart -lm
 *     mpiexec -n 4 ./pencil_r2c_cuda
 */
#include <complex.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft.h>

static const ptrdiff_t n[3] = {64, 48, 40}, wave[3] = {5, 44, 7};

typedef struct {
    ptrdiff_t count[3], start[3];
} part;

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "pencil_r2c_cuda: %s: %s\n", what, cudaGetErrorString(error));
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
}

/* A plan uses the device that is current when it is made. */
static void choose_device(void)
{
    MPI_Comm node;
    int rank, devices;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_free(&node);
    check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
    check(cudaSetDevice(rank % devices), "cudaSetDevice");
}

/* Rows of real numbers are padded, as in FFTW. */
static void fill(const part *real, double *u)
{
    const ptrdiff_t row = 2 * (n[2] / 2 + 1);
    for (ptrdiff_t i = 0; i < real->count[0]; i++)
        for (ptrdiff_t j = 0; j < real->count[1]; j++)
            for (ptrdiff_t k = 0; k < n[2]; k++) {
                const ptrdiff_t at[3] = {real->start[0] + i, real->start[1] + j, k};
                double turns = 0;
                for (int axis = 0; axis < 3; axis++)
                    turns += (double)(wave[axis] * at[axis] % n[axis]) / (double)n[axis];
                u[(i * real->count[1] + j) * row + k] = cos(2 * acos(-1) * turns);
            }
}

/* The number of the wave is half the number of points. All others are 0. */
static double largest_error(const part *half, const fftw_complex *spectrum)
{
    const double points = (double)(n[0] * n[1] * n[2]);
    double error = 0, most;
    for (ptrdiff_t i = 0; i < half->count[0]; i++)
        for (ptrdiff_t j = 0; j < half->count[1]; j++)
            for (ptrdiff_t k = 0; k < half->count[2]; k++) {
                const int here = half->start[0] + i == wave[0] && half->start[1] + j == wave[1] &&
                                 half->start[2] + k == wave[2];
                const fftw_complex x =
                    spectrum[(i * half->count[1] + j) * half->count[2] + k] / points;
                error = fmax(error, cabs(x - (here ? 0.5 : 0)));
            }
    MPI_Allreduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

int main(int argc, char **argv)
{
    part real, half; /* of this rank: real numbers, spectrum */
    int dims[2], rank;
    void *in, *out;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    choose_device();
    weft_grid grid = weft_grid_create(MPI_COMM_WORLD, 2, NULL);
    weft_grid_dims(grid, dims);

    const ptrdiff_t numbers = weft_local_size(3, n, 1, grid, WEFT_DFT_R2C, 0, real.count,
                                              real.start, half.count, half.start);
    const size_t bytes = (size_t)numbers * sizeof(fftw_complex);
    void *host;
    check(cudaMallocHost(&host, bytes), "cudaMallocHost");
    check(cudaMalloc(&in, bytes), "cudaMalloc");
    check(cudaMalloc(&out, bytes), "cudaMalloc");
    fftw_plan plan = weft_plan_dft_r2c_3d(n[0], n[1], n[2], in, out, grid, FFTW_ESTIMATE);
    if (!plan) {
        fprintf(stderr, "pencil_r2c_cuda: no plan: %s\n", weft_last_error());
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }

    fill(&real, host);
    check(cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    fftw_execute(plan); /* returns when the result is in the array */
    check(cudaMemcpy(host, out, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    const double most = largest_error(&half, host);
    if (rank == 0)
        printf("pencil_r2c_cuda: on %d x %d ranks, largest error %.1e\n", dims[0], dims[1], most);

    fftw_destroy_plan(plan);
    weft_grid_free(grid);
    check(cudaFreeHost(host), "cudaFreeHost");
    check(cudaFree(in), "cudaFree");
    check(cudaFree(out), "cudaFree");
    MPI_Finalize();
    return most < 1e-13 ? EXIT_SUCCESS : EXIT_FAILURE;
}
