/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests of one process: Check runs each case in a process of its own. A test program defines
 * its suite and ends with int main(void) { return run_unit(suite()); }
 */
#ifndef HARNESS_UNIT_H
#define HARNESS_UNIT_H

#include <check.h>

/* Runs the suite; the exit status of the program. */
int run_unit(Suite *suite);

#endif
