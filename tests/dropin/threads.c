/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of one process, as fftw_make_planner_thread_safe and MPI's levels of threads allow them.
 * The environment (HOW) says which:
 *
 *     duplicates  each its own plan on a duplicate, run at once
 *     one         the same, all on one communicator
 *     same        one plan, which is wrong and ends the program
 *     planning    each plans, runs and destroys on a duplicate, at once, in any order
 *     turns       MPI_THREAD_SERIALIZED: one after the other, on MPI_COMM_WORLD
 *     master      MPI_THREAD_FUNNELED: the master of a parallel region, while the others compute
 *
 * Every thread transforms waves, whose transform is one number.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fftw3-mpi.h>
#include <weft.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { THREADS = 2, RUNS = 200, PLANS = 12, N = 16, M = 12 };

typedef struct {
    MPI_Comm comm;
    int number, rank, wrong;
    int n;
    fftw_plan plan;
    fftw_complex *in, *out;
    ptrdiff_t rows, first;
} work;

static const char *how;

static int is(const char *name)
{
    return strcmp(how, name) == 0;
}

static void make(work *it, unsigned flags)
{
    const ptrdiff_t size = fftw_mpi_local_size_2d(it->n, M, it->comm, &it->rows, &it->first);
    it->in = fftw_alloc_complex((size_t)size + 1);
    it->out = weft_alloc_complex(size + 1, it->comm);
    it->plan = fftw_mpi_plan_dft_2d(it->n, M, it->in, it->out, it->comm, FFTW_FORWARD, flags);
    if (!it->plan || !it->out) {
        printf("%s: no plan: %s\n", how, weft_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void unmake(work *it)
{
    fftw_destroy_plan(it->plan);
    fftw_free(it->in);
    weft_free(it->out);
}

/* exp(2 pi i (a i / n + b j / M)), of which n M is left at (a, b). */
static void run(work *it, int a, int b)
{
    const double turn = 2 * acos(-1);
    for (ptrdiff_t i = 0; i < it->rows; i++)
        for (int j = 0; j < M; j++) {
            const double angle =
                turn * ((double)a * (double)(it->first + i) / it->n + (double)b * j / M);
            it->in[i * M + j][0] = cos(angle);
            it->in[i * M + j][1] = sin(angle);
        }
    fftw_execute(it->plan);
    for (ptrdiff_t i = 0; i < it->rows; i++)
        for (int j = 0; j < M; j++) {
            const double expected = it->first + i == a && j == b ? it->n * M : 0;
            it->wrong +=
                fabs(it->out[i * M + j][0] - expected) > 1e-9 || fabs(it->out[i * M + j][1]) > 1e-9;
        }
}

static void *runs(void *arg)
{
    work *it = arg;
    for (int i = 0; i < RUNS; i++)
        run(it, (i + it->number) % it->n, i % M);
    return NULL;
}

static void *runs_of_one_plan(void *arg)
{
    const work *it = arg;
    for (int i = 0; i < 100 * RUNS; i++)
        fftw_execute(it->plan);
    return NULL;
}

/* Another thread is the first on every rank. */
static void *plans(void *arg)
{
    work *it = arg;
    for (int i = 0; i < PLANS; i++) {
        it->n = N + i;
        usleep((useconds_t)((it->rank + it->number + i) % 2 * 300));
        make(it, i % 4 == 3 ? FFTW_MEASURE : FFTW_ESTIMATE);
        run(it, (i + it->number) % it->n, i % M);
        run(it, i % it->n, (i + it->number) % M);
        unmake(it);
    }
    return NULL;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next = PTHREAD_COND_INITIALIZER;
static int turn;

static void *turns(void *arg)
{
    work *it = arg;
    for (int i = 0; i < PLANS; i++) {
        pthread_mutex_lock(&lock);
        while (turn != it->number)
            pthread_cond_wait(&next, &lock);
        make(it, FFTW_ESTIMATE);
        run(it, i % it->n, it->number);
        unmake(it);
        turn = (turn + 1) % THREADS;
        pthread_cond_broadcast(&next);
        pthread_mutex_unlock(&lock);
    }
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

static void in_region(work *all)
{
#ifdef _OPENMP
    double sum = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
    {
        if (omp_get_thread_num() == 0)
            plans(&all[0]);
        else
            for (int i = 1; i < 1000000; i++)
                sum += 1.0 / i;
    }
    all[0].wrong += omp_get_max_threads() > 1 && !(sum > 1);
#else
    (void)all;
#endif
}

static void go(work *all)
{
    const int made = is("same") ? 1 : is("duplicates") || is("one") ? THREADS : 0;
    for (int t = 0; t < made; t++)
        make(&all[t], FFTW_ESTIMATE);
    if (is("same")) {
        work both[THREADS] = {all[0], all[0]};
        in_threads(runs_of_one_plan, both);
    } else if (made) {
        in_threads(runs, all);
    } else if (is("planning")) {
        in_threads(plans, all);
    } else if (is("turns")) {
        in_threads(turns, all);
    } else {
        in_region(all);
    }
    for (int t = 0; t < made; t++)
        unmake(&all[t]);
}

int main(int argc, char **argv)
{
    work all[THREADS] = {{0}};
    how = getenv("HOW") ? getenv("HOW") : "duplicates";
    const int wanted = is("turns")    ? MPI_THREAD_SERIALIZED
                       : is("master") ? MPI_THREAD_FUNNELED
                                      : MPI_THREAD_MULTIPLE;
    const int apart = is("duplicates") || is("planning");
    int provided, rank, wrong = 0;
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided < wanted) {
        if (rank == 0)
            printf("no threads\n");
        MPI_Finalize();
        return 77;
    }
    fftw_make_planner_thread_safe();
    if (is("master"))
        fftw_plan_with_nthreads(THREADS);
    fftw_mpi_init();
    for (int t = 0; t < THREADS; t++) {
        all[t] = (work){.comm = MPI_COMM_WORLD, .number = t, .rank = rank, .n = N};
        if (apart)
            MPI_Comm_dup(MPI_COMM_WORLD, &all[t].comm);
    }
    go(all);
    for (int t = 0; t < THREADS; t++) {
        wrong += all[t].wrong;
        if (apart)
            MPI_Comm_free(&all[t].comm);
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %d wrong\n", how, wrong);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return wrong != 0;
}
