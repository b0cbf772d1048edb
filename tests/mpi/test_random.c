/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random problems from fixed seeds, on slabs, on grids and between distributions of any sort, with
 * any backend. The fuzzer (tests/fuzz) makes the same problems from new seeds.
 */
#include "tests/mpi/harness.h"
#include "tests/mpi/problems.h"
#include "tests/mpi/variants.h"

enum { GROUP = 25, GROUPS = 24, FEW_GROUPS = 8 };

/* Chooses how the problem is planned and run. */
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

static int groups(void)
{
    return ranks > 3 || sizeof(weft_real) != sizeof(double) ? FEW_GROUPS : GROUPS;
}

TEST(random_problems, .count = groups)
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

AROUND(.start = variant_begin)
