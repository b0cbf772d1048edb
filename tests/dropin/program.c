/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program as users of FFTW's MPI library write it, without anything of Weft. It prints the
 * sizes that the library returns and every bit of its results, so that scripts can compare two
 * libraries; and its plans to stderr. From the environment: PROGRAM_FLAGS, the rigor of all plans;
 * PROGRAM_FROM and PROGRAM_TO, files to read wisdom from and to write it to.
 */
#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks;

/* Rank 0 prints the numbers of all ranks, in the order of ranks. */
static void show(const char *name, const double *numbers, ptrdiff_t count)
{
    int mine = (int)count, total = 0;
    int *counts = malloc(sizeof *counts * (size_t)ranks), *at = malloc(sizeof *at * (size_t)ranks);
    MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++) {
        at[i] = total;
        total += counts[i];
    }
    double *all = malloc(sizeof *all * (size_t)(total + 1));
    MPI_Gatherv(numbers, mine, MPI_DOUBLE, all, counts, at, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < total && rank == 0; i++)
        printf("%s %d %.17g\n", name, i, all[i]);
    free(all);
    free(at);
    free(counts);
}

static void show_sizes(const char *name, ptrdiff_t a, ptrdiff_t b, ptrdiff_t c, ptrdiff_t d,
                       ptrdiff_t e)
{
    double sizes[] = {(double)a, (double)b, (double)c, (double)d, (double)e};
    show(name, sizes, 5);
}

static unsigned rigor(unsigned usual)
{
    const char *asked = getenv("PROGRAM_FLAGS");
    return asked ? (unsigned)strtoul(asked, NULL, 0) : usual;
}

static void show_plan(fftw_plan plan)
{
    if (!plan) {
        fprintf(stderr, "no plan\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    char *text = fftw_sprint_plan(plan);
    if (rank == 0)
        fprintf(stderr, "plan %s\n", text);
    free(text);
}

static void fill(double *numbers, ptrdiff_t count, ptrdiff_t from)
{
    for (ptrdiff_t i = 0; i < count; i++)
        numbers[i] = (double)((i + from) * 7919 % 1009) / 1009 - 0.5;
}

/* In place, measured, with transposed output, and backward. */
static void cube(void)
{
    const ptrdiff_t n[] = {20, 18, 16};
    ptrdiff_t n0, start0, n1, start1;
    ptrdiff_t size = fftw_mpi_local_size_3d_transposed(n[0], n[1], n[2], MPI_COMM_WORLD, &n0,
                                                       &start0, &n1, &start1);
    show_sizes("cube_sizes", size, n0, start0, n1, start1);
    fftw_complex *data = fftw_alloc_complex((size_t)size);
    fftw_plan there =
        fftw_mpi_plan_dft_3d(n[0], n[1], n[2], data, data, MPI_COMM_WORLD, FFTW_FORWARD,
                             rigor(FFTW_MEASURE) | FFTW_MPI_TRANSPOSED_OUT);
    fftw_plan back =
        fftw_mpi_plan_dft_3d(n[0], n[1], n[2], data, data, MPI_COMM_WORLD, FFTW_BACKWARD,
                             rigor(FFTW_MEASURE) | FFTW_MPI_TRANSPOSED_IN);
    show_plan(there);
    show_plan(back);
    fill(data[0], 2 * n0 * n[1] * n[2], 2 * start0 * n[1] * n[2]);
    fftw_execute(there);
    show("cube", data[0], 2 * n1 * n[0] * n[2]);
    fftw_execute(back);
    show("cube_back", data[0], 2 * n0 * n[1] * n[2]);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(data);
}

/* Real data out of place, with explicit blocks and pairs of numbers, run on other arrays than the
 * arrays of planning. */
static void real_pairs(void)
{
    const ptrdiff_t n[] = {9, 8, 10}, half[] = {9, 8, 6};
    ptrdiff_t n0, start0, block = (n[0] + ranks - 1) / ranks + 1;
    ptrdiff_t size = fftw_mpi_local_size_many(3, half, 2, block, MPI_COMM_WORLD, &n0, &start0);
    show_sizes("pairs_sizes", size, n0, start0, 0, 0);
    double *in = fftw_alloc_real(2 * (size_t)size), *other = fftw_alloc_real(2 * (size_t)size);
    fftw_complex *out = fftw_alloc_complex((size_t)size);
    fftw_plan plan = fftw_mpi_plan_many_dft_r2c(3, n, 2, block, block, in, out, MPI_COMM_WORLD,
                                                rigor(FFTW_ESTIMATE));
    show_plan(plan);
    fill(other, n0 * n[1] * 2 * half[2] * 2, start0 * n[1] * 2 * half[2] * 2);
    fftw_mpi_execute_dft_r2c(plan, other, out);
    show("pairs", out[0], 2 * n0 * n[1] * half[2] * 2);
    fftw_destroy_plan(plan);
    fftw_free(in);
    fftw_free(other);
    fftw_free(out);
}

static void cosines(void)
{
    ptrdiff_t n0, start0;
    ptrdiff_t size = fftw_mpi_local_size_2d(12, 9, MPI_COMM_WORLD, &n0, &start0);
    show_sizes("cosines_sizes", size, n0, start0, 0, 0);
    double *data = fftw_alloc_real((size_t)size);
    fftw_plan plan = fftw_mpi_plan_r2r_2d(12, 9, data, data, MPI_COMM_WORLD, FFTW_REDFT10,
                                          FFTW_RODFT10, rigor(FFTW_ESTIMATE));
    show_plan(plan);
    fill(data, n0 * 9, start0 * 9);
    fftw_execute(plan);
    show("cosines", data, n0 * 9);
    fftw_destroy_plan(plan);
    fftw_free(data);
}

static void line(unsigned flags, const char *sizes, const char *name)
{
    const ptrdiff_t n = 60;
    ptrdiff_t ni, starti, no, starto;
    ptrdiff_t size =
        fftw_mpi_local_size_1d(n, MPI_COMM_WORLD, FFTW_FORWARD, flags, &ni, &starti, &no, &starto);
    show_sizes(sizes, size, ni, starti, no, starto);
    fftw_complex *in = fftw_alloc_complex((size_t)size), *out = fftw_alloc_complex((size_t)size);
    fftw_plan plan = fftw_mpi_plan_dft_1d(n, in, out, MPI_COMM_WORLD, FFTW_FORWARD,
                                          rigor(FFTW_ESTIMATE) | flags);
    show_plan(plan);
    fill(in[0], 2 * ni, 2 * starti);
    fftw_execute(plan);
    show(name, out[0], 2 * no);
    fftw_destroy_plan(plan);
    fftw_free(in);
    fftw_free(out);
}

/* A transpose that is run as a real transform, as programs do. */
static void matrix(void)
{
    ptrdiff_t n0, start0, n1, start1;
    ptrdiff_t size = fftw_mpi_local_size_many_transposed(
        2, (ptrdiff_t[]){10, 14}, 3, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK, MPI_COMM_WORLD,
        &n0, &start0, &n1, &start1);
    show_sizes("matrix_sizes", size, n0, start0, n1, start1);
    double *data = fftw_alloc_real((size_t)size), *other = fftw_alloc_real((size_t)size);
    fftw_plan plan =
        fftw_mpi_plan_many_transpose(10, 14, 3, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK,
                                     data, data, MPI_COMM_WORLD, rigor(FFTW_MEASURE));
    show_plan(plan);
    fill(other, n0 * 14 * 3, start0 * 14 * 3);
    fftw_execute_r2r(plan, other, other);
    show("matrix", other, n1 * 10 * 3);
    fftw_destroy_plan(plan);
    fftw_free(data);
    fftw_free(other);
}

int main(int argc, char **argv)
{
    const char *from = getenv("PROGRAM_FROM"), *to = getenv("PROGRAM_TO");
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0 && from && *from && !fftw_import_wisdom_from_filename(from))
        printf("%s cannot be imported\n", from);
    fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
    cube();
    real_pairs();
    cosines();
    line(0, "line_sizes", "line");
    if (ranks > 1)
        line(FFTW_MPI_SCRAMBLED_OUT, "scrambled_sizes", "scrambled");
    matrix();
    fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
    if (rank == 0 && to && *to && !fftw_export_wisdom_to_filename(to))
        printf("%s cannot be exported\n", to);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return 0;
}
