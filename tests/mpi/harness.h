/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests under mpiexec. All ranks run the same cases in the same order, without forking, and
 * fail together: a test asserts with all_true, which is collective, and never with Check's own
 * assertions on values that may differ between ranks. AROUND(OPTIONS) names functions of a file
 * that run before and after all tests.
 */
#ifndef HARNESS_MPI_H
#define HARNESS_MPI_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#define TEST_UNDER_MPI true
#include "tests/unit/harness.h"

/* MPI_COMM_WORLD, or in a session a communicator with the same ranks; this rank in it, and number
 * of ranks. */
extern MPI_Comm world;
extern int rank, ranks;
/* Uses a session instead of MPI_Init, if MPI has sessions. To be set before MPI_Init. */
extern bool harness_in_session;

/* Functions of a test file. */
typedef struct harness_around {
    void (*start)(int *argc, char ***argv); /* before MPI_Init */
    void (*begin)(void), (*end)(void);      /* before and after all tests of the program */
    bool (*right)(void);                    /* after MPI_Finalize; false: the program fails */
    struct harness_around *next;
} harness_around;

/* The body of main. */
int harness_run(int argc, char **argv);

void harness_surround(harness_around *it);

#define AROUND(...)                                                                                \
    __attribute__((constructor)) static void around(void)                                          \
    {                                                                                              \
        static harness_around it = {__VA_ARGS__};                                                  \
        harness_surround(&it);                                                                     \
    }

/* Whether a case runs: all cases run, or with `--case TEXT` only those whose line contains TEXT. */
bool harness_wanted(const char *line);

/*
 * all_true(condition, format, ...): continues if the condition is true on every rank of `world`.
 * Otherwise the test fails on all ranks, with the sentence of the lowest rank where it is false.
 * The sentence should name the case and the values that differ.
 */
#define all_true(condition, ...) harness_all_true((condition), __FILE__, __LINE__, __VA_ARGS__)

/*
 * If one of Check's own assertions failed on one rank, the others would wait for it. So these
 * assertions print their message and end all ranks at once.
 */
#if CHECK_MAJOR_VERSION > 0 || CHECK_MINOR_VERSION >= 15
#define _ck_assert_failed harness_ended
#endif
void harness_ended(const char *file, int line, const char *expression, const char *format, ...)
    __attribute__((noreturn, format(printf, 4, 5)));

void harness_all_true(bool condition, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns how often a word occurs in a text. */
int occurrences(const char *text, const char *word);

/* Returns a backend that can do every exchange of the ranks of a node, by its place among these
 * backends; NULL after the last. (`device` needs arrays on a device, `node` several nodes,
 * `alltoall` blocks of one size; test_exchange tests all backends.) */
const char *backend_for_all(int place);
/* backends_for_all returns their number. backend_by_chance returns a random one, or NULL, as often
 * as each of them. */
int backends_for_all(void);
const char *backend_by_chance(unsigned number);

#endif
