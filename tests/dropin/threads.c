/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of one process, each with plans of its own, as fftw_make_planner_thread_safe and
 * MPI_THREAD_MULTIPLE allow it. The environment (HOW) says on what: "world" (one thread alone, on
 * MPI_COMM_WORLD), "duplicates" (a duplicate a thread), "one" (all threads on one communicator).
 * Every thread transforms waves, whose transform is one number. "same" has them run one plan, which
 * is wrong and ends the program.
 */
#include <fftw3-mpi.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, RUNS = 200, N = 16, M = 12 };

typedef struct {
    MPI_Comm comm;
    int number, wrong;
    fftw_plan plan;
    fftw_complex *in, *out;
    ptrdiff_t rows, first;
} work;

static void make(work *it)
{
    const ptrdiff_t size = fftw_mpi_local_size_2d(N, M, it->comm, &it->rows, &it->first);
    it->in = fftw_alloc_complex((size_t)size + 1);
    it->out = fftw_alloc_complex((size_t)size + 1);
    it->plan = fftw_mpi_plan_dft_2d(N, M, it->in, it->out, it->comm, FFTW_FORWARD, FFTW_ESTIMATE);
    it->wrong += !it->plan;
}

static void unmake(work *it)
{
    fftw_destroy_plan(it->plan);
    fftw_free(it->in);
    fftw_free(it->out);
}

/* exp(2 pi i (a i / N + b j / M)), of which N M is left at (a, b). */
static void run(work *it, int a, int b)
{
    const double turn = 2 * acos(-1);
    for (ptrdiff_t i = 0; i < it->rows; i++)
        for (int j = 0; j < M; j++) {
            const double angle =
                turn * ((double)a * (double)(it->first + i) / N + (double)b * j / M);
            it->in[i * M + j][0] = cos(angle);
            it->in[i * M + j][1] = sin(angle);
        }
    fftw_execute(it->plan);
    for (ptrdiff_t i = 0; i < it->rows; i++)
        for (int j = 0; j < M; j++) {
            const double expected = it->first + i == a && j == b ? N * M : 0;
            it->wrong +=
                fabs(it->out[i * M + j][0] - expected) > 1e-9 || fabs(it->out[i * M + j][1]) > 1e-9;
        }
}

static void *runs(void *arg)
{
    work *it = arg;
    for (int i = 0; i < RUNS; i++)
        run(it, (i + it->number) % N, i % M);
    return NULL;
}

static void *runs_of_one_plan(void *arg)
{
    const work *it = arg;
    for (int i = 0; i < 100 * RUNS; i++)
        fftw_execute(it->plan);
    return NULL;
}

static void in_threads(void *(*function)(void *), work *all)
{
    pthread_t thread[THREADS];
    for (int t = 0; t < THREADS; t++)
        pthread_create(&thread[t], NULL, function, &all[t]);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
}

int main(int argc, char **argv)
{
    int provided, rank, wrong = 0;
    work all[THREADS] = {{0}};
    const char *how = getenv("HOW") ? getenv("HOW") : "world";
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided < MPI_THREAD_MULTIPLE && strcmp(how, "world") != 0) {
        if (rank == 0)
            printf("no threads\n");
        MPI_Finalize();
        return 77;
    }
    fftw_make_planner_thread_safe();
    fftw_mpi_init();
    for (int t = 0; t < THREADS; t++) {
        all[t].number = t;
        all[t].comm = MPI_COMM_WORLD;
        if (strcmp(how, "duplicates") == 0)
            MPI_Comm_dup(MPI_COMM_WORLD, &all[t].comm);
    }
    const int some = strcmp(how, "world") == 0 ? 1 : THREADS;
    for (int t = 0; t < some; t++)
        make(&all[t]);
    if (strcmp(how, "same") == 0) {
        work both[THREADS] = {all[0], all[0]};
        in_threads(runs_of_one_plan, both);
    } else if (some == 1) {
        runs(&all[0]);
    } else {
        in_threads(runs, all);
    }
    for (int t = 0; t < some; t++)
        unmake(&all[t]);
    for (int t = 0; t < THREADS; t++) {
        wrong += all[t].wrong;
        if (all[t].comm != MPI_COMM_WORLD)
            MPI_Comm_free(&all[t].comm);
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %d wrong\n", how, wrong);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return wrong != 0;
}
