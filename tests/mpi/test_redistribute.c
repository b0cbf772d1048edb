/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Redistribution between any two distributions: random tilings and grids of all sorts. Arrays hold
 * the places of their numbers in the whole, so that every number is compared exactly.
 */
#include <stdlib.h>
#include "tests/mpi/distributions.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/twins.h"

enum { AXES = ARRAYS_RANK, SEEDS = 12 };

static ptrdiff_t points(const box *it, int axes)
{
    ptrdiff_t product = 1;
    for (int axis = 0; axis < axes; axis++)
        product *= it->count[axis];
    return product;
}

/* The place in the whole array of the i-th number of a box, as a number. */
static weft_real value(const ptrdiff_t *n, int axes, const box *it, ptrdiff_t many, ptrdiff_t i)
{
    ptrdiff_t place = 0, step = 1, rest = i / many;
    for (int axis = axes - 1; axis >= 0; axis--) {
        place += step * (it->start[axis] + rest % it->count[axis]);
        rest /= it->count[axis];
        step *= n[axis];
    }
    return (weft_real)(place * many + i % many);
}

static bool says(weft_distribution distribution, int axes, const box *mine)
{
    ptrdiff_t start[AXES], count[AXES];
    const ptrdiff_t held = WEFT(distribution_box)(distribution, rank, start, count);
    bool same = held == points(mine, axes);
    for (int axis = 0; axis < axes; axis++)
        same = same && count[axis] == mine->count[axis] &&
               (count[axis] == 0 || start[axis] == mine->start[axis]);
    return same;
}

/* The numbers that are wrong after moving them there, and again, and one that lies behind them;
 * negative: no plan. */
static ptrdiff_t moved(const ptrdiff_t *n, int axes, ptrdiff_t many, const box side[2],
                       FFTW(plan) plan, weft_real *in, weft_real *out, ptrdiff_t room)
{
    const ptrdiff_t before = points(&side[0], axes) * many, after = points(&side[1], axes) * many;
    ptrdiff_t wrong = 0;
    for (int turn = 0; plan && turn < 2; turn++) {
        for (ptrdiff_t i = 0; i < before; i++)
            in[i] = value(n, axes, &side[0], many, i);
        twin_push(out);
        twin_push(in);
        FFTW(execute_r2r)
        (plan, twin_of(in), twin_of(out)); /* which may have been made for none */
        twin_pull(in);
        twin_pull(out);
        for (ptrdiff_t i = 0; i < after; i++)
            wrong += !(out[i] == value(n, axes, &side[1], many, i));
        for (ptrdiff_t i = 0; in != out && i < before; i++)
            wrong += !(in[i] == value(n, axes, &side[0], many, i));
        wrong += !(out[room] == 77);
    }
    return plan ? wrong : -1;
}

static void once(unsigned *state)
{
    const int axes = 1 + (int)arrays_random(state, AXES);
    const ptrdiff_t many = 1 + (ptrdiff_t)arrays_random(state, 3);
    const bool in_place = arrays_random(state, 2);
    const unsigned flags = arrays_random(state, 4) ? FFTW_ESTIMATE : FFTW_MEASURE;
    ptrdiff_t n[AXES];
    box side[2];
    weft_distribution made[2];
    for (int axis = 0; axis < axes; axis++)
        n[axis] = 1 + (ptrdiff_t)arrays_random(state, axes > 3 ? 5 : 11);
    for (int s = 0; s < 2; s++) {
        made[s] = distributions_any(state, MPI_COMM_WORLD, axes, n, &side[s]);
        all_true(made[s] && says(made[s], axes, &side[s]), "no distribution, or another: %s",
                 WEFT(last_error)());
    }
    const ptrdiff_t before = points(&side[0], axes) * many, after = points(&side[1], axes) * many;
    const size_t room = (size_t)(before > after ? before : after) + 1;
    weft_real *in = FFTW(malloc)(sizeof *in * room);
    weft_real *out = in_place ? in : FFTW(malloc)(sizeof *out * room);
    const char *backend = twin_backend(backend_by_chance(arrays_random(state, 1000)));
    const bool null = arrays_random(state, 4) == 0 && !twins_begun();
    twins_add(in, sizeof *in * room);
    if (!in_place)
        twins_add(out, sizeof *out * room);
    weft_real *planned_in = null ? NULL : twin_of(in), *planned_out = null ? NULL : twin_of(out);
    if (backend)
        setenv("WEFT_BACKEND", backend, 1);
    FFTW(plan)
    plan = arrays_random(state, 2)
               ? WEFT(plan_redistribute)(made[0], made[1], many, planned_in, planned_out, flags)
               : WEFT(plan_redistribute_boxes)(axes, n, many, side[0].start, side[0].count,
                                               side[1].start, side[1].count, planned_in,
                                               planned_out, MPI_COMM_WORLD, flags);
    unsetenv("WEFT_BACKEND");
    for (int s = 0; s < 2; s++)
        WEFT(distribution_free)(made[s]);
    out[room - 1] = 77;
    const ptrdiff_t wrong = moved(n, axes, many, side, plan, in, out, (ptrdiff_t)room - 1);
    FFTW(destroy_plan)(plan);
    twins_drop(in);
    twins_drop(out);
    if (!in_place)
        FFTW(free)(out);
    FFTW(free)(in);
    all_true(wrong == 0, "%td of %td numbers of %d axes are wrong, by %s (negative: no plan, %s)",
             wrong, after, axes, backend ? backend : "any backend", WEFT(last_error)());
}

START_TEST(all_numbers_come_to_their_places)
{
    unsigned state = 99 + (unsigned)_i;
    if (ranks > DISTRIBUTIONS_MOST_RANKS)
        return;
    for (int turn = 0; turn < (ranks > 4 ? 8 : 40); turn++)
        once(&state);
}
END_TEST

/* Of 3 x 4 x 2 numbers rank 1 gets a column and rank 2 as long a row, so that pieces that are sent
 * differ in their steps alone; below them lie the second plane and, with rank 0, all the rest:
 *
 *     1 2 2 2
 *     1 0 0 0
 *     1 0 0 0
 */
START_TEST(a_column_and_a_row_are_not_alike)
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
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("redistribute " WEFT_PRECISION);
    TCase *tests = tcase_create("distributions");
    tcase_add_loop_test(tests, all_numbers_come_to_their_places, 0, SEEDS);
    tcase_add_test(tests, a_column_and_a_row_are_not_alike);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
#ifdef ON_DEVICE
    twins_begin(STANDIN);
    twins_mpi_begin();
#endif
    return run_mpi(&argc, &argv, suite);
}
