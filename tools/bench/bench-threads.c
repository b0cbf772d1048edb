/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times one process with threads: libraries with FFTW's interface (FFTW with threads, Intel's MKL)
 * take turns on the same transforms. Prints results as weft-bench --json does, with the number of
 * threads in place of the number of ranks, so that weft-bench --plot draws both.
 *
 *     bench-threads THREADS SECONDS NAME=LIBRARY... SIZE...
 *     bench-threads 16 0.3 "FFTW threads=libfftw3_threads.so.3" MKL=libmkl_rt.so 64x64x64
 * 128x128x128
 */
#include <dlfcn.h>
#include <fftw3.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tools/median.h"

enum { MOST_LIBRARIES = 4, FEWEST_RUNS = 5, MOST_RUNS = 1000 };

typedef struct {
    const char *name;
    int (*init_threads)(void);
    void (*plan_with_nthreads)(int);
    fftw_plan (*plan_dft_3d)(int, int, int, fftw_complex *, fftw_complex *, int, unsigned);
    fftw_plan (*plan_dft_r2c_3d)(int, int, int, double *, fftw_complex *, unsigned);
    void (*execute)(fftw_plan);
    void (*destroy_plan)(fftw_plan);
    fftw_plan plan;
    double planning, median, time[MOST_RUNS];
} contender;

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench-threads: %s: %s\n", what, why);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Looks up a function; object pointers cannot be cast to function pointers in ISO C. */
static void find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    if (!symbol)
        stop(name, "the library does not have this function");
    memcpy(function, &symbol, sizeof symbol);
}

static void open_library(contender *it, char *argument, int threads)
{
    char *file = strchr(argument, '=');
    *file++ = '\0';
    it->name = argument;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        stop(file, dlerror());
    find(library, "fftw_init_threads", &it->init_threads);
    find(library, "fftw_plan_with_nthreads", &it->plan_with_nthreads);
    find(library, "fftw_plan_dft_3d", &it->plan_dft_3d);
    find(library, "fftw_plan_dft_r2c_3d", &it->plan_dft_r2c_3d);
    find(library, "fftw_execute", &it->execute);
    find(library, "fftw_destroy_plan", &it->destroy_plan);
    if (!it->init_threads())
        stop(file, "fftw_init_threads failed");
    it->plan_with_nthreads(threads);
}

static void make_plan(contender *it, const int n[3], bool real, void *in, fftw_complex *out)
{
    const double began = now();
    it->plan = real ? it->plan_dft_r2c_3d(n[0], n[1], n[2], in, out, FFTW_MEASURE)
                    : it->plan_dft_3d(n[0], n[1], n[2], in, out, FFTW_FORWARD, FFTW_MEASURE);
    it->planning = now() - began;
    if (!it->plan)
        stop(it->name, "no plan");
}

static double timed(const contender *it)
{
    const double began = now();
    it->execute(it->plan);
    return now() - began;
}

/* All contenders run in turn until each has had `seconds`. The first run of a turn does not count:
 * caches then have the numbers of the previous contender. */
static int run_in_turn(contender *all, int count, double seconds)
{
    int runs = 0;
    for (const double end = now() + count * seconds;
         runs < FEWEST_RUNS || (now() < end && runs < MOST_RUNS); runs++)
        for (int i = 0; i < count; i++) {
            all[i].execute(all[i].plan);
            all[i].time[runs] = timed(&all[i]);
        }
    for (int i = 0; i < count; i++)
        all[i].median = median_of(all[i].time, runs);
    return runs;
}

static void *allocate(size_t numbers)
{
    const size_t line = 64, bytes = numbers * sizeof(double);
    return aligned_alloc(line, (bytes + line - 1) / line * line);
}

static void time_case(contender *all, int count, const char *size, bool real, double seconds,
                      const char *separator)
{
    int n[3];
    if (sscanf(size, "%dx%dx%d", &n[0], &n[1], &n[2]) != 3 || n[0] < 1 || n[1] < 1 || n[2] < 1)
        stop(size, "it should be a size as 64x64x64");
    const size_t points = (size_t)n[0] * (size_t)n[1] * (size_t)n[2],
                 outputs = real ? points / (size_t)n[2] * (size_t)(n[2] / 2 + 1) : points;
    double *in = allocate(real ? points : 2 * points);
    fftw_complex *out = allocate(2 * outputs);
    if (!in || !out)
        stop(size, "not enough memory");
    for (int i = 0; i < count; i++)
        make_plan(&all[i], n, real, in, out);
    for (size_t i = 0; i < (real ? points : 2 * points); i++)
        in[i] = (double)(i % 97) / 97 - 0.5;
    const int runs = run_in_turn(all, count, seconds);
    printf("%s  {\"case\": \"%s %s\", \"results\": [", separator, real ? "r2c" : "c2c", size);
    for (int i = 0; i < count; i++) {
        const double work = (real ? 2.5 : 5.0) * (double)points * log2((double)points);
        printf("%s\n    {\"by\": \"%s\", \"made\": true, \"median\": %g, \"minimum\": %g, "
               "\"rounds\": %d, \"planning\": %g, \"difference\": 0, \"gflops\": %g}",
               i ? "," : "", all[i].name, all[i].median, all[i].time[0], runs, all[i].planning,
               work / all[i].median / 1e9);
        all[i].destroy_plan(all[i].plan);
    }
    printf("]}");
    fflush(stdout);
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    static contender all[MOST_LIBRARIES];
    int count = 0, at = 3;
    const int threads = argc > 4 ? atoi(argv[1]) : 0;
    const double seconds = argc > 4 ? atof(argv[2]) : 0;
    if (threads < 1 || seconds <= 0) {
        fprintf(stderr, "Usage: bench-threads THREADS SECONDS NAME=LIBRARY... SIZE...\n");
        return 2;
    }
    for (; at < argc && strchr(argv[at], '='); at++, count++) {
        if (count == MOST_LIBRARIES)
            stop(argv[at], "there are too many libraries");
        open_library(&all[count], argv[at], threads);
    }
    if (count == 0 || at == argc)
        stop("arguments", "there must be a library and a size");
    printf("{\"processor\": \"%s\", \"mpi\": \"none\", \"ranks\": %d, \"ranks_per_node\": %d, "
           "\"rigor\": \"measure\", "
           "\"timed\": \"runs\",\n\"cases\": [\n",
           getenv("PROCESSOR") ? getenv("PROCESSOR") : "unknown", threads, threads);
    for (int first = at; at < argc; at++)
        for (int real = 0; real < 2; real++)
            time_case(all, count, argv[at], real, seconds, at > first || real ? ",\n" : "");
    printf("\n]}\n");
    return 0;
}
