/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans in several threads of one process, as fftw_make_planner_thread_safe and MPI's thread levels
 * allow. The environment (HOW) says which:
 *
 *     duplicates  each its own plan on a duplicate, run at once
 *     mixed       the same, but only rank 0 has threads; the others run one plan after the other
 *     one         duplicates, but all on one communicator
 *     same        one plan, which is wrong and ends the program
 *     planning    each plans, runs and destroys on a duplicate, at once, in any order
 *     turns       MPI_THREAD_SERIALIZED: one after the other, on MPI_COMM_WORLD
 *     master      MPI_THREAD_FUNNELED: the master of a parallel region, while the others compute
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

enum { THREADS = 2, RUNS = 60, PLANS = 12, N = 16, M = 12 };

typedef struct {
    MPI_Comm comm;
    int number, rank, wrong;
    int n;
    fftw_plan plan;
    fftw_complex *in, *out;
    ptrdiff_t rows, first;
} work;

static const char *how;

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

/* Transforms exp(2 pi i (a i / n + b j / M)); the result is n M at (a, b). */
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
    for (int i = 0; i < 300 * RUNS; i++)
        fftw_execute(it->plan);
    return NULL;
}

/* Every rank starts with another thread. */
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

/* The ways: what MPI must allow on rank 0, and on other ranks; whether threads have their own
 * communicators; how many plans exist before the threads; what each thread does (NULL: in_region)
 */
static const struct {
    const char *name;
    int level, others, apart, made;
    void *(*function)(void *);
} ways[] = {
    {"duplicates", MPI_THREAD_MULTIPLE, MPI_THREAD_MULTIPLE, 1, THREADS, runs},
    {"one", MPI_THREAD_MULTIPLE, MPI_THREAD_MULTIPLE, 0, THREADS, runs},
    {"same", MPI_THREAD_MULTIPLE, MPI_THREAD_MULTIPLE, 0, 1, runs_of_one_plan},
    {"planning", MPI_THREAD_MULTIPLE, MPI_THREAD_MULTIPLE, 1, 0, plans},
    {"mixed", MPI_THREAD_MULTIPLE, MPI_THREAD_FUNNELED, 1, THREADS, runs},
    {"turns", MPI_THREAD_SERIALIZED, MPI_THREAD_SERIALIZED, 0, 0, turns},
    {"master", MPI_THREAD_FUNNELED, MPI_THREAD_FUNNELED, 0, 0, NULL},
};

int main(int argc, char **argv)
{
    work all[THREADS] = {{0}};
    int provided, rank, way = 0, wrong = 0;
    const char *mine = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    how = getenv("HOW");
    while (strcmp(ways[way].name, how) != 0)
        way++;
    const int level = mine && atoi(mine) > 0 ? ways[way].others : ways[way].level;
    MPI_Init_thread(&argc, &argv, level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided < level) {
        if (rank == 0)
            printf("no threads\n");
        MPI_Finalize();
        return 77;
    }
    fftw_make_planner_thread_safe();
    if (!ways[way].function)
        fftw_plan_with_nthreads(THREADS);
    fftw_mpi_init();
    for (int t = 0; t < THREADS; t++) {
        all[t] = (work){.comm = MPI_COMM_WORLD, .number = t, .rank = rank, .n = N};
        if (ways[way].apart)
            MPI_Comm_dup(MPI_COMM_WORLD, &all[t].comm);
        if (t < ways[way].made)
            make(&all[t], FFTW_ESTIMATE);
    }
    if (ways[way].made == 1)
        all[1].plan = all[0].plan;
    if (ways[way].function && level >= MPI_THREAD_SERIALIZED)
        in_threads(ways[way].function, all);
    else if (ways[way].function)
        for (int t = 0; t < THREADS; t++)
            ways[way].function(&all[t]);
    else
        in_region(all);
    for (int t = 0; t < THREADS; t++) {
        wrong += all[t].wrong;
        if (t < ways[way].made)
            unmake(&all[t]);
        if (ways[way].apart)
            MPI_Comm_free(&all[t].comm);
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %d wrong\n", how, wrong);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return wrong != 0;
}
