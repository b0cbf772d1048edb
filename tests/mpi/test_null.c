/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans that are made for arrays of NULL and run on others, as programs do that allocate later; and
 * plans that are run in place, but were made out of place, or the other way round.
 */
#include "tests/mpi/dropin.h"
#include "tests/mpi/grids.h"
#include "tests/mpi/harness.h"

static const dropin_case cases[] = {
    {.what = DROPIN_C2C, .rank = 3, .n = {9, 8, 5}, .sign = FFTW_FORWARD},
    {.what = DROPIN_C2C, .rank = 1, .n = {64}, .sign = FFTW_BACKWARD},
    {.what = DROPIN_C2C,
     .rank = 2,
     .n = {3, 16},
     .sign = FFTW_BACKWARD,
     .flags = FFTW_MPI_TRANSPOSED_OUT},
    {.what = DROPIN_R2C, .rank = 3, .n = {12, 12, 7}, .flags = FFTW_MPI_TRANSPOSED_OUT},
    {.what = DROPIN_R2C, .rank = 2, .n = {10, 8}},
    {.what = DROPIN_R2C, .rank = 2, .n = {2, 20}, .out_block = 2}, /* rank 0 has all of it */
    {.what = DROPIN_C2R, .rank = 2, .n = {16, 10}},
    {.what = DROPIN_C2R, .rank = 3, .n = {6, 9, 8}, .flags = FFTW_MPI_TRANSPOSED_IN},
    {.what = DROPIN_R2R, .rank = 2, .n = {12, 9}, .kind = {FFTW_REDFT10, FFTW_DHT}},
    {.what = DROPIN_TRANSPOSE, .rank = 2, .n = {12, 18}},
    {.what = DROPIN_TRANSPOSE, .rank = 2, .n = {11, 5}},
};

enum { CASES = sizeof cases / sizeof cases[0] };

static const unsigned rigors[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT | FFTW_UNALIGNED};

/* Both NULL, the input, the output, both on rank 0 alone. */
static const unsigned nulls[] = {3, 1, 2, 7};

/* Timing takes long, with many ranks above all; there, and in other precisions, a sixth must do. */
static bool left_out(bool timed, int turn)
{
    return timed && (ranks > 3 || sizeof(weft_real) != sizeof(double)) && turn % 6 != 0;
}

START_TEST(plans_for_null_run_on_other_arrays)
{
    for (int null = 0; null < 4; null++)
        for (int way = 0; way < 6; way++) {
            dropin_case it = dropin_single(&cases[_i], rigors[way / 2]);
            it.null = nulls[null];
            it.in_place = way % 2;
            it.howmany = 1 + null % 2;
            if (left_out(way > 1, _i + null + way))
                continue;
            dropin_check(&it, MPI_COMM_WORLD);
        }
}
END_TEST

START_TEST(plans_run_in_place_and_out_of_place)
{
    for (int way = 0; way < 8; way++) {
        dropin_case it = dropin_single(&cases[_i], way / 4 ? FFTW_MEASURE : FFTW_ESTIMATE);
        it.new_arrays = it.other_place = true;
        it.in_place = way % 2;
        it.null = way & 2 ? 3 : 0; /* then it is in place whatever it says */
        it.howmany = 1;
        if (left_out(way > 3, _i + way))
            continue;
        dropin_check(&it, MPI_COMM_WORLD);
    }
}
END_TEST

START_TEST(plans_on_grids_for_null_run_on_other_arrays)
{
    static const grids_case on_grids[] = {
        {.rank = 3,
         .n = {8, 9, 6},
         .kind = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_FORWARD},
         .dimensions = 2},
        {.rank = 3,
         .n = {8, 6, 10},
         .kind = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_R2C},
         .dimensions = 2},
        {.rank = 3,
         .n = {8, 6, 10},
         .kind = {WEFT_DFT_BACKWARD, WEFT_DFT_BACKWARD, WEFT_DFT_C2R},
         .dimensions = 1},
        {.rank = 2, .n = {9, 7}, .kind = {FFTW_REDFT10, FFTW_RODFT00}, .dimensions = 1},
        {.rank = 3,
         .n = {8, 6, 10},
         .kind = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_R2C},
         .dimensions = 2,
         .flags = WEFT_UNPADDED}, /* so never in place */
    };
    for (int which = 0; which < 5; which++)
        for (int way = 0; way < (which < 4 ? 4 : 2); way++) {
            grids_case it = on_grids[which];
            it.flags |= way % 2 ? FFTW_MEASURE : FFTW_ESTIMATE;
            it.in_place = way / 2;
            it.null = true;
            it.howmany = 1 + which % 2;
            it.shared = which == 0 ? 15 : 0;
            if (left_out(way % 2, which + way))
                continue;
            while (grids_next(it.dimensions, it.dims, ranks))
                grids_check(&it, MPI_COMM_WORLD);
        }
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("null");
    TCase *tests = tcase_create(WEFT_PRECISION);
    tcase_set_timeout(tests, 0);
    tcase_add_loop_test(tests, plans_for_null_run_on_other_arrays, 0, CASES);
    tcase_add_loop_test(tests, plans_run_in_place_and_out_of_place, 0, CASES);
    tcase_add_test(tests, plans_on_grids_for_null_run_on_other_arrays);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
