/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs sequences of calls from seeds, until a number of sequences or a time. It stops at the first
 * sequence that fails, and prints the options that repeat it:
 *
 *     test_sequences [--seed S] [--count N] [--seconds T] [--threads] [--whole] [--soak]
 *                    [--loud] [--without 3,7,8]
 *
 * Without options it runs 40 sequences from seed 1 on, and 20 from a random seed on; with --seconds
 * each gets half of the time. --threads runs plans in several threads at once; each then has a
 * separate communicator and memory, otherwise plans share them. --whole starts no plan that is
 * finished later. --soak compares memory and files of every process after a tenth of the time and
 * at the end. --loud prints the steps of a sequence, and --without leaves some out.
 */
#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/growth.h"

#ifndef THREADS
#define THREADS false
#endif

enum {
    SEQUENCES = 40 /* from seed 1 on; then half as many from a random seed on */,
    LIMIT = 300 /* seconds for a sequence */,
    NEWS = 60 /* seconds between lines about the progress */
};

static struct {
    unsigned seed, count;
    double seconds;
    bool seeded, soak;
    bool leave_out[FUZZ_STEPS];
} asked = {.seed = 1, .count = SEQUENCES, .seconds = 1e9};

static int rank, ranks;

static void leave_out(const char *list)
{
    for (char *end; *list; list = *end == ',' ? end + 1 : end) {
        const long step = strtol(list, &end, 10);
        if (end == list)
            return;
        if (step >= 0 && step < FUZZ_STEPS)
            asked.leave_out[step] = true;
    }
}

static bool read_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--threads") == 0)
            fuzz_threads = true;
        else if (strcmp(argv[i], "--loud") == 0)
            fuzz_loud = true;
        else if (strcmp(argv[i], "--whole") == 0)
            fuzz_whole = true;
        else if (strcmp(argv[i], "--soak") == 0)
            asked.soak = true;
        else if (strcmp(argv[i], "--seed") == 0)
            asked.seed = (unsigned)strtoul(argv[++i], NULL, 10), asked.seeded = true;
        else if (strcmp(argv[i], "--count") == 0)
            asked.count = (unsigned)strtoul(argv[++i], NULL, 10), asked.seconds = 1e9;
        else if (strcmp(argv[i], "--seconds") == 0)
            asked.seconds = strtod(argv[++i], NULL), asked.count = UINT_MAX;
        else if (strcmp(argv[i], "--without") == 0)
            leave_out(argv[++i]);
        else
            return false;
        if (argv[i] == value && !*value)
            return false;
    }
    return true;
}

/* Whether no rank has an error; the lowest rank with one prints it. */
static bool all_right(const char *wrong, unsigned seed)
{
    int lowest = wrong && *wrong ? rank : ranks;
    MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (lowest == rank) {
        printf("seed %u, rank %d of %d: %s\n%s\n", seed, rank, ranks, wrong, fuzz_replay(seed));
        fflush(stdout);
    }
    return lowest == ranks;
}

/* Returns rank 0's seconds since `begun`. */
static double spent_since(double begun)
{
    double seconds = MPI_Wtime() - begun;
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return seconds;
}

static void report(unsigned seed, const char *more)
{
    printf("%d ranks%s, seeds %u to %u: right, %ld runs of plans on rank 0%s%s\n", ranks,
           fuzz_threads ? " with threads" : "", asked.seed, seed - 1, fuzz_runs, *more ? "; " : "",
           more);
    fflush(stdout);
}

/* Measures after emptying all caches. */
static growth look(unsigned seed)
{
    char text[400];
    FFTW(mpi_cleanup)();
    const growth now = growth_now();
    FFTW(mpi_init)();
    growth_describe(&now, text, sizeof text);
    if (rank == 0)
        report(seed, text);
    return now;
}

/* Returns a random seed, the same on all ranks. */
static unsigned random_seed(void)
{
    unsigned seed = (unsigned)time(NULL) % 4000000 * 1000;
    MPI_Bcast(&seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    return seed;
}

static bool run_all(void)
{
    growth warm = {{0}}, now;
    char text[400];
    double news = NEWS, begun = MPI_Wtime(), spent = 0;
    bool right = true, warmed = false;
    unsigned seed = asked.seed;
    fuzz_runs = 0;
    while (right && spent < asked.seconds && seed - asked.seed < asked.count) {
        fuzz_begin_seed(seed, LIMIT);
        fuzz_sequence(seed, asked.leave_out);
        right = all_right(fuzz_wrong, seed++);
        spent = spent_since(begun);
        fuzz_end_seed();
        if (asked.soak && !warmed && spent > asked.seconds / 10) {
            warm = look(seed);
            warmed = true;
        }
        if (spent > news) {
            news += NEWS;
            if (asked.soak)
                look(seed);
            else if (rank == 0)
                report(seed, "");
        }
    }
    if (right && asked.soak) {
        now = look(seed);
        right = all_right(growth_wrong(&warm, &now, text, sizeof text), seed);
    } else if (right && rank == 0) {
        report(seed, "");
    }
    return right;
}

int main(int argc, char **argv)
{
    int provided;
    fuzz_threads = THREADS;
    const bool understood = read_options(argc, argv);
    MPI_Init_thread(&argc, &argv, fuzz_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!understood && rank == 0)
        fprintf(stderr, "usage: test_sequences [--seed S] [--count N] [--seconds T] [--threads] "
                        "[--whole] [--soak] [--loud] [--without STEPS]\n");
    fuzz_threads = fuzz_threads && provided == MPI_THREAD_MULTIPLE;
    fuzz_watch_deaths();
    FFTW(init_threads)();
    FFTW(mpi_init)();
    bool right = understood;
    if (right && !asked.seeded && !asked.soak) {
        const bool timed = asked.count == UINT_MAX;
        asked.seconds /= timed ? 2 : 1;
        right = run_all();
        asked.count /= timed ? 1 : 2;
        asked.seed = random_seed();
    }
    right = right && run_all();
    FFTW(mpi_cleanup)();
    MPI_Finalize();
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
