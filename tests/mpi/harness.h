/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests under mpiexec. All ranks run the same cases in the same order, without forking, and
 * fail together: a test asserts with all_true, which is collective, and never with Check's own
 * assertions on values that may differ between ranks. What a file needs around its tests is in a
 * line AROUND(OPTIONS).
 */
#ifndef HARNESS_MPI_H
#define HARNESS_MPI_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#define TEST_UNDER_MPI true
#include "tests/unit/harness.h"

/* This process in MPI_COMM_WORLD, once MPI has begun. */
extern int rank, ranks;

/* Functions of a file of tests. */
typedef struct harness_around {
    void (*start)(int *argc, char ***argv); /* before MPI_Init */
    void (*begin)(void), (*end)(void);      /* before and after all tests of the program */
    bool (*right)(void);                    /* after MPI_Finalize: whether all is as it should be */
    struct harness_around *next;
} harness_around;

/* What main does. */
int harness_run(int argc, char **argv);

void harness_surround(harness_around *it);

#define AROUND(...)                                                                                \
    __attribute__((constructor)) static void around(void)                                          \
    {                                                                                              \
        static harness_around it = {__VA_ARGS__};                                                  \
        harness_surround(&it);                                                                     \
    }

/* Whether a case is to run: all cases are, or with `--case TEXT` those whose line contains TEXT. */
bool harness_wanted(const char *line);

/*
 * all_true(condition, format, ...): goes on when the condition holds on every rank of
 * MPI_COMM_WORLD. Else the test fails on all of them, with the sentence of the lowest rank on which
 * it does not hold. The sentence should name the case and the values that differ.
 */
#define all_true(condition, ...) harness_all_true((condition), __FILE__, __LINE__, __VA_ARGS__)

/*
 * An assertion of Check's own that fails on one rank would leave the others waiting. Whatever it is
 * used on, here it says why and ends all ranks at once.
 */
#if CHECK_MAJOR_VERSION > 0 || CHECK_MINOR_VERSION >= 15
#define _ck_assert_failed harness_ended
#endif
void harness_ended(const char *file, int line, const char *expression, const char *format, ...)
    __attribute__((noreturn, format(printf, 4, 5)));

/* What this rank prints, to either stream, from the first call to the second, which gives how many
 * bytes that is and its beginning. */
void capture(void);
long captured(char *text, size_t capacity);

void harness_all_true(bool condition, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* By its place among them, a backend that carries out every exchange of the ranks of a node; NULL:
 * past the end. (`device` needs arrays there, `node` nodes, `alltoall` blocks of one size;
 * test_exchange has them all.) */
const char *backend_for_all(int place);
/* How many there are; one of them by chance, or NULL, as often as all together. */
int backends_for_all(void);
const char *backend_by_chance(unsigned number);

#endif
