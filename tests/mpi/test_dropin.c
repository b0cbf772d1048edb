/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every kind of transform, rank, order and placement against serial FFTW. What else there is,
 * blocks, howmany, flags and entry points, is varied along the way; test_random has more of that.
 */
#include "api/fftw3-mpi.h"
#include <stdlib.h>
#include <string.h>
#include "planner/path/path.h"
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/twins.h"

/* Of 1, primes, fewer rows than ranks, one row, one column; 5 dimensions. */
static const struct {
    int rank;
    ptrdiff_t n[DROPIN_RANK];
} shape[] = {{2, {8, 12}},        {2, {13, 11}},   {2, {1, 30}},      {2, {30, 1}},
             {2, {1, 1}},         {2, {3, 20}},    {2, {20, 3}},      {2, {16, 16}},
             {3, {6, 8, 10}},     {3, {5, 7, 3}},  {3, {1, 6, 4}},    {3, {9, 1, 5}},
             {3, {16, 4, 1}},     {3, {2, 3, 40}}, {4, {4, 3, 5, 2}}, {4, {3, 1, 2, 7}},
             {5, {3, 2, 4, 2, 3}}};

enum { SHAPES = sizeof shape / sizeof shape[0] };

#ifndef MORE_FLAGS
#define MORE_FLAGS 0
#endif

/* Compiled with BACKENDS this is a test of those, which may be in plug-ins LOADED: each test takes
 * one of them. */
#ifdef BACKENDS
static const char *const forced[] = {BACKENDS};
static void force(int which)
{
    const char *name = forced[which % (int)(sizeof forced / sizeof forced[0])];
#ifdef ON_DEVICE
    /* `direct` needs an MPI that takes device memory; with another MPI messages take its turn. */
    if (strstr(name, "direct") && !twins_mpi_reaches())
        name = "pairwise*2";
#endif
    setenv("WEFT_BACKEND", name, 1);
}
#else
static void force(int which)
{
    (void)which;
}
#endif

/* Compiled with ON_DEVICE this is a test of arrays there, which plans take as they were made for.
 */
#ifdef ON_DEVICE
static const bool on_device = true;
#else
static const bool on_device = false;
#endif

static void keep_on_device(dropin_case *it)
{
    if (!on_device)
        return;
    it->null = 0;
    it->other_place = false;
    it->new_shift = it->shift;
}

/* What takes the time is many ranks on few cores, and precisions differ in little: there, each
 * shape gets a part of the variants, and all variants get their turn. */
static bool left_out(int which, unsigned variant)
{
    if (sizeof(weft_real) != sizeof(double) && which % 3 != 0 && !on_device)
        return true;
    unsigned parts = ranks > 4 ? 2 : 1;
#ifdef BACKENDS
    parts = ranks > 4 ? 6 : ranks > 2 ? 3 : 1; /* test_dropin does the rest */
#endif
    return (variant + variant / 4 + (unsigned)which) % parts != 0;
}

static void check_shape(dropin_what what, int which)
{
    force(which + (int)what);
    unsigned state = 1 + (unsigned)which * 16 + (unsigned)what;
    unsigned seen = 0;
    for (unsigned variant = 0; variant < 8; variant++) {
        dropin_case it = {.what = what, .rank = shape[which].rank, .in_place = variant & 4};
        for (int axis = 0; axis < it.rank; axis++)
            it.n[axis] = shape[which].n[axis];
        it.flags = dropin_orders(what, it.rank, variant);
        unsigned bit = 1U << ((it.flags >> 29 & 3) + (variant & 4));
        if (seen & bit || left_out(which, variant))
            continue;
        seen |= bit;
        dropin_options(&it, &state, MPI_COMM_WORLD);
        it.flags |= MORE_FLAGS;
        keep_on_device(&it);
        dropin_check(&it, MPI_COMM_WORLD);
    }
}

START_TEST(complex_transforms)
{
    check_shape(DROPIN_C2C, _i);
}
END_TEST

START_TEST(real_to_complex_transforms)
{
    check_shape(DROPIN_R2C, _i);
}
END_TEST

START_TEST(complex_to_real_transforms)
{
    check_shape(DROPIN_C2R, _i);
}
END_TEST

START_TEST(real_transforms)
{
    check_shape(DROPIN_R2R, _i);
}
END_TEST

START_TEST(transposes)
{
    if (shape[_i].rank == 2)
        check_shape(DROPIN_TRANSPOSE, _i);
}
END_TEST

static const ptrdiff_t line[] = {1, 2, 3, 4, 7, 12, 16, 35, 36, 60, 64, 97, 100, 110, 210, 1000};

enum { LINES = sizeof line / sizeof line[0] };

/* As they are, and then as if they were too long for one piece; for scrambled ones see
 * test_conformance.c. */
START_TEST(complex_lines)
{
    unsigned state = (unsigned)_i;
    force(_i);
    weft_path_set_too_long(_i < LINES ? 0 : 6);
    for (unsigned variant = 0; variant < 8; variant++) {
        if (left_out(_i, variant))
            continue;
        dropin_case it = {.what = DROPIN_C2C,
                          .rank = 1,
                          .n = {line[_i % LINES]},
                          .howmany = variant & 2 ? 1 : 9,
                          .sign = variant & 4 ? FFTW_FORWARD : FFTW_BACKWARD,
                          .flags = FFTW_ESTIMATE | MORE_FLAGS,
                          .in_place = variant & 1,
                          .new_arrays = arrays_random(&state, 2),
                          .entry = variant & 2 ? DROPIN_SHAPED : DROPIN_MANY};
        dropin_check(&it, MPI_COMM_WORLD);
    }
    weft_path_set_too_long(0);
}
END_TEST

START_TEST(real_lines)
{
    force(_i);
    for (unsigned variant = 0; variant < 4; variant++) {
        if (left_out(_i, variant))
            continue;
        dropin_case it = {.what = DROPIN_R2R,
                          .rank = 1,
                          .n = {line[_i]},
                          .howmany = variant & 2 ? 1 : 3,
                          .kind = {variant & 1 ? FFTW_REDFT10 : FFTW_RODFT01},
                          .flags = FFTW_ESTIMATE | MORE_FLAGS,
                          .in_place = variant & 1,
                          .entry = DROPIN_MANY};
        dropin_check(&it, MPI_COMM_WORLD);
    }
}
END_TEST

START_TEST(nothing_to_transform)
{
    for (int what = DROPIN_C2C; what <= DROPIN_TRANSPOSE; what++) {
        dropin_case it = {.what = (dropin_what)what,
                          .rank = 2,
                          .n = {6, 8},
                          .howmany = 0,
                          .sign = FFTW_FORWARD,
                          .flags = FFTW_ESTIMATE | MORE_FLAGS,
                          .nulls = true,
                          .entry = DROPIN_MANY};
        dropin_check(&it, MPI_COMM_WORLD);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("dropin " WEFT_PRECISION);
    TCase *tests = tcase_create("against serial FFTW");
    tcase_add_loop_test(tests, complex_transforms, 0, SHAPES);
    tcase_add_loop_test(tests, real_to_complex_transforms, 0, SHAPES);
    tcase_add_loop_test(tests, complex_to_real_transforms, 0, SHAPES);
    if (!on_device)
        tcase_add_loop_test(tests, real_transforms, 0, SHAPES);
    tcase_add_loop_test(tests, transposes, 0, SHAPES);
    tcase_add_loop_test(tests, complex_lines, 0, 2 * LINES);
    if (!on_device)
        tcase_add_loop_test(tests, real_lines, 0, LINES);
    tcase_add_test(tests, nothing_to_transform);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
#ifdef LOADED
    setenv("WEFT_PLUGINS", LOADED, 1);
#endif
#ifdef ON_DEVICE
    twins_begin(STANDIN);
    twins_mpi_begin();
#endif
    return run_mpi(&argc, &argv, suite);
}
