/* SPDX-License-Identifier: BSD-3-Clause */
/* Pencils between the slabs of FFTW's interface: the results stay the same. And grids that timing
 * chooses. (unit/test_process_grid knows where the planner uses pencils or slabs; test_libfftw3
 * prints the path.) */
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/dropin.h"
#include "tests/mpi/grids.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/variants.h"
#include "api/weft.h"

static const char *const options[] = {
    NULL, "auto", "1x2", "2x1", "2x2", "4x2", "2x4", "3x1", "2x2:column-major", "4x2:column-major"};

/* Most axes are shorter than the number of ranks. */
static const ptrdiff_t sizes[][3] = {{2, 8, 9}, {8, 2, 6}, {2, 2, 30}, {3, 3, 5}, {1, 8, 9}};
enum { OPTIONS = 10, SIZES = 5 };

TEST(pencils_between_slabs, .to = OPTIONS)
{
    unsigned state = 5;
    for (int what = DROPIN_C2C; what <= DROPIN_R2R; what++)
        for (int s = 0; s < SIZES; s++) {
            if (ranks > 3 && (s + what + _i) % 4 != 0)
                continue;
            dropin_case it = {
                .what = (dropin_what)what, .rank = 3, .in_place = arrays_random(&state, 2)};
            memcpy(it.n, sizes[s], sizeof sizes[s]);
            it.flags = dropin_orders(it.what, 3, arrays_random(&state, 4));
            dropin_options(&it, &state, MPI_COMM_WORLD);
            set_environment("WEFT_GRID", options[_i]);
            dropin_check(&it, MPI_COMM_WORLD);
            unsetenv("WEFT_GRID");
        }
}

/* Timed plans, also with four axes. */
TEST(races_between_slabs_and_pencils, .to = 5)
{
    static const dropin_case row[] = {
        {.what = DROPIN_C2C, .rank = 3, .n = {2, 12, 8}, .flags = FFTW_MEASURE},
        {.what = DROPIN_R2C, .rank = 3, .n = {12, 2, 9}, .flags = FFTW_MEASURE, .in_place = true},
        {.what = DROPIN_C2R, .rank = 4, .n = {1, 5, 6, 4}, .flags = FFTW_MEASURE},
        {.what = DROPIN_R2R, .rank = 4, .n = {2, 3, 4, 5}, .flags = FFTW_PATIENT},
        {.what = DROPIN_C2C, .rank = 3, .n = {16, 16, 8}, .flags = FFTW_PATIENT}};
    dropin_case it = row[_i];
    it.howmany = 1;
    it.sign = FFTW_BACKWARD;
    for (int axis = 0; axis < it.rank; axis++)
        it.kind[axis] = FFTW_REDFT11;
    dropin_check(&it, MPI_COMM_WORLD);
}

/* One sort of transform on each. */
TEST(tuned_grids_can_be_planned_on, .to = GRIDS_SORTS)
{
    static const ptrdiff_t shape[][4] = {
        {12, 10, 8}, {5, 6, 7}, {3, 4, 5, 6}, {2, 8, 5, 6}, {8, 9}};
    static const int axes[] = {3, 3, 4, 4, 2}, dims[] = {2, 1, 3, 2, 1};
    const int which = _i % 5;
    unsigned state = 3;
    int product = 1;
    grids_case it = {.rank = axes[which], .dimensions = dims[which], .howmany = 1 + (which == 1)};
    memcpy(it.n, shape[which], sizeof shape[which]);
    grids_any_kinds(&it, _i, &state);
    grids_any_flags(&it, &state);
    it.flags &= it.rank > 2 ? ~0U : ~(unsigned)FFTW_ESTIMATE;
    weft_grid grid = WEFT(grid_tune)(MPI_COMM_WORLD, it.dimensions, it.rank, it.n, it.howmany,
                                     grids_sort(&it), it.flags & ~(unsigned)WEFT_UNPADDED);
    all_true(grid != NULL, "no grid: %s", WEFT(last_error)());
    const int dimensions = WEFT(grid_dims)(grid, it.dims);
    WEFT(grid_free)(grid);
    for (int g = 0; g < dimensions; g++)
        product *= it.dims[g];
    all_true(dimensions == it.dimensions && product == ranks, "%d dimensions, %d ranks", dimensions,
             product);
    grids_check(&it, MPI_COMM_WORLD);
}

static void start(int *argc, char ***argv)
{
    variant_begin(argc, argv);
    variant_force(0);
}

AROUND(.start = start)
