/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transforms between any two distributions, of boxes, lists of boxes, grids and rows, against
 * serial FFTW. Which points a rank holds, in the order in which they lie in its memory, is worked
 * out here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/distributions.h"
#include "tests/mpi/grids-parts.h"
#include "tests/mpi/harness.h"

enum { MOST_BOXES = 9 };

/* Places in the whole array. */
typedef struct {
    ptrdiff_t points, *place;
} held;

static ptrdiff_t product(const ptrdiff_t *count, int axes)
{
    ptrdiff_t points = 1;
    for (int axis = 0; axis < axes; axis++)
        points *= count[axis];
    return points;
}

/* A box whose axes lie in some order. */
static void hold_box(held *it, const ptrdiff_t *n, int axes, const int *order,
                     const ptrdiff_t *start, const ptrdiff_t *count)
{
    for (ptrdiff_t i = 0; i < product(count, axes); i++) {
        ptrdiff_t index[ARRAYS_RANK], rest = i, place = 0;
        for (int a = axes - 1; a >= 0; a--) {
            index[order[a]] = start[order[a]] + rest % count[order[a]];
            rest /= count[order[a]];
        }
        for (int axis = 0; axis < axes; axis++)
            place = place * n[axis] + index[axis];
        it->place[it->points++] = place;
    }
}

static weft_distribution in_rows(unsigned *state, weft_grid grid, int axes, const ptrdiff_t *n,
                                 held *it)
{
    int order[ARRAYS_RANK], divided = 1;
    const ptrdiff_t none[ARRAYS_RANK] = {0};
    held all = {0, malloc(sizeof *all.place * (size_t)product(n, axes))};
    for (int axis = 0; axis < axes; axis++)
        order[axis] = axis;
    for (int axis = axes - 1; axis > 0; axis--) {
        const int other = (int)arrays_random(state, (unsigned)axis + 1), kept = order[axis];
        order[axis] = order[other];
        order[other] = kept;
    }
    ptrdiff_t rows = n[order[0]];
    while (rows < ranks && divided < axes - 1)
        rows *= n[order[divided++]];
    hold_box(&all, n, axes, order, none, n);
    const ptrdiff_t line = all.points / rows, begin = rows * rank / ranks * line;
    it->points = rows * (rank + 1) / ranks * line - begin;
    memcpy(it->place, all.place + begin, sizeof *it->place * (size_t)it->points);
    free(all.place);
    return WEFT(distribution_rows)(grid, axes, n, order);
}

/* Boxes cut in two again and again, each given to some rank. */
static weft_distribution in_lists(unsigned *state, int axes, const ptrdiff_t *n, held *it)
{
    static const int natural[ARRAYS_RANK] = {0, 1, 2, 3, 4};
    ptrdiff_t start[MOST_BOXES][ARRAYS_RANK] = {{0}}, count[MOST_BOXES][ARRAYS_RANK];
    ptrdiff_t mine[2][MOST_BOXES * ARRAYS_RANK];
    int boxes = 1, own = 0;
    memcpy(count[0], n, sizeof *n * (size_t)axes);
    for (; boxes < MOST_BOXES; boxes++) {
        const unsigned half = arrays_random(state, (unsigned)boxes),
                       axis = arrays_random(state, (unsigned)axes);
        const ptrdiff_t kept = arrays_random(state, (unsigned)count[half][axis] + 1);
        memcpy(start[boxes], start[half], sizeof start[0]);
        memcpy(count[boxes], count[half], sizeof count[0]);
        start[boxes][axis] += kept;
        count[boxes][axis] -= kept;
        count[half][axis] = kept;
    }
    for (int i = 0; i < boxes; i++)
        if ((int)arrays_random(state, (unsigned)ranks) == rank) {
            memcpy(mine[0] + own * axes, start[i], sizeof *n * (size_t)axes);
            memcpy(mine[1] + own++ * axes, count[i], sizeof *n * (size_t)axes);
            hold_box(it, n, axes, natural, start[i], count[i]);
        }
    return WEFT(distribution_many_boxes)(MPI_COMM_WORLD, axes, n, own, mine[0], mine[1]);
}

static weft_distribution any(unsigned *state, int axes, const ptrdiff_t *n, held *it)
{
    static const int natural[ARRAYS_RANK] = {0, 1, 2, 3, 4};
    weft_distribution made = NULL;
    *it = (held){0, malloc(sizeof *it->place * (size_t)product(n, axes))};
    const unsigned sort = arrays_random(state, 4);
    if (sort < 2) {
        box mine;
        made = distributions_any(state, MPI_COMM_WORLD, axes, n, &mine);
        hold_box(it, n, axes, natural, mine.start, mine.count);
    } else if (sort == 2) {
        made = in_lists(state, axes, n, it);
    } else {
        weft_grid grid = WEFT(grid_create)(MPI_COMM_WORLD, 1, NULL);
        made = in_rows(state, grid, axes, n, it);
        WEFT(grid_free)(grid);
    }
    return made;
}

/* Whether distribution_list says the same. */
static bool lists(weft_distribution distribution, const ptrdiff_t *n, int axes, const held *it)
{
    int order[ARRAYS_RANK];
    ptrdiff_t start[MOST_BOXES * ARRAYS_RANK], count[MOST_BOXES * ARRAYS_RANK];
    held told = {0, malloc(sizeof *told.place * (size_t)product(n, axes))};
    const int boxes = WEFT(distribution_list)(distribution, rank, order, start, count);
    for (int i = 0; i < boxes; i++)
        hold_box(&told, n, axes, order, start + i * axes, count + i * axes);
    const bool same = told.points == it->points &&
                      WEFT(distribution_box)(distribution, rank, NULL, NULL) == it->points &&
                      memcmp(told.place, it->place, sizeof *it->place * (size_t)it->points) == 0;
    free(told.place);
    return same;
}

static arrays_map map_of(const held *it, ptrdiff_t tuple)
{
    arrays_map map = {it->points * tuple, NULL};
    map.global = malloc(sizeof *map.global * (size_t)(map.slots + 1));
    for (ptrdiff_t slot = 0; slot < map.slots; slot++)
        map.global[slot] = it->place[slot / tuple] * tuple + slot % tuple;
    return map;
}

static const char *some_backend(unsigned *state)
{
    int count = 0;
    while (backend_for_all(count))
        count++;
    return arrays_random(state, 2) ? backend_for_all((int)arrays_random(state, (unsigned)count))
                                   : NULL;
}

/* Plans, and runs twice. */
static void run(const grids_case *it, const weft_distribution side[2], const arrays_map map[2],
                char *text)
{
    const ptrdiff_t numbers = map[0].slots > map[1].slots ? map[0].slots : map[1].slots;
    weft_real *all[2], *in = arrays_fresh(numbers, 0),
                       *out = it->in_place ? in : arrays_fresh(numbers, 0);
    for (int s = 0; s < 2; s++)
        all[s] = FFTW(malloc)(sizeof **all * (size_t)(grids_whole(it, s) + 1));
    grids_compute(it, all[0], all[1]);
    const weft_real largest = arrays_largest(all[1], grids_whole(it, true));
    FFTW(plan)
    plan = WEFT(plan_between)(side[0], side[1], it->howmany, it->null ? NULL : in,
                              it->null ? NULL : out, it->kind, it->flags);
    if (!plan)
        snprintf(text, GRIDS_TEXT, "no plan: %s", WEFT(last_error)());
    for (int turn = 0; plan && turn < 2; turn++) {
        arrays_fill(in, &map[0], all[0]);
        grids_execute(it, plan, in, out);
        if (arrays_right(out, &map[1], all[1], largest, text, GRIDS_TEXT) && grids_preserves(it))
            arrays_unchanged(in, &map[0], all[0], text, GRIDS_TEXT);
        if (!arrays_guarded(in, numbers) || !arrays_guarded(out, numbers))
            snprintf(text, GRIDS_TEXT, "something was written beyond the allocation");
    }
    if (plan)
        FFTW(destroy_plan)(plan);
    for (int s = 0; s < 2; s++)
        FFTW(free)(all[s]);
    if (!it->in_place)
        arrays_free(out, 0);
    arrays_free(in, 0);
}

static void once(unsigned *state, int sort)
{
    char text[GRIDS_TEXT] = "", name[GRIDS_TEXT];
    grids_case it = {.rank = 2 + (int)arrays_random(state, 4), .dimensions = 1, .dims = {ranks}};
    weft_distribution side[2];
    arrays_map map[2];
    for (int a = 0; a < it.rank; a++)
        it.n[a] = 1 + (ptrdiff_t)arrays_random(state, it.rank > 3 ? 5 : 9);
    it.howmany = arrays_random(state, 4) ? 1 : 2;
    grids_any_kinds(&it, sort, state);
    const int last = grids_sort(&it);
    const bool half[2] = {last == WEFT_DFT_C2R, last == WEFT_DFT_R2C};
    it.in_place = !half[0] && !half[1] && arrays_random(state, 2);
    it.null = arrays_random(state, 4) == 0;
    it.flags = arrays_random(state, 4) ? FFTW_ESTIMATE : FFTW_MEASURE;
    if (arrays_random(state, 4) == 0)
        it.flags |= it.in_place ? FFTW_CONSERVE_MEMORY : FFTW_DESTROY_INPUT;
    if (it.null && !it.in_place && !half[0] && !half[1])
        it.null = false; /* two arrays of NULL are one */
    it.backend = some_backend(state);
    for (int s = 0; s < 2; s++) {
        ptrdiff_t n[ARRAYS_RANK];
        held mine;
        memcpy(n, it.n, sizeof n);
        n[it.rank - 1] = half[s] ? n[it.rank - 1] / 2 + 1 : n[it.rank - 1];
        side[s] = any(state, it.rank, n, &mine);
        all_true(side[s] && lists(side[s], n, it.rank, &mine), "no distribution, or another: %s",
                 WEFT(last_error)());
        const bool real = last == WEFT_R2R || (half[!s] && !half[s]);
        map[s] = map_of(&mine, it.howmany * (real ? 1 : 2));
        free(mine.place);
    }
    if (it.backend)
        setenv("WEFT_BACKEND", it.backend, 1);
    run(&it, side, map, text);
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
               {{4, 7}, {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_C2R}, false, "mixed"},
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

static Suite *suite(void)
{
    Suite *suite = suite_create("between " WEFT_PRECISION);
    TCase *tests = tcase_create("distributions");
    tcase_add_loop_test(tests, every_kind, 0, GRIDS_SORTS * 2);
    tcase_add_test(tests, sizes_and_kinds_must_fit);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
