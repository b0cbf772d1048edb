/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program may be loaded with besides Weft: see tests/scripts/loaded.sh. Compiled with
 * nothing it is the program; with STUB a library in the place of FFTW-MPI; with STARTER one that
 * initializes MPI; with PLUGINS a program that opens both and knows neither; with OTHER_FFTW
 * libraries that have functions of libfftw3's.
 */
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(STUB)
void fftw_mpi_init(void)
{
}
void *fftw_mpi_plan_dft_2d(void)
{
    return NULL;
}
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
/* Of no layout that FFTW has had. */
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
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    fftw_complex *array = fftw_alloc_complex(64 * 64);
    fftw_plan plan =
        fftw_mpi_plan_dft_2d(8, 8, array, array, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    fftw_free(array);
    MPI_Finalize();
    puts("finished");
    return 0;
}
#endif
