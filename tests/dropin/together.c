/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens Weft and FFTW's MPI library in one process, WEFT_LIBRARY and FFTW_LIBRARY, in both orders.
 * Plans of both exist at the same time, run in turn, and give the same numbers; libfftw3, which
 * both use, runs each of them correctly.
 */
#include <dlfcn.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N0 = 12, N1 = 10, N2 = 6, PLANS = 4 };

/* The functions that the program looks up. */
#define FUNCTIONS(X)                                                                               \
    X(init)                                                                                        \
    X(cleanup)                                                                                     \
    X(local_size_3d_transposed)                                                                    \
    X(plan_dft_3d) X(plan_dft_r2c_3d) X(plan_r2r_2d) X(plan_transpose) X(execute_dft)
#define MEMBER(name) __typeof__(fftw_mpi_##name) *name;
#define FIND(name)   find(it, "fftw_mpi_" #name, &it->name);

typedef struct {
    void *handle;
    FUNCTIONS(MEMBER)
    ptrdiff_t numbers, results[PLANS]; /* numbers of the arrays; of the results */
    double *in, *out[PLANS];
    fftw_plan plan[PLANS];
} library;

static int rank, wrong;

static void hold(int condition, const char *what)
{
    if (!condition && !wrong)
        fprintf(stderr, "rank %d: %s\n", rank, what);
    wrong |= !condition;
}

static void find(library *it, const char *name, void *function)
{
    void *found = it->handle ? dlsym(it->handle, name) : NULL;
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memcpy(function, &found, sizeof found);
}

static void open_library(library *it, const char *path)
{
    it->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    FUNCTIONS(FIND)
    it->init();
}

/* Makes one plan; the libraries make plans in turn. */
static void plan(library *it, int which)
{
    ptrdiff_t n0, start0, n1, start1;
    if (which == 0) {
        it->numbers = 2 * it->local_size_3d_transposed(N0, N1, N2, MPI_COMM_WORLD, &n0, &start0,
                                                       &n1, &start1);
        it->in = fftw_alloc_real((size_t)it->numbers);
        it->results[0] = 2 * n1 * N0 * N2;
        it->results[1] = 2 * n0 * N1 * (N2 / 2 + 1);
        it->results[2] = n0 * N1;
        it->results[3] = n1 * N0;
    }
    it->out[which] = fftw_alloc_real((size_t)it->numbers);
    memset(it->out[which], 0, sizeof(double) * (size_t)it->numbers);
    fftw_complex *in = (fftw_complex *)it->in, *out = (fftw_complex *)it->out[which];
    if (which == 0)
        it->plan[0] = it->plan_dft_3d(N0, N1, N2, in, out, MPI_COMM_WORLD, FFTW_FORWARD,
                                      FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
    if (which == 1)
        it->plan[1] = it->plan_dft_r2c_3d(N0, N1, N2, it->in, out, MPI_COMM_WORLD, FFTW_ESTIMATE);
    if (which == 2)
        it->plan[2] = it->plan_r2r_2d(N0, N1, it->in, it->out[2], MPI_COMM_WORLD, FFTW_REDFT10,
                                      FFTW_RODFT01, FFTW_MEASURE);
    if (which == 3)
        it->plan[3] = it->plan_transpose(N0, N1, it->in, it->out[3], MPI_COMM_WORLD, FFTW_ESTIMATE);
    hold(it->plan[which] != NULL, "no plan");
}

static void run(library *it, int which, int again)
{
    for (ptrdiff_t i = 0; i < it->numbers; i++)
        it->in[i] = (double)(((i + 31 * rank) * 7919 + 13 * again) % 1009) / 1009 - 0.5;
    if (again && which == 0)
        it->execute_dft(it->plan[0], (fftw_complex *)it->in, (fftw_complex *)it->out[0]);
    else
        fftw_execute(it->plan[which]);
}

static void compare(const library *one, const library *other)
{
    hold(one->numbers == other->numbers, "other sizes");
    for (int which = 0; which < PLANS; which++)
        for (ptrdiff_t i = 0; i < one->results[which]; i++)
            hold(fabs(one->out[which][i] - other->out[which][i]) < 1e-11 * N0 * N1 * N2,
                 "other numbers");
}

static void check_plans(const library *it, int of_weft)
{
    for (int which = 0; which < PLANS; which++) {
        char *text = fftw_sprint_plan(it->plan[which]);
        hold(text && (strncmp(text, "(weft", 5) == 0) == of_weft, text);
        free(text);
    }
}

static void drop(library *it)
{
    for (int which = 0; which < PLANS; which++) {
        fftw_destroy_plan(it->plan[which]);
        fftw_free(it->out[which]);
    }
    fftw_free(it->in);
}

static void side_by_side(const char *first_path, const char *second_path, int weft_is_first)
{
    library first = {0}, second = {0};
    open_library(&first, first_path);
    open_library(&second, second_path);
    hold(first.plan_dft_3d != second.plan_dft_3d && first.execute_dft != second.execute_dft,
         "one library");
    for (int which = 0; which < PLANS; which++) {
        plan(&first, which);
        plan(&second, which);
    }
    if (!wrong) {
        check_plans(&first, weft_is_first);
        check_plans(&second, !weft_is_first);
    }
    for (int again = 0; again < 2 && !wrong; again++) {
        for (int which = 0; which < PLANS; which++) {
            run(&second, which, again);
            run(&first, which, again);
        }
        compare(&first, &second);
    }
    drop(&first);
    if (!wrong)
        run(&second, 1, 0); /* still works after the other library's plans are destroyed */
    drop(&second);
    first.cleanup();
    second.cleanup();
    dlclose(second.handle);
    dlclose(first.handle);
}

int main(int argc, char **argv)
{
    int all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    side_by_side(WEFT_LIBRARY, FFTW_LIBRARY, 1);
    side_by_side(FFTW_LIBRARY, WEFT_LIBRARY, 0);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return all;
}
