/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For scripts: makes one plan of N x N numbers. It prints a line for each rank, with the plan and
 * Weft's sentence, and another with its process number. The plan transforms a single 1 at the
 * origin; the result is 1 everywhere. It may be linked to any library with FFTW-MPI's names. From
 * the environment:
 *
 *     N, FLAGS   size and flags of the plan (8, FFTW_ESTIMATE)
 *     DEVICE     device library that allocates the arrays; then the plan does not run
 *     HOW        mpi: makes no plan; last, all: the last rank, or each, first changes to another
 *                folder; wait, run: continues until it is killed; leave: destroys nothing;
 *                late: call NUMBER is counted while the plan runs
 *     FILE       file to export wisdom to
 *     REPORT     file for both reports of the plan
 *     PRINT      file for standard error
 *     NUMBER     number of the MPI call that fails during planning, by tests/mpi/watch.c, on the
 *                last rank or, with ALL, on all ranks; then it plans again without a failure
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fftw3-mpi.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "kernels/device/device.h"

enum { TEXT = 1000, RANKS = 16 };

static int rank, ranks;
static ptrdiff_t n = 8;
static long number;

static int how(const char *word)
{
    return getenv("HOW") && strstr(getenv("HOW"), word);
}

static void *(*allocate)(size_t) = fftw_malloc;
static void (*release)(void *) = fftw_free;

/* Begins or ends the counting of MPI's calls, in planning or in the run. */
static void count(int begin, int late)
{
    void (*fail)(long);
    long (*calls)(void);
    *(void **)&fail = dlsym(RTLD_DEFAULT, "watch_fail");
    *(void **)&calls = dlsym(RTLD_DEFAULT, "watch_calls");
    if (!fail || late != !!how("late") || (!getenv("ALL") && rank < ranks - 1))
        return;
    if (!begin)
        printf("calls %ld\n", calls());
    fail(begin ? number : 0);
}

/* Runs the plan; whether the result is right on this rank. */
static int right(fftw_plan plan, fftw_complex *in, fftw_complex *out)
{
    const ptrdiff_t block = (n + ranks - 1) / ranks, start = block * rank < n ? block * rank : n,
                    end = start + block < n ? start + block : n;
    int ok = 1;
    memset(in, 0, sizeof *in * (size_t)((end - start) * n));
    if (start < end && start == 0)
        in[0][0] = 1;
    count(1, 1);
    fftw_execute(plan);
    count(0, 1);
    for (ptrdiff_t i = 0; i < (end - start) * n; i++)
        ok &= out[i][0] > 0.999 && out[i][0] < 1.001 && out[i][1] > -0.001 && out[i][1] < 0.001;
    return ok;
}

/* Looks up Weft's functions by dlsym, so that the program need not be linked to Weft. */
static const char *said(void)
{
    const char *(*last_error)(void);
    *(void **)&last_error = dlsym(RTLD_DEFAULT, "weft_last_error");
    return last_error ? last_error() : "";
}

static void write_files(fftw_plan plan)
{
    int (*export)(const char *), (*report)(fftw_plan, FILE *);
    *(void **)&export = dlsym(RTLD_DEFAULT, "weft_export_wisdom_to_filename");
    if (getenv("FILE") && export(getenv("FILE")))
        puts("exported");
    else if (getenv("FILE"))
        printf("not exported: %s\n", said());
    FILE *file = plan && getenv("REPORT") ? fopen(getenv("REPORT"), "w") : NULL;
    for (int json = 0; file && json < 2; json++) {
        *(void **)&report =
            dlsym(RTLD_DEFAULT, json ? "weft_plan_report_json" : "weft_plan_report");
        report(plan, file);
    }
    if (file)
        fclose(file);
}

/* Plans, runs, and prints the lines of all ranks. */
static fftw_plan try(fftw_complex *in, fftw_complex *out, unsigned flags)
{
    char line[RANKS][TEXT];
    fftw_plan plan = NULL;
    count(1, 0);
    if (!how("mpi"))
        plan = fftw_mpi_plan_dft_2d(n, n, in, out, MPI_COMM_WORLD, FFTW_FORWARD, flags);
    count(0, 0);
    const char *result = !plan                  ? "no plan"
                         : getenv("DEVICE")     ? "a plan"
                         : right(plan, in, out) ? "a plan, right"
                                                : "a plan, wrong";
    snprintf(line[rank], TEXT, "rank %d%s: %s, %s", rank, getauxval(AT_SECURE) ? ", set-uid" : "",
             result, said());
    MPI_Gather(rank ? line[rank] : MPI_IN_PLACE, TEXT, MPI_CHAR, line, TEXT, MPI_CHAR, 0,
               MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < ranks; i++)
        puts(line[i]); /* a launcher may mix long lines of two ranks */
    return plan;
}

int main(int argc, char **argv)
{
    char half[32];
    const unsigned flags =
        getenv("FLAGS") ? (unsigned)strtoul(getenv("FLAGS"), NULL, 0) : FFTW_ESTIMATE;
    n = getenv("N") ? atol(getenv("N")) : n;
    if (getenv("PRINT") && !freopen(getenv("PRINT"), "w", stderr))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    fftw_mpi_init();
    setlocale(LC_ALL, "");
    snprintf(half, sizeof half, "%g", 0.5);
    if ((how("all") || (how("last") && rank == ranks - 1)) && chdir("/"))
        return 2;
    if (getenv("DEVICE")) {
        const weft_device_library *device =
            dlsym(dlopen(getenv("DEVICE"), RTLD_NOW), WEFT_DEVICE_SYMBOL);
        allocate = device->allocate;
        release = device->release;
    }
    const size_t bytes = sizeof(fftw_complex) * (size_t)(n * n + n);
    fftw_complex *in = allocate(bytes), *out = allocate(bytes);
    if (getenv("NUMBER")) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        number = atol(getenv("NUMBER"));
        fftw_destroy_plan(try(in, out, flags));
        number = 0;
    }
    fftw_plan plan = try(in, out, flags);
    if (rank == 0)
        write_files(plan);
    if (rank == 0)
        printf("half of one is %s and %g\n", half, 0.5);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("pid %ld\n", (long)getpid());
    fflush(stdout);
    if (how("wait"))
        pause();
    while (how("run"))
        fftw_execute(plan);
    if (!how("leave")) {
        fftw_destroy_plan(plan);
        release(in);
        release(out);
        fftw_mpi_cleanup();
    }
    MPI_Finalize();
    return 0;
}
