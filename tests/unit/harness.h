/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests of one process. A test is TEST(its_name, OPTIONS) { ... }, in any file of a program.
 * tests/mpi/harness.c has `main`, which runs all of them, each in a process and in a case of Check
 * with the test's name. Options, as `.to = NUMBER(table)`, are the members of unit_options.
 */
#ifndef HARNESS_UNIT_H
#define HARNESS_UNIT_H

#include <check.h>

typedef struct {
    const char *name;
    int from, to;       /* the test runs for each _i from `from` to before `to`; 0: once */
    int signal, status; /* how the process must end */
    void (*setup)(void), (*teardown)(void);
} unit_options;

/* Runs all tests; the exit status of the program. */
int unit_run(void);

TCase *unit_case(const char *file, unit_options *options);

#define NUMBER(table) ((int)(sizeof(table) / sizeof *(table)))

#define TEST(test, ...)                                                                            \
    static void test##_body(int _i);                                                               \
    START_TEST(test)                                                                               \
    {                                                                                              \
        test##_body(_i);                                                                           \
    }                                                                                              \
    END_TEST                                                                                       \
    __attribute__((constructor)) static void test##_add(void)                                      \
    {                                                                                              \
        unit_options o = {.name = #test, __VA_ARGS__};                                             \
        TCase *its = unit_case(__FILE__, &o);                                                      \
        if (o.signal)                                                                              \
            tcase_add_loop_test_raise_signal(its, test, o.signal, o.from, o.to);                   \
        else                                                                                       \
            tcase_add_loop_exit_test(its, test, o.status, o.from, o.to);                           \
    }                                                                                              \
    static void test##_body(int _i __attribute__((unused)))

#endif
