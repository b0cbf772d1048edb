/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries that a program may load beside Weft (tests/scripts/loaded.sh). With STAND_IN it is a
 * library in place of FFTW-MPI, with DOUBLE for one precision only; with STARTER a library that
 * initializes MPI; with PLUGINS a program that opens both by dlopen; otherwise a library with
 * functions of libfftw3.
 */
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(STAND_IN)
/* These functions make no plans. */
#define EMPTY(name)                                                                                \
    void *name(void)                                                                               \
    {                                                                                              \
        return NULL;                                                                               \
    }
#define NOTHING(letter)                                                                            \
    EMPTY(fftw##letter##_mpi_init)                                                                 \
    EMPTY(fftw##letter##_mpi_cleanup)                                                              \
    EMPTY(fftw##letter##_mpi_local_size_3d)                                                        \
    EMPTY(fftw##letter##_mpi_plan_dft_3d)
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
#else
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
#endif
