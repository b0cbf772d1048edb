/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A test is TEST(its_name, OPTIONS) { ... }, in any file of a program; tests run in the order of
 * files and lines. Options, as `.to = NUMBER(table)`, are members of harness_test. The harness has
 * `main`, which runs each test as a case of Check with the test's name. It forks for each test, but
 * not under MPI (tests/mpi/harness.h).
 */
#ifndef HARNESS_UNIT_H
#define HARNESS_UNIT_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct harness_test {
    const char *name;
    bool under_mpi;
    int from, to;       /* the test runs for each _i from `from` to before `to`; 0: once */
    int (*count)(void); /* returns `to`, after MPI_Init; 0: the test does not run */
    int signal, status; /* how the process must end */
    void (*setup)(void), (*teardown)(void);
    void (*add)(const struct harness_test *test, TCase *its, int end);
    struct harness_test *next;
} harness_test;

void harness_add(harness_test *test);

#define NUMBER(table) ((int)(sizeof(table) / sizeof *(table)))

#ifndef TEST_UNDER_MPI
#define TEST_UNDER_MPI false
#endif

#define TEST(test, ...)                                                                            \
    static void test##_body(int _i);                                                               \
    START_TEST(test)                                                                               \
    {                                                                                              \
        test##_body(_i);                                                                           \
    }                                                                                              \
    END_TEST                                                                                       \
    static void test##_add(const harness_test *o, TCase *its, int end)                             \
    {                                                                                              \
        if (o->signal)                                                                             \
            tcase_add_loop_test_raise_signal(its, test, o->signal, o->from, end);                  \
        else                                                                                       \
            tcase_add_loop_exit_test(its, test, o->status, o->from, end);                          \
    }                                                                                              \
    __attribute__((constructor)) static void test##_list(void)                                     \
    {                                                                                              \
        static harness_test it;                                                                    \
        it = (harness_test){                                                                       \
            .name = #test, .under_mpi = TEST_UNDER_MPI, .add = test##_add, __VA_ARGS__};           \
        harness_add(&it);                                                                          \
    }                                                                                              \
    static void test##_body(int _i __attribute__((unused)))

/* Between capture and captured the tests catch what this process prints on stdout and stderr.
 * captured writes the beginning of it and returns the number of bytes. */
void capture(void);
const char *capturing(void); /* the text so far */
long captured(char *text, size_t capacity);

#endif
