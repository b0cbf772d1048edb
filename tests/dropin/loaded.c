/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program, and libraries that it may load beside Weft (tests/scripts/loaded.sh). Without a macro
 * this file is the program. With STAND_IN it is a library in place of FFTW-MPI, with DOUBLE for one
 * precision only; with STARTER a library that initializes MPI; with PLUGINS a program that opens
 * both by dlopen; with OTHER_FFTW libraries with functions of libfftw3.
 */
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(STAND_IN)
/* (These functions make no plans.) */
#define NOTHING(letter)                                                                            \
    void *fftw##letter##_mpi_init(void)                                                            \
    {                                                                                              \
        return NULL;                                                                               \
    }                                                                                              \
    void *fftw##letter##_mpi_cleanup(void)                                                         \
    {                                                                                              \
        return NULL;                                                                               \
    }                                                                                              \
    void *fftw##letter##_mpi_local_size_2d(void)                                                   \
    {                                                                                              \
        return NULL;                                                                               \
    }                                                                                              \
    void *fftw##letter##_mpi_plan_dft_2d(void)                                                     \
    {                                                                                              \
        return NULL;                                                                               \
    }                                                                                              \
    void *fftw##letter##_mpi_execute_dft(void)                                                     \
    {                                                                                              \
        return NULL;                                                                               \
    }
NOTHING()
#ifndef DOUBLE
NOTHING(f)
NOTHING(l)
#endif
#elif defined(STARTER)
#include <mpi.h>
void start(void)
{
    MPI_Init(NULL, NULL);
}
#elif defined(PLUGINS)
static void call(const char *library, const char *name)
{
    void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void (*function)(void) = NULL;
    if (opened)
        *(void **)&function = dlsym(opened, name);
    if (!function) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
    function();
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 3;
    call(argv[1], "start");
    call(argv[2], "fftw_mpi_init");
    return 0;
}
#elif defined(OTHER_FFTW)
#ifdef VERSION
const char fftw_version[] = VERSION;
#endif
#ifdef OWN_PLANS
/* Returns a plan with a layout that no FFTW has had. */
void *fftw_plan_dft_1d(int n, void *in, void *out, int sign, unsigned flags)
{
    static void *plan[20] = {(void *)8, (void *)16};
    (void)n, (void)in, (void)out, (void)sign, (void)flags;
    return plan;
}
void fftw_destroy_plan(void *plan)
{
    (void)plan;
}
#endif
void fftw_execute(void *plan)
{
    void (*next)(void *) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "fftw_execute");
    next(plan);
}
#else
#include <fftw3-mpi.h>
#if defined(SINGLE)
#define FFTW(name) fftwf_##name
#elif defined(LONG)
#define FFTW(name) fftwl_##name
#else
#define FFTW(name) fftw_##name
#endif

/* Every number of the transform of a peak is one. */
int main(int argc, char **argv)
{
    enum { N = 8 };
    ptrdiff_t rows, first;
    int rank, right = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FFTW(mpi_init)();
    FFTW(complex) *array =
        FFTW(alloc_complex)((size_t)FFTW(mpi_local_size_2d)(N, N, MPI_COMM_WORLD, &rows, &first));
    FFTW(plan)
    plan = FFTW(mpi_plan_dft_2d)(N, N, array, array, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    if (!plan)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (ptrdiff_t i = 0; i < rows * N; i++)
        array[i][0] = first + i == 0, array[i][1] = 0;
    FFTW(mpi_execute_dft)(plan, array, array);
    for (ptrdiff_t i = 0; i < rows * N; i++)
        right &= array[i][0] == 1 && array[i][1] == 0;
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    FFTW(destroy_plan)(plan);
    FFTW(free)(array);
    FFTW(mpi_cleanup)();
    MPI_Finalize();
    if (rank == 0)
        puts(right ? "finished" : "wrong");
    return 0;
}
#endif
