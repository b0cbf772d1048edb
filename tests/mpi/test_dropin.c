/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every kind of transform, rank, order and placement, compared with serial FFTW. Blocks, howmany,
 * flags and functions vary from case to case; test_random has more random cases.
 */
#include "api/fftw3-mpi.h"
#include "planner/path/path.h"
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/variants.h"

/* Sizes of 1, primes, fewer rows than ranks, one row, one column; 5 dimensions. */
static const struct {
    int rank;
    ptrdiff_t n[DROPIN_RANK];
} shape[] = {{2, {8, 12}},        {2, {13, 11}},   {2, {1, 30}},      {2, {30, 1}},
             {2, {1, 1}},         {2, {3, 20}},    {2, {20, 3}},      {2, {16, 16}},
             {3, {6, 8, 10}},     {3, {5, 7, 3}},  {3, {1, 6, 4}},    {3, {9, 1, 5}},
             {3, {16, 4, 1}},     {3, {2, 3, 40}}, {4, {4, 3, 5, 2}}, {4, {3, 1, 2, 7}},
             {5, {3, 2, 4, 2, 3}}};

enum { SHAPES = NUMBER(shape) };

/* Many ranks on few cores take long, and precisions differ little. In these runs each shape gets a
 * part of the variants, and every variant occurs with some shape. */
static bool left_out(int which, unsigned way)
{
    if (sizeof(weft_real) != sizeof(double) && which % 3 != 0 && !variant.on_device)
        return true;
    /* without a variant more are tested */
    const unsigned parts = ranks > 4 ? (variant.name ? 6 : 2) : variant.name && ranks > 2 ? 3 : 1;
    return (way + way / 4 + (unsigned)which) % parts != 0;
}

/* Each shape with each kind of transform in turn. */
TEST(every_kind_of_transform_is_right, .to = 5 * SHAPES)
{
    const int which = _i % SHAPES;
    const dropin_what what = (dropin_what)(_i / SHAPES);
    unsigned state = 1 + (unsigned)which * 16 + (unsigned)what, seen = 0;
    if (what == DROPIN_TRANSPOSE && shape[which].rank != 2)
        return;
    variant_force(which + (int)what);
    for (unsigned way = 0; way < 8; way++) {
        dropin_case it = {.what = what, .rank = shape[which].rank, .in_place = way & 4};
        for (int axis = 0; axis < it.rank; axis++)
            it.n[axis] = shape[which].n[axis];
        it.flags = dropin_orders(what, it.rank, way);
        unsigned bit = 1U << ((it.flags >> 29 & 3) + (way & 4));
        if (seen & bit || left_out(which, way))
            continue;
        seen |= bit;
        dropin_options(&it, &state, world);
        it.flags |= variant.flags;
        dropin_check(&it, world);
    }
}

static const ptrdiff_t line[] = {1, 2, 3, 4, 7, 12, 16, 35, 36, 60, 64, 97, 100, 110, 210, 1000};
enum { LINES = NUMBER(line) };

/* Lines in natural order, first whole, then as if they were too long for one block.
 * (test_conformance.c has scrambled lines.) */
TEST(lines, .to = 2 * LINES)
{
    unsigned state = (unsigned)_i;
    const ptrdiff_t n = line[_i % LINES], block = n == 97 ? 1 /* ignored */ : n == 36 ? 36 : 0;
    variant_force(_i);
    weft_path_set_too_long(_i < LINES ? 0 : 6);
    for (unsigned way = 0; way < 8; way++) {
        if (left_out(_i, way))
            continue;
        dropin_case it = {.what = DROPIN_C2C,
                          .rank = 1,
                          .n = {n},
                          .howmany = way & 2 ? 1 : 9,
                          .in_block = block,
                          .out_block = block,
                          .sign = way & 4 ? FFTW_FORWARD : FFTW_BACKWARD,
                          .kind = {way & 1 ? FFTW_REDFT10 : FFTW_RODFT01},
                          .flags = FFTW_ESTIMATE | variant.flags,
                          .in_place = way & 1,
                          .new_arrays = arrays_random(&state, 2),
                          .entry = way & 2 && !block ? DROPIN_SHAPED : DROPIN_MANY};
        dropin_check(&it, world);
        it.what = DROPIN_R2R;
        it.entry = DROPIN_MANY;
        if (_i < LINES && way < 4)
            dropin_check(&it, world);
    }
    weft_path_set_too_long(0);
}

/* Rows and columns of more than a tile, where caches are small (dropin+little). */
static const dropin_case large[] = {
    {.what = DROPIN_C2C, .rank = 2, .n = {160, 144}},
    {.what = DROPIN_C2C, .rank = 3, .n = {20, 36, 24}, .sign = FFTW_BACKWARD, .in_place = true},
    {.what = DROPIN_R2C, .rank = 3, .n = {24, 18, 40}, .flags = FFTW_MPI_TRANSPOSED_OUT},
    {.what = DROPIN_C2R, .rank = 3, .n = {24, 18, 40}, .in_place = true},
    {.what = DROPIN_C2C, .rank = 1, .n = {4096}},
    {.what = DROPIN_TRANSPOSE, .rank = 2, .n = {120, 200}},
};

TEST(arrays_of_several_tiles, .to = 2 * NUMBER(large))
{
    variant_force(_i);
    const dropin_case it =
        dropin_single(&large[_i / 2], (_i % 2 ? FFTW_ESTIMATE : FFTW_MEASURE) | variant.flags);
    dropin_check(&it, world);
}

TEST(nothing_to_transform, .to = DROPIN_TRANSPOSE + 1)
{
    const dropin_case it = {.what = (dropin_what)_i,
                            .rank = 2,
                            .n = {6, _i == DROPIN_R2R ? 1 : 8},
                            .kind = {FFTW_REDFT10, FFTW_REDFT00},
                            .sign = FFTW_FORWARD,
                            .flags = FFTW_ESTIMATE | variant.flags,
                            .nulls = true,
                            .entry = DROPIN_MANY};
    dropin_check(&it, world);
}

/* Bugs of FFTW-MPI in FFTW's issue tracker. (test_fftw_wisdom has issue 33, test_bad issue 167.)
 * The sizes of issue 43 are multiplied by the number of ranks. */
static const struct {
    int issue;
    dropin_case it;
} issues[] = {
    {20, {.rank = 2, .n = {98, 1}}},
    {20, {.rank = 3, .n = {50, 1, 1}, .in_place = true}},
    {20, {.rank = 2, .n = {64, 1}, .in_place = true}},
    {43, {.rank = 2, .n = {8, 3}, .flags = FFTW_PATIENT}},
    {43, {.rank = 2, .n = {8, 3}, .flags = FFTW_PATIENT, .in_place = true}},
    {65, {.rank = 2, .n = {10, 10}, .flags = FFTW_MEASURE}},
    {65, {.rank = 3, .n = {16, 16, 16}, .flags = FFTW_MEASURE}},
    {298, {.rank = 3, .n = {40, 40, 40}, .flags = FFTW_MEASURE}},
    {174, {.rank = 3, .n = {6, 5, 4}, .flags = FFTW_MPI_TRANSPOSED_OUT}},
};

TEST(reports_of_fftws_tracker, .to = NUMBER(issues))
{
    dropin_case it = dropin_single(&issues[_i].it, variant.flags);
    it.flags |= it.flags & (FFTW_MEASURE | FFTW_PATIENT) ? 0 : FFTW_ESTIMATE;
    if (issues[_i].issue == 43) { /* many transforms, and ranks without output */
        it.howmany = 10;
        it.n[0] *= ranks;
        it.n[1] = ranks > 1 ? it.n[1] * (ranks - 1) : 1;
    }
    if (issues[_i].issue == 174) { /* a block of all of n1 */
        it.in_block = 6 / ranks + 1;
        it.out_block = 5;
    }
    FFTW(set_timelimit)(1);
    for (int sign = -1; sign <= 1 && !variant.name; sign += 2) {
        it.sign = sign;
        dropin_check(&it, world);
    }
    FFTW(set_timelimit)(FFTW_NO_TIMELIMIT);
}

/* Issue 194. In any order the transform of a constant is one number. */
TEST(lines_may_be_scrambled_on_both_sides)
{
    enum { N = 1024 };
    const unsigned flags = FFTW_ESTIMATE | FFTW_MPI_SCRAMBLED_IN | FFTW_MPI_SCRAMBLED_OUT;
    ptrdiff_t in, out, start;
    double sum[2] = {0, 0};
    const ptrdiff_t size =
        FFTW(mpi_local_size_1d)(N, world, FFTW_FORWARD, flags, &in, &start, &out, &start);
    if (variant.name)
        return;
    FFTW(complex) *data = FFTW(alloc_complex)((size_t)size + 1);
    FFTW(plan)
    plan = FFTW(mpi_plan_dft_1d)(N, data, data, world, FFTW_FORWARD, flags);
    all_true(plan, "there is no plan");
    for (ptrdiff_t i = 0; i < in; i++)
        data[i][0] = 1, data[i][1] = 0;
    FFTW(execute)(plan);
    for (ptrdiff_t i = 0; i < out; i++) {
        sum[0] += (double)data[i][0];
        sum[1] += (double)(data[i][0] * data[i][0] + data[i][1] * data[i][1]);
    }
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, world);
    all_true(sum[0] > N - 1e-2 && sum[0] < N + 1e-2 && sum[1] > N * (N - 1e-2) &&
                 sum[1] < N * (N + 1e-2),
             "numbers of %g, their squares of %g", sum[0], sum[1]);
    FFTW(destroy_plan)(plan);
    FFTW(free)(data);
}

AROUND(.start = variant_begin)
