/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the cases of weft-info --check (check-table.h), compiled once per precision.
 * weft_plan_layout returns where the numbers of a plan are. Every rank computes the whole transform
 * with serial FFTW and compares its own numbers. The checks call only public functions, and where
 * there is an installed library they call the functions of that library, because programs use it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "api/fftw3-mpi.h"
#include "api/weft.h"
#include "kernels/base/text.h"
#include "tools/info/whole.h"
#include "tools/bench/path.h"
#include "tools/info/check.h"
#include "tools/info/check-table.h"

#if defined(WEFT_SINGLE)
#define EPSILON FLT_EPSILON
#elif defined(WEFT_LONG_DOUBLE) && LDBL_MANT_DIG == 106
#define EPSILON 0x1p-100L /* two doubles, whose sums are not exactly rounded */
#elif defined(WEFT_LONG_DOUBLE)
#define EPSILON LDBL_EPSILON
#else
#define EPSILON DBL_EPSILON
#endif

/* The functions that the checks call, by name. At first the pointers are to the functions linked
 * into this program. */
#define FUNCTIONS(OF_FFTW, OF_WEFT)                                                                \
    OF_FFTW(mpi_init)                                                                              \
    OF_FFTW(mpi_plan_many_dft)                                                                     \
    OF_FFTW(mpi_plan_many_dft_r2c)                                                                 \
    OF_FFTW(mpi_plan_many_dft_c2r)                                                                 \
    OF_FFTW(mpi_plan_many_r2r)                                                                     \
    OF_FFTW(mpi_plan_many_transpose)                                                               \
    OF_WEFT(last_error)                                                                            \
    OF_WEFT(backend_name)                                                                          \
    OF_WEFT(set_backend)                                                                           \
    OF_WEFT(grid_create)                                                                           \
    OF_WEFT(grid_free)                                                                             \
    OF_WEFT(plan_many_kinds)                                                                       \
    OF_WEFT(plan_between)                                                                          \
    OF_WEFT(plan_between_modes)                                                                    \
    OF_WEFT(plan_redistribute)                                                                     \
    OF_WEFT(plan_layout)                                                                           \
    OF_WEFT(distribution_grid)                                                                     \
    OF_WEFT(distribution_boxes)                                                                    \
    OF_WEFT(distribution_list)                                                                     \
    OF_WEFT(distribution_box)                                                                      \
    OF_WEFT(distribution_free)                                                                     \
    OF_WEFT(alloc_real)                                                                            \
    OF_WEFT(free)

#define TEXT_(name)          #name
#define TEXT(name)           TEXT_(name)
#define MEMBER_OF_FFTW(name) __typeof__(&FFTW(name)) name;
#define MEMBER_OF_WEFT(name) __typeof__(&WEFT(name)) name;
#define LINKED_OF_FFTW(name) &FFTW(name),
#define LINKED_OF_WEFT(name) &WEFT(name),
#define NAMED_OF_FFTW(name)  {&of.name, TEXT(FFTW(name))},
#define NAMED_OF_WEFT(name)  {&of.name, TEXT(WEFT(name))},

static struct {
    FUNCTIONS(MEMBER_OF_FFTW, MEMBER_OF_WEFT)
} of = {FUNCTIONS(LINKED_OF_FFTW, LINKED_OF_WEFT)};

static const struct {
    void *where;
    const char *name;
} named[] = {FUNCTIONS(NAMED_OF_FFTW, NAMED_OF_WEFT)};

/* Where the numbers of a plan are: for each number in local memory its index in the whole array;
 * -1: padding. */
typedef struct {
    ptrdiff_t slots, *place;
} check_map;

static int rank, ranks;

static const char *open_library(char *file, size_t capacity)
{
    bench_library_path("libweft" WEFT_LETTER WEFT_SUFFIX ".so.0", file, capacity);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (access(file, R_OK) != 0) {
        snprintf(file, capacity, "linked into weft-info, for there is no shared library");
    } else {
        void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        for (size_t i = 0; library && i < sizeof named / sizeof *named; i++) {
            void *function = dlsym(library, named[i].name);
            if (!function)
                return "it is of another version than weft-info";
            memcpy(named[i].where, &function, sizeof function);
        }
        if (!library)
            return dlerror();
    }
    of.mpi_init();
    return NULL;
}

static void *need(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "weft-info: there is no memory for %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

static int kind_of(char letter)
{
    return letter == 'f'   ? WEFT_DFT_FORWARD
           : letter == 'b' ? WEFT_DFT_BACKWARD
           : letter == 'r' ? WEFT_DFT_R2C
           : letter == 'c' ? WEFT_DFT_C2R
           : letter == '-' ? WEFT_NONE
                           : letter - '0';
}

/* Computes the whole arrays of a case and keeps them, because the next case often has the same. */
static const whole_array *whole_of(const check_case *it)
{
    static whole_array last;
    whole_problem problem = {.axes = (int)strlen(it->kinds), .howmany = it->howmany};
    for (int axis = 0; axis < problem.axes; axis++) {
        problem.n[axis] = it->n[axis];
        problem.modes[axis] = it->modes[axis];
        problem.kind[axis] = kind_of(it->kinds[axis]);
    }
    problem.there_and_back = (it->flags & FFTW_MPI_SCRAMBLED_OUT) && it->group == CHECK_LINES;
    if (last.number[0] && memcmp(&last.of, &problem, sizeof problem) == 0)
        return &last;
    whole_free(&last);
    if (!whole_compute(&problem, &last))
        need(PTRDIFF_MAX);
    memcpy(&last.of, &problem, sizeof problem);
    return &last;
}

static FFTW(plan) plan_slabs(const check_case *it, const whole_array *whole, weft_real *in,
                             weft_real *out, unsigned flags)
{
    const int axes = whole->of.axes;
    const ptrdiff_t *n = it->n, many = it->howmany;
    FFTW(complex) *from = (FFTW(complex) *)in, *to = (FFTW(complex) *)out;
    FFTW(r2r_kind) kind[AXES];
    for (int axis = 0; axis < axes; axis++)
        kind[axis] = (FFTW(r2r_kind))whole->of.kind[axis];
    switch (it->kinds[axes - 1]) {
    case 'f':
        return of.mpi_plan_many_dft(axes, n, many, 0, 0, from, to, MPI_COMM_WORLD, FFTW_FORWARD,
                                    flags);
    case 'b':
        return of.mpi_plan_many_dft(axes, n, many, 0, 0, from, to, MPI_COMM_WORLD, FFTW_BACKWARD,
                                    flags);
    case 'r':
        return of.mpi_plan_many_dft_r2c(axes, n, many, 0, 0, in, to, MPI_COMM_WORLD, flags);
    case 'c':
        return of.mpi_plan_many_dft_c2r(axes, n, many, 0, 0, from, out, MPI_COMM_WORLD, flags);
    case '-':
        return of.mpi_plan_many_transpose(n[0], n[1], many, 0, 0, in, out, MPI_COMM_WORLD, flags);
    default:
        return of.mpi_plan_many_r2r(axes, n, many, 0, 0, in, out, MPI_COMM_WORLD, kind, flags);
    }
}

/* Makes slabs along the first axis that are thicker on higher ranks. */
static weft_distribution uneven(int axes, const ptrdiff_t *length)
{
    ptrdiff_t start[AXES] = {0}, count[AXES];
    memcpy(count, length, sizeof count);
    start[0] = length[0] * rank * (rank + 1) / ranks / (ranks + 1);
    count[0] = length[0] * (rank + 1) * (rank + 2) / ranks / (ranks + 1) - start[0];
    for (int axis = 1; axis < axes && count[0] == 0; axis++)
        count[axis] = 0;
    return of.distribution_boxes(MPI_COMM_WORLD, axes, length, start, count);
}

/* Plans a transform from bricks to uneven slabs. */
static FFTW(plan) plan_bricks(const check_case *it, const whole_array *whole, weft_real *in,
                              weft_real *out, unsigned flags)
{
    const int axes = whole->of.axes, *kind = whole->of.kind;
    weft_grid grid = of.grid_create(MPI_COMM_WORLD, axes, NULL);
    weft_distribution from = of.distribution_grid(grid, axes, whole->length[0], NULL, 0),
                      to = uneven(axes, whole->length[1]);
    FFTW(plan)
    plan = !from || !to ? NULL
           : it->kinds[axes - 1] == '-'
               ? of.plan_redistribute(from, to, it->howmany, in, out, flags)
           : it->modes[0] > 0
               ? of.plan_between_modes(from, to, it->modes, it->howmany, in, out, kind, flags)
               : of.plan_between(from, to, it->howmany, in, out, kind, flags);
    of.distribution_free(from);
    of.distribution_free(to);
    of.grid_free(grid);
    return plan;
}

static FFTW(plan)
    plan_case(const check_case *it, const whole_array *whole, weft_real *in, weft_real *out)
{
    const unsigned flags = it->flags | (it->flags & FFTW_MEASURE ? 0 : FFTW_ESTIMATE);
    if (it->way == SLABS)
        return plan_slabs(it, whole, in, out, flags);
    if (it->way == BRICKS)
        return plan_bricks(it, whole, in, out, flags);
    weft_grid grid = of.grid_create(MPI_COMM_WORLD, RANKS_OF_GRID, NULL);
    FFTW(plan)
    plan = of.plan_many_kinds(whole->of.axes, it->n, it->howmany, in, out, grid, whole->of.kind,
                              flags);
    of.grid_free(grid);
    return plan;
}

/* Adds a box to a map. Rows along the last axis have `stored` points in memory, including padding.
 */
static void add_box(const whole_array *whole, int side, const int *order, const ptrdiff_t *start,
                    const ptrdiff_t *count, ptrdiff_t row, check_map *map)
{
    const int axes = whole->of.axes;
    ptrdiff_t points = row, index[AXES];
    for (int axis = 0; axis < axes - 1; axis++)
        points *= count[axis];
    for (ptrdiff_t point = 0; point < points; point++) {
        ptrdiff_t rest = point, at = 0;
        for (int i = axes - 1; i >= 0; i--) {
            const ptrdiff_t stored = order[i] == axes - 1 ? row : count[order[i]];
            index[order[i]] = rest % stored;
            rest /= stored;
        }
        for (int axis = 0; axis < axes; axis++)
            at = at * whole->length[side][axis] + start[axis] + index[axis];
        for (ptrdiff_t t = 0; t < whole->tuple[side]; t++)
            map->place[map->slots++] =
                index[axes - 1] < count[axes - 1] ? at * whole->tuple[side] + t : -1;
    }
}

static check_map map_of(FFTW(plan) plan, const whole_array *whole, int side)
{
    ptrdiff_t start[MOST_BOXES * AXES], count[MOST_BOXES * AXES], rows = 0;
    int order[AXES];
    const int axes = whole->of.axes;
    weft_distribution layout = of.plan_layout(plan, MPI_COMM_WORLD, side);
    const int boxes = of.distribution_list(layout, rank, order, start, count);
    const ptrdiff_t held = of.distribution_box(layout, rank, NULL, NULL);
    check_map map = {0, need(sizeof *map.place * (size_t)(held * whole->tuple[side]))};
    for (int b = 0; b < boxes; b++) {
        ptrdiff_t some = 1;
        for (int axis = 0; axis < axes - 1; axis++)
            some *= count[b * axes + axis];
        rows += some;
    }
    for (int b = 0; b < boxes && rows > 0; b++)
        add_box(whole, side, order, start + b * axes, count + b * axes, held / rows, &map);
    of.distribution_free(layout);
    return map;
}

/* The largest error of this rank's numbers, relative to the largest number. */
static double error_of(const weft_real *array, const check_map *map, const whole_array *whole)
{
    weft_real most = 0;
    for (ptrdiff_t slot = 0; slot < map->slots; slot++) {
        if (map->place[slot] < 0)
            continue;
        const weft_real difference = array[slot] - whole->number[1][map->place[slot]];
        const weft_real error = difference < 0 ? -difference : difference;
        if (!(error <= most)) /* true also if the error is not a number */
            most = error;
        if (!(most == most))
            return INFINITY;
    }
    return (double)(most / whole->largest);
}

/* Runs a plan and returns the error. A scrambled transform is followed by the plan back. */
static double run_plan(FFTW(plan) plan, FFTW(plan) back, const whole_array *whole, weft_real *in,
                       weft_real *out)
{
    double most = 0;
    check_map from = map_of(plan, whole, 0);
    check_map to = back ? map_of(back, whole, 1) : map_of(plan, whole, 1);
    for (int turn = 0; turn < RUNS; turn++) {
        for (ptrdiff_t slot = 0; slot < from.slots; slot++)
            in[slot] = from.place[slot] < 0 ? 1234 : whole->number[0][from.place[slot]];
        FFTW(execute)(plan);
        if (back)
            FFTW(execute)(back);
        const double error = error_of(back ? in : out, &to, whole);
        most = error > most ? error : most;
    }
    free(from.place);
    free(to.place);
    return most;
}

/* Runs a case and returns the largest error of this rank; negative: there is no plan. */
static double run_case(const check_case *it)
{
    const whole_array *whole = whole_of(it);
    const int last = whole->of.axes - 1;
    ptrdiff_t numbers = 0;
    for (int side = 0; side < 2; side++) { /* enough for any rank, also for padded rows */
        const ptrdiff_t all =
            whole_numbers(whole, side) * (it->n[last] + 2) / it->n[last] + 2 * it->howmany;
        numbers = all > numbers ? all : numbers;
    }
    const size_t bytes = 2 * (size_t)numbers * sizeof(weft_real);
    const bool shared = it->arrays & SHARED, in_place = it->arrays & IN_PLACE;
    weft_real *in = shared ? of.alloc_real(2 * numbers, MPI_COMM_WORLD) : FFTW(malloc)(bytes);
    weft_real *out = in_place ? in
                     : shared ? of.alloc_real(2 * numbers, MPI_COMM_WORLD)
                              : FFTW(malloc)(bytes);
    if (!in || !out)
        need(PTRDIFF_MAX);
    memset(in, 0, bytes);
    memset(out, 0, bytes);
    FFTW(plan) plan = plan_case(it, whole, in, out), back = NULL;
    bool planned = plan != NULL;
    if (planned && whole->of.there_and_back) {
        back = of.mpi_plan_many_dft(1, it->n, it->howmany, 0, 0, (FFTW(complex) *)out,
                                    (FFTW(complex) *)in, MPI_COMM_WORLD, FFTW_BACKWARD,
                                    FFTW_ESTIMATE | FFTW_MPI_SCRAMBLED_IN);
        planned = back != NULL;
    }
    const double error = planned ? run_plan(plan, back, whole, in, out) : -1;
    if (plan)
        FFTW(destroy_plan)(plan);
    if (back)
        FFTW(destroy_plan)(back);
    if (!in_place)
        shared ? of.free(out) : FFTW(free)(out);
    shared ? of.free(in) : FFTW(free)(in);
    return error;
}

/* The largest error that rounding explains; it grows with the length of the transform. */
static double allowed(const check_case *it)
{
    double points = 1;
    for (int axis = 0; axis < AXES && it->n[axis] > 0; axis++)
        points *= (double)it->n[axis];
    return 10 * (double)EPSILON * (1 + log2(points));
}

static void describe(const check_case *it, const char *backend, char *text, size_t capacity)
{
    static const char *const ways[] = {"slabs", "a process grid", "bricks"};
    static const struct {
        unsigned flag;
        const char *name;
    } flags[] = {{FFTW_MEASURE, "FFTW_MEASURE"},
                 {FFTW_MPI_TRANSPOSED_IN, "transposed input"},
                 {FFTW_MPI_TRANSPOSED_OUT, "transposed output"},
                 {FFTW_MPI_SCRAMBLED_OUT, "scrambled and back"},
                 {WEFT_ROWS, "WEFT_ROWS"},
                 {WEFT_UNPADDED, "WEFT_UNPADDED"},
                 {WEFT_REVERSED, "WEFT_REVERSED"},
                 {WEFT_SAME_LAYOUT, "WEFT_SAME_LAYOUT"}};
    const int axes = (int)strlen(it->kinds);
    const char last = it->kinds[axes - 1];
    weft_writer to = weft_write_to(text, capacity);
    weft_write(&to, "%s, %s of ", WEFT_PRECISION,
               last == 'f'   ? "c2c forward"
               : last == 'b' ? "c2c backward"
               : last == 'r' ? "r2c"
               : last == 'c' ? "c2r"
               : last == '-' ? "move"
                             : "r2r");
    for (int axis = 0; axis < axes; axis++)
        weft_write(&to, "%s%td", axis ? "x" : "", it->n[axis]);
    if (it->howmany > 1)
        weft_write(&to, "*%td", it->howmany);
    weft_write(&to, " in %s%s", ways[it->way], it->arrays & IN_PLACE ? ", in place" : "");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (it->flags & flags[i].flag)
            weft_write(&to, ", %s", flags[i].name);
    weft_write(&to, ", backend %s", backend);
}

static void judge(const check_case *it, const char *backend, double error, check_result *result)
{
    const bool forced = strcmp(backend, "auto") != 0;
    result->cases++;
    if (error < 0 && forced) {
        result->refused++;
        return;
    }
    const double size = error < 0 ? INFINITY : error; /* infinite if there is no plan */
    result->error = size > result->error ? size : result->error;
    if (error >= 0 && error <= allowed(it))
        return;
    if (result->wrong++ > 0)
        return;
    char name[256];
    describe(it, backend, name, sizeof name);
    if (error < 0)
        snprintf(result->first, sizeof result->first, "%s: no plan: %.120s", name, result->why);
    else
        snprintf(result->first, sizeof result->first, "%s: the largest error is %.1e, allowed %.1e",
                 name, error, allowed(it));
}

static void run_group(check_group group, const char *backend, check_result *result)
{
    double error[CASES] = {0};
    of.set_backend(backend);
    for (int i = 0; i < CASES; i++) {
        if (cases[i].group != group)
            continue;
        error[i] = run_case(&cases[i]);
        if (error[i] < 0 && !result->why[0])
            snprintf(result->why, sizeof result->why, "%s", of.last_error());
    }
    MPI_Allreduce(MPI_IN_PLACE, error, CASES, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < CASES; i++)
        if (cases[i].group == group)
            judge(&cases[i], backend, error[i], result);
}

static const char *backend_at(int place)
{
    return of.backend_name(place);
}

const check_precision WEFT(check_precision) = {WEFT_PRECISION, open_library, run_group, backend_at};
