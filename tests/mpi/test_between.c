/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transforms between any two distributions, of boxes, lists of boxes, grids and rows, in larger
 * arrays or not, against serial FFTW; what lies around the boxes stays.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/distributions.h"
#include "tests/mpi/grids-parts.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/twins.h"

enum { MOVES = -1 /* nothing is transformed */ };

static bool kept_holes(const grids_case *it, const arrays_map map[2], const weft_real *in,
                       const weft_real *out)
{
    return arrays_kept_holes(out, &map[1], it->in_place ? &map[0] : NULL) &&
           (it->in_place || arrays_kept_holes(in, &map[0], NULL));
}

typedef struct {
    const grids_case *it;
    const arrays_map *map;
    ptrdiff_t numbers;
    weft_real *all[2], largest; /* of the whole array, before and after */
    char *text;
} trial;

static void run_once(const trial *my, FFTW(plan) plan, weft_real *in, weft_real *out)
{
    grids_case it = *my->it;
    it.in_place = in == out;
    arrays_fill(in, &my->map[0], my->all[0]);
    if (!it.in_place)
        arrays_spoil(out, my->numbers);
    twin_push(in);
    twin_push(out);
    grids_execute(&it, plan, twin_of(in), twin_of(out));
    twin_pull(in);
    twin_pull(out);
    if (arrays_right(out, &my->map[1], my->all[1], my->largest, my->text, GRIDS_TEXT) &&
        grids_preserves(&it))
        arrays_unchanged(in, &my->map[0], my->all[0], my->text, GRIDS_TEXT);
    if (!kept_holes(&it, my->map, in, out))
        snprintf(my->text, GRIDS_TEXT, "something was written around a box");
    if (!arrays_guarded(in, my->numbers) || !arrays_guarded(out, my->numbers))
        snprintf(my->text, GRIDS_TEXT, "something was written beyond the allocation");
}

static weft_real *new_array(const trial *my, int i)
{
    return my->it->shared >> i & 1 ? arrays_shared(my->numbers, MPI_COMM_WORLD)
                                   : arrays_fresh(my->numbers, 0);
}

/* Plans, and runs twice; then in place if that was out of place, or the other way round. */
static void run(const grids_case *it, bool moves, const weft_distribution side[2],
                const arrays_map map[2], char *text)
{
    trial my = {.it = it, .map = map, .numbers = map[0].slots, .text = text};
    if (map[1].slots > my.numbers)
        my.numbers = map[1].slots;
    weft_real *in = new_array(&my, 0), *other = new_array(&my, 1), *out = it->in_place ? in : other;
    const int last = grids_sort(it);
    for (int s = 0; s < 2; s++)
        my.all[s] = FFTW(malloc)(sizeof *my.all[s] * (size_t)(grids_whole(it, s) + 1));
    grids_compute(it, my.all[0], my.all[1]);
    my.largest = arrays_largest(my.all[1], grids_whole(it, true));
    FFTW(plan)
    plan = moves ? WEFT(plan_redistribute)(side[0], side[1], it->howmany,
                                           it->null ? NULL : twin_of(in),
                                           it->null ? NULL : twin_of(out), it->flags)
                 : WEFT(plan_between)(side[0], side[1], it->howmany, it->null ? NULL : twin_of(in),
                                      it->null ? NULL : twin_of(out), it->kind, it->flags);
    if (!plan)
        snprintf(text, GRIDS_TEXT, "no plan: %s", WEFT(last_error)());
    twin_pull(in);
    twin_pull(other);
    if (!kept_holes(it, map, in, out))
        snprintf(text, GRIDS_TEXT, "planning has written around a box");
    for (int turn = 0; plan && turn < 2; turn++)
        run_once(&my, plan, in, out);
    if (plan && last != WEFT_DFT_R2C && last != WEFT_DFT_C2R && !twins_begun())
        run_once(&my, plan, in, it->in_place ? other : in);
    if (plan)
        FFTW(destroy_plan)(plan);
    for (int s = 0; s < 2; s++)
        FFTW(free)(my.all[s]);
    arrays_free(other, 0);
    arrays_free(in, 0);
}

static grids_case any_case(unsigned *state, int sort)
{
    grids_case it = {.rank = 2 + (int)arrays_random(state, 4), .dimensions = 1, .dims = {ranks}};
    for (int a = 0; a < it.rank; a++)
        it.n[a] = 1 + (ptrdiff_t)arrays_random(state, it.rank > 3 ? 5 : 9);
    it.howmany = arrays_random(state, 4) ? 1 : 2;
    if (sort != MOVES)
        grids_any_kinds(&it, sort, state);
    for (int a = 0; sort == MOVES && a < it.rank; a++)
        it.kind[a] = WEFT_NONE;
    const int last = grids_sort(&it);
    const bool half = last == WEFT_DFT_C2R || last == WEFT_DFT_R2C;
    it.in_place = !half && arrays_random(state, 2);
    it.null = arrays_random(state, 4) == 0;
    it.flags = arrays_random(state, 4) ? FFTW_ESTIMATE : FFTW_MEASURE;
    if (arrays_random(state, 4) == 0)
        it.flags |= it.in_place ? FFTW_CONSERVE_MEMORY : FFTW_DESTROY_INPUT;
    if (it.null && !it.in_place && !half)
        it.null = false; /* two arrays of NULL are one */
    it.backend = backend_by_chance(arrays_random(state, 1000));
    it.shared = arrays_random(state, 8);
    return it;
}

static void once(unsigned *state, int sort)
{
    char text[GRIDS_TEXT] = "", name[GRIDS_TEXT];
    grids_case it = any_case(state, sort);
    const int last = grids_sort(&it);
    const bool half[2] = {last == WEFT_DFT_C2R, last == WEFT_DFT_R2C};
    weft_distribution side[2];
    arrays_map map[2];
    for (int s = 0; s < 2; s++) {
        ptrdiff_t n[ARRAYS_RANK];
        char wrong[DISTRIBUTIONS_TEXT];
        memcpy(n, it.n, sizeof n);
        n[it.rank - 1] = half[s] ? n[it.rank - 1] / 2 + 1 : n[it.rank - 1];
        const bool real = last == WEFT_R2R || (half[!s] && !half[s]);
        side[s] = distributions_side(state, MPI_COMM_WORLD, it.rank, n, it.howmany * (real ? 1 : 2),
                                     NULL, &map[s], wrong);
        all_true(!wrong[0], "%s", wrong);
    }
    const bool possible = grids_for_device(&it);
    if (it.backend)
        setenv("WEFT_BACKEND", it.backend, 1);
    if (possible)
        run(&it, sort == MOVES, side, map, text);
    unsetenv("WEFT_BACKEND");
    for (int s = 0; s < 2; s++) {
        WEFT(distribution_free)(side[s]);
        free(map[s].global);
    }
    grids_describe(&it, name);
    all_true(!text[0], "%s: %s", name, text);
}

START_TEST(every_kind)
{
    unsigned state = 500 + (unsigned)_i;
    for (int turn = 0; turn < (ranks > 4 ? 4 : 16); turn++)
        once(&state, _i % GRIDS_SORTS);
}
END_TEST

START_TEST(moved_only)
{
    unsigned state = 900;
    for (int turn = 0; turn < (ranks > 4 ? 10 : 40); turn++)
        once(&state, MOVES);
}
END_TEST

/* What cannot be: NULL and a sentence. */
START_TEST(sizes_and_kinds_must_fit)
{
    static const struct {
        ptrdiff_t last[2];
        int kind[3];
        bool in_place;
        const char *says;
    } bad[] = {{{6, 6}, {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_R2C}, false, "n / 2 + 1"},
               {{6, 4}, {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_FORWARD}, false, "size of 6"},
               {{4, 7},
                {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_C2R},
                false,
                "must have the same direction"},
               {{6, 4}, {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_R2C}, true, "two arrays"},
               {{6, 6}, {WEFT_DFT_FORWARD, 1000, WEFT_DFT_FORWARD}, false, "kind[1] is 1000"}};
    double memory[2][400];
    weft_grid grid = WEFT(grid_create)(MPI_COMM_WORLD, 1, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const ptrdiff_t from[3] = {3, 2, bad[i].last[0]}, to[3] = {3, 2, bad[i].last[1]};
        weft_distribution side[2] = {WEFT(distribution_rows)(grid, 3, from, NULL),
                                     WEFT(distribution_rows)(grid, 3, to, NULL)};
        FFTW(plan)
        plan = WEFT(plan_between)(side[0], side[1], 1, memory[0], memory[!bad[i].in_place],
                                  bad[i].kind, FFTW_ESTIMATE);
        all_true(!plan && strstr(WEFT(last_error)(), bad[i].says), "not %s but %s", bad[i].says,
                 WEFT(last_error)());
        WEFT(distribution_free)(side[0]);
        WEFT(distribution_free)(side[1]);
    }
    WEFT(grid_free)(grid);
}
END_TEST

/* On one rank, or all. */
START_TEST(boxes_must_fit_their_arrays)
{
    static const struct {
        ptrdiff_t size[2], offset[2];
        const char *says;
    } bad[] = {{{2, 4}, {0, 0}, "3 indices along axis 0 does not fit an enclosing array of 2"},
               {{3, 4},
                {0, 1},
                "4 indices along axis 1 does not fit an enclosing array of 4 indices at offset 1"},
               {{4, 4}, {-1, 0}, "at offset -1"},
               {{-5, 4}, {0, 0}, "array of -5"},
               {{PTRDIFF_MAX / 2, 8}, {0, 0}, "than can be counted"}};
    const ptrdiff_t n[2] = {3 * ranks, 4}, start[2] = {3 * rank, 0}, count[2] = {3, 4},
                    good[2] = {3, 5}, none[2] = {0, 0}, huge[2] = {PTRDIFF_MAX / 16, 4};
    weft_distribution bare = WEFT(distribution_boxes)(MPI_COMM_WORLD, 2, n, start, count), made;
    for (int i = 0; i < (int)(sizeof bad / sizeof bad[0]) * 2; i++) {
        const bool odd = i % 2 == 0 || rank == ranks - 1;
        made = WEFT(distribution_embedded)(bare, odd ? bad[i / 2].size : good,
                                           odd ? bad[i / 2].offset : none);
        all_true(!made && strstr(WEFT(last_error)(), bad[i / 2].says), "not %s but %s",
                 bad[i / 2].says, WEFT(last_error)());
    }
    made = WEFT(distribution_embedded)(bare, good, NULL);
    all_true(!made && strstr(WEFT(last_error)(), "offsets is NULL"), "%s", WEFT(last_error)());
    made = WEFT(distribution_embedded)(NULL, good, none);
    all_true(!made && strstr(WEFT(last_error)(), "is NULL"), "%s", WEFT(last_error)());
    made = WEFT(distribution_embedded)(bare, huge, none);
    all_true(made, "%s", WEFT(last_error)());
    const int kind[2] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD};
    FFTW(plan) plan = WEFT(plan_between)(made, bare, 1, NULL, NULL, kind, FFTW_ESTIMATE);
    all_true(!plan && WEFT(last_error)()[0], "a plan for an array beyond any memory");
    WEFT(distribution_free)(made);
    WEFT(distribution_free)(bare);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("between " WEFT_PRECISION);
    TCase *tests = tcase_create("distributions");
    tcase_add_loop_test(tests, every_kind, 0, GRIDS_SORTS * 2);
    tcase_add_test(tests, moved_only);
    tcase_add_test(tests, sizes_and_kinds_must_fit);
    tcase_add_test(tests, boxes_must_fit_their_arrays);
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
