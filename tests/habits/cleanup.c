/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library of operators, each with a plan of its own: whoever destroys an operator cleans FFTW up,
 * too, while the plans of others are alive. Those go on, and new ones are made. (The manual forbids
 * it; FFTW-MPI lets it pass.)
 */
#include "report.h"

typedef struct {
    int n[2];
    ptrdiff_t count, start;
    fftw_complex *data;
    fftw_plan there, back;
} operator;

static operator make(int n0, int n1)
{
    operator it = {.n = {n0, n1}};
    const ptrdiff_t size = fftw_mpi_local_size_2d(n0, n1, MPI_COMM_WORLD, &it.count, &it.start);
    it.data = fftw_alloc_complex((size_t)size);
    it.there = planned(
        fftw_mpi_plan_dft_2d(n0, n1, it.data, it.data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE),
        "there");
    it.back = planned(
        fftw_mpi_plan_dft_2d(n0, n1, it.data, it.data, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_MEASURE),
        "back");
    return it;
}

static void apply(const char *name, operator* it)
{
    const ptrdiff_t row = 2 * it->n[1], count = it->count * row, start = it->start * row;
    double *right = whole_dft(2, it->n, FFTW_FORWARD);
    fill(it->data, count, start);
    fftw_execute(it->there);
    compare(name, it->data, right + start, count);
    fftw_execute(it->back);
    compare_scaled(name, it->data, it->n[0] * it->n[1], count, start);
    fftw_free(right);
}

static void destroy(operator* it)
{
    fftw_destroy_plan(it->there);
    fftw_destroy_plan(it->back);
    fftw_free(it->data);
    fftw_mpi_cleanup();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    look_around();
    fftw_mpi_init();
    operator first = make(12, 10), second = make(9, 8);
    apply("first", &first);
    apply("second", &second);
    destroy(&first);
    apply("second_again", &second);
    operator third = make(10, 12);
    destroy(&second);
    apply("third", &third);
    apply("third_again", &third);
    destroy(&third);
    return verdict();
}
