/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random problems from fixed seeds, on slabs, on grids and between distributions of any sort, with
 * any backend. The fuzzer (tests/fuzz) takes the same problems from new seeds.
 */
#include <stdlib.h>
#include "tests/mpi/harness.h"
#include "tests/mpi/problems.h"
#include "tests/mpi/variants.h"

enum { GROUP = 25, GROUPS = 24, FEW_GROUPS = 8 };

/* How the problem is planned and run. */
static void choose_use(problem *it, int number, unsigned *state)
{
    const char *forced = variant_backend(number),
               *chosen = backend_by_chance(arrays_random(state, 1000));
    it->backend = forced ? forced : chosen;
    it->null = fuzz_one_in(state, 4) ? 1 + arrays_random(state, 7) : 0;
    it->shared = fuzz_one_in(state, 2) ? arrays_random(state, 32) : 0;
    it->new_arrays = fuzz_one_in(state, 2);
    it->other_place = fuzz_one_in(state, 4);
    it->halves = fuzz_one_in(state, 4);
    if (fuzz_one_in(state, ranks > 2 ? 50 : 12))
        problem_set_rigor(it, fuzz_one_in(state, 4) ? FFTW_PATIENT : FFTW_MEASURE);
}

START_TEST(random_problems)
{
    unsigned state = 20240229u + (unsigned)_i;
    for (int i = 0; i < GROUP; i++) {
        char text[PROBLEM_TEXT] = "", name[PROBLEM_TEXT];
        problem it;
        const bool made = problem_any(&it, &state, MPI_COMM_WORLD, text);
        choose_use(&it, i, &state);
        problem_describe(&it, name);
        all_true(made && !text[0], "%s: %s", name, text[0] ? text : WEFT(last_error)());
        if (harness_wanted(name))
            problem_try(&it, MPI_COMM_WORLD, text);
        else
            problem_free(&it);
        all_true(!text[0], "%s: %s", name, text);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("random " WEFT_PRECISION);
    TCase *tests = tcase_create("against serial FFTW");
    const bool few = ranks > 4 || sizeof(weft_real) != sizeof(double);
    tcase_add_loop_test(tests, random_problems, 0, few ? FEW_GROUPS : GROUPS);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    variant_begin(&argc, &argv);
    return run_mpi(&argc, &argv, suite);
}
