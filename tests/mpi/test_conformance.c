/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The local_size functions and the scrambled orders as programs see them: the rows of the tables
 * for this number of ranks.
 */
#include <stdlib.h>
#include <string.h>
#include "planner/path/path.h"
#include "tests/conformance.h"
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"

static ptrdiff_t line_size(const size_row *row, ptrdiff_t to[4])
{
    unsigned flags = (row->scrambled_in ? FFTW_MPI_SCRAMBLED_IN : 0) |
                     (row->scrambled_out ? FFTW_MPI_SCRAMBLED_OUT : 0);
    if (row->many)
        return FFTW(mpi_local_size_many_1d)(row->n[0], row->howmany, MPI_COMM_WORLD, row->sign,
                                            flags, &to[0], &to[1], &to[2], &to[3]);
    return FFTW(mpi_local_size_1d)(row->n[0], MPI_COMM_WORLD, row->sign, flags, &to[0], &to[1],
                                   &to[2], &to[3]);
}

static ptrdiff_t size_of(const size_row *row, ptrdiff_t to[4])
{
    const ptrdiff_t *n = row->n;
    MPI_Comm comm = MPI_COMM_WORLD;
    if (row->line)
        return line_size(row, to);
    if (row->many)
        return row->transposed
                   ? FFTW(mpi_local_size_many_transposed)(row->axes, n, row->howmany, row->block0,
                                                          row->block1, comm, &to[0], &to[1], &to[2],
                                                          &to[3])
                   : FFTW(mpi_local_size_many)(row->axes, n, row->howmany, row->block0, comm,
                                               &to[0], &to[1]);
    if (row->axes == 2)
        return row->transposed ? FFTW(mpi_local_size_2d_transposed)(n[0], n[1], comm, &to[0],
                                                                    &to[1], &to[2], &to[3])
                               : FFTW(mpi_local_size_2d)(n[0], n[1], comm, &to[0], &to[1]);
    return row->transposed ? FFTW(mpi_local_size_3d_transposed)(n[0], n[1], n[2], comm, &to[0],
                                                                &to[1], &to[2], &to[3])
                           : FFTW(mpi_local_size_3d)(n[0], n[1], n[2], comm, &to[0], &to[1]);
}

/* The functions of any rank, which are not in the table, against what those of the row gave. */
static bool basic_forms_agree(const size_row *row)
{
    ptrdiff_t to[4] = {-1, -1, -1, -1}, size;
    if (row->line || row->many)
        return true;
    size = row->transposed
               ? FFTW(mpi_local_size_transposed)(row->axes, row->n, MPI_COMM_WORLD, &to[0], &to[1],
                                                 &to[2], &to[3])
               : FFTW(mpi_local_size)(row->axes, row->n, MPI_COMM_WORLD, &to[0], &to[1]);
    return size == row->result[0] &&
           memcmp(to, row->result + 1, sizeof to[0] * (size_t)(row->results - 1)) == 0;
}

START_TEST(sizes_are_those_of_the_table)
{
    char line[TABLE_LINE], *field[TABLE_FIELDS], wrong[TABLE_LINE] = "";
    int rows = 0;
    FILE *file = table_open("local_size.tsv");
    for (int fields; file && (fields = table_row(file, line, field)) > 0;) {
        size_row row;
        ptrdiff_t to[4] = {-1, -1, -1, -1};
        size_row_read(field, fields, &row);
        if (row.ranks != ranks || row.rank != rank)
            continue;
        rows++;
        if (size_of(&row, to) != row.result[0] ||
            memcmp(to, row.result + 1, sizeof to[0] * (size_t)(row.results - 1)) != 0 ||
            !basic_forms_agree(&row))
            snprintf(wrong, sizeof wrong, "%s %s", field[0], field[1]);
    }
    if (file)
        fclose(file);
    all_true(rows > 250 && wrong[0] == '\0', "%d rows; wrong: %s", rows, wrong);
}
END_TEST

/* Where the table has no plan, on one rank, the natural order. */
static void check_scrambled(char *field[TABLE_FIELDS], bool in_place)
{
    ptrdiff_t order[256];
    bool in = strcmp(field[3], "SCRAMBLED_IN") == 0, natural = strcmp(field[4], "NULL") == 0;
    dropin_case it = {.what = DROPIN_C2C,
                      .entry = DROPIN_SHAPED,
                      .rank = 1,
                      .n = {atoll(field[0])},
                      .howmany = 1,
                      .sign = atoi(field[2]),
                      .flags =
                          FFTW_ESTIMATE | (in ? FFTW_MPI_SCRAMBLED_IN : FFTW_MPI_SCRAMBLED_OUT),
                      .in_place = in_place,
                      .new_arrays = in_place};
    char *at = field[4];
    for (ptrdiff_t place = 0; place < it.n[0]; place++, at++)
        order[place] = natural ? place : strtoll(at, &at, 10);
    if (in)
        it.in_order = order;
    else
        it.out_order = order;
    dropin_check(&it, MPI_COMM_WORLD);
}

/* In place and not, with long lines taken apart and not. */
START_TEST(scrambled_orders_are_those_of_the_table)
{
    char line[TABLE_LINE], *field[TABLE_FIELDS];
    FILE *file = table_open("scrambled_1d.tsv");
    all_true(file != NULL, "the table cannot be read");
    weft_path_set_too_long(_i < 2 ? 0 : 8);
    while (table_row(file, line, field) > 0)
        if (atoi(field[1]) == ranks)
            check_scrambled(field, _i % 2);
    weft_path_set_too_long(0);
    fclose(file);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("conformance " WEFT_PRECISION);
    TCase *tests = tcase_create("tables");
    tcase_add_test(tests, sizes_are_those_of_the_table);
    tcase_add_loop_test(tests, scrambled_orders_are_those_of_the_table, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
