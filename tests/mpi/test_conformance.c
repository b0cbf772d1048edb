/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The results of the local_size functions and the scrambled orders, compared with the recorded rows
 * for this number of ranks.
 */
#include <string.h>
#include "planner/path/path.h"
#include "tests/conformance/recorded.h"
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"

static bool agrees(const recorded *row, ptrdiff_t size, const ptrdiff_t to[4])
{
    const ptrdiff_t *result = row->result[rank];
    return size == result[0] &&
           memcmp(to, result + 1, sizeof to[0] * (size_t)(row->results - 1)) == 0;
}

/* Compares the functions for any number of axes, which are not recorded, with the row's functions.
 */
static bool basic_forms_agree(const recorded *row)
{
    ptrdiff_t to[4] = {-1, -1, -1, -1}, size;
    if (row->line || row->many)
        return true;
    size = row->transposed
               ? FFTW(mpi_local_size_transposed)(row->axes, row->n, MPI_COMM_WORLD, &to[0], &to[1],
                                                 &to[2], &to[3])
               : FFTW(mpi_local_size)(row->axes, row->n, MPI_COMM_WORLD, &to[0], &to[1]);
    return agrees(row, size, to);
}

TEST(sizes_are_as_recorded)
{
    char wrong[RECORDED_TEXT] = "";
    int rows = 0;
    FILE *file = recorded_open();
    for (recorded row; file && recorded_read(file, &row, NULL);) {
        recorded_correct(&row);
        ptrdiff_t to[4] = {-1, -1, -1, -1};
        if (row.order || row.ranks != ranks)
            continue;
        rows++;
        ptrdiff_t size = recorded_call(&row, MPI_COMM_WORLD, to);
        if (!agrees(&row, size, to) || !basic_forms_agree(&row))
            snprintf(wrong, sizeof wrong, "%s", row.call);
    }
    if (file)
        fclose(file);
    all_true(rows > 15 && wrong[0] == '\0', "%d rows; wrong: %s", rows, wrong);
}

static void check_order(const recorded *row, bool in_place)
{
    ptrdiff_t order[256];
    dropin_case it = {.what = DROPIN_C2C,
                      .entry = DROPIN_SHAPED,
                      .rank = 1,
                      .n = {row->n[0]},
                      .howmany = 1,
                      .sign = row->sign,
                      .flags = FFTW_ESTIMATE | row->flags,
                      .in_place = in_place,
                      .new_arrays = in_place};
    for (ptrdiff_t place = 0; place < it.n[0]; place++)
        order[place] = recorded_index(row, place);
    if (row->flags & FFTW_MPI_SCRAMBLED_IN)
        it.in_order = order;
    else
        it.out_order = order;
    dropin_check(&it, MPI_COMM_WORLD);
}

/* In place and not, with long lines split into blocks and not. */
TEST(scrambled_orders_are_as_recorded, .to = 4)
{
    FILE *file = recorded_open();
    all_true(file != NULL, "the recorded rows cannot be read");
    weft_path_set_too_long(_i < 2 ? 0 : 8);
    for (recorded row; recorded_read(file, &row, NULL);)
        if (row.order && row.ranks == ranks)
            check_order(&row, _i % 2);
    weft_path_set_too_long(0);
    fclose(file);
}
