/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random problems from fixed seeds, on slabs, on grids and between distributions of any sort, with
 * any backend. The fuzzer (tests/fuzz) makes the same problems from new seeds.
 */
#include <stdlib.h>
#include "tests/mpi/harness.h"
#include "tests/mpi/problems.h"
#include "tests/mpi/twins.h"
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
    return ranks > 4 || sizeof(weft_real) != sizeof(double) ? FEW_GROUPS : GROUPS;
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

/* A redistribution whose blocks differ in their strides alone. Of 3 x 4 x 2 numbers rank 1 gets a
 * column and rank 2 as long a row, so that blocks that are sent differ in their steps alone; below
 * them lie the second plane and, with rank 0, all the rest:
 *
 *     1 2 2 2
 *     1 0 0 0
 *     1 0 0 0
 */
TEST(blocks_may_differ_only_in_their_strides)
{
    static const char *const backends[] = {"waitall", "waitsome", "pairwise", "alltoallv"};
    const ptrdiff_t n[3] = {3, 4, 2}, zero[3] = {0};
    const ptrdiff_t start[3][6] = {{1, 1, 0, 0, 0, 1}, {0}, {0, 1}},
                    count[3][6] = {{2, 3, 1, 3, 4, 1}, {3, 1, 1}, {1, 3, 1}};
    const int boxes = rank == 0 ? 2 : rank < 3, own = rank == 1 || rank == 2 ? 3 : 0;
    weft_real in[24], out[24];
    if (ranks < 3)
        return;
    weft_distribution from = WEFT(distribution_boxes)(MPI_COMM_WORLD, 3, n, zero, rank ? zero : n),
                      to = WEFT(distribution_many_boxes)(MPI_COMM_WORLD, 3, n, boxes,
                                                         start[rank % 3], count[rank % 3]);
    twins_add(in, sizeof in);
    twins_add(out, sizeof out);
    for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
        int right = 0;
        setenv("WEFT_BACKEND", twin_backend(backends[b]), 1);
        FFTW(plan)
        plan = WEFT(plan_redistribute)(from, to, 1, twin_of(in), twin_of(out), FFTW_ESTIMATE);
        unsetenv("WEFT_BACKEND");
        all_true(plan, "no plan with %s: %s", backends[b], WEFT(last_error)());
        for (int i = 0; i < 24; i++) {
            in[i] = (weft_real)i;
            out[i] = -1;
        }
        twin_push(in);
        twin_push(out);
        FFTW(execute)(plan);
        twin_pull(out);
        for (int i = 0; i < own; i++)
            right += out[i] == (weft_real)(rank == 1 ? 8 * i : 2 * i + 2);
        all_true(right == own, "%d of %d are right with %s", right, own, backends[b]);
        FFTW(destroy_plan)(plan);
    }
    twins_drop(in);
    twins_drop(out);
    WEFT(distribution_free)(from);
    WEFT(distribution_free)(to);
}

AROUND(.start = variant_begin)
