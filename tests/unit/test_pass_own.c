/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passes in place of which one block is read elsewhere, or written elsewhere, against serial FFTW
 * on a plain copy; and views of which a part has been left out.
 */
#include <complex.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "kernels/pass/pass.h"
#include "tests/unit/harness.h"
#include "planner/schedule/view.h"

enum { ROWS = 24, COLUMNS = 10, BLOCKS = 3, ELSEWHERE = BLOCKS, ARRAYS = BLOCKS + 1, STEP = 12 };

static const ptrdiff_t divisions[][BLOCKS] = {{9, 0, 15}, {0, 0, 24}};

/* ROWS x COLUMNS. The rows are in blocks, and each block is a separate array. One block is also in
 * another array, with longer rows and the axes exchanged. */
static void make_view(const ptrdiff_t *rows_of, int elsewhere, weft_view_block *block)
{
    for (int p = 0; p < BLOCKS; p++) {
        block[p] =
            (weft_view_block){.count = rows_of[p], .array = p, .offset = p, .stride = {COLUMNS, 1}};
        if (p == elsewhere)
            block[p] = (weft_view_block){
                .count = rows_of[p], .array = ELSEWHERE, .offset = 5, .stride = {1, ROWS + 2}};
    }
}

static double _Complex *at(double _Complex *const *array, const weft_view_block *block, int row,
                           int column)
{
    int p = 0;
    while (row >= block[p].count)
        row -= (int)block[p++].count;
    return array[block[p].array] + block[p].offset + row * block[p].stride[0] +
           column * block[p].stride[1];
}

/* Fills the source, and gives what serial FFTW makes of it, along axis 0 or both. */
static void expect(double _Complex *const *array, const weft_view_block *source, int axes,
                   double _Complex *expected)
{
    const int both[2] = {ROWS, COLUMNS}, one = ROWS;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        expected[i] = (i * 37 % 101 - 50) + (i * 53 % 89 - 44) * (double _Complex)I;
        *at(array, source, i / COLUMNS, i % COLUMNS) = expected[i];
    }
    fftw_plan plan =
        axes == 2 ? fftw_plan_dft(2, both, expected, expected, FFTW_FORWARD, FFTW_ESTIMATE)
                  : fftw_plan_many_dft(1, &one, COLUMNS, expected, NULL, COLUMNS, 1, expected, NULL,
                                       COLUMNS, 1, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
}

/* Elements of the arrays that no block has, and of a source that must stay, are as before. */
static bool untouched(double _Complex *const *array, double _Complex *const *before, int elements,
                      const weft_view_block *target, const weft_view_block *source, bool destroys)
{
    for (int a = 0; a < ARRAYS; a++)
        for (int i = 0; i < elements; i++) {
            bool written = false;
            for (int k = 0; k < ROWS * COLUMNS; k++) {
                const int row = k / COLUMNS, column = k % COLUMNS;
                written |= at(array, target, row, column) == &array[a][i] ||
                           (destroys && at(array, source, row, column) == &array[a][i]);
            }
            if (!written && memcmp(&array[a][i], &before[a][i], sizeof **array) != 0)
                return false;
        }
    return true;
}

static double run(const ptrdiff_t *rows_of, int read_elsewhere, int written_elsewhere, int axes,
                  size_t level2, unsigned rigor)
{
    enum { ELEMENTS = ROWS * COLUMNS + 64 };
    double _Complex *array[ARRAYS], *before[ARRAYS], expected[ROWS * COLUMNS];
    weft_view_block source[BLOCKS], target[BLOCKS];
    double worst = 0;
    for (int a = 0; a < ARRAYS; a++) {
        array[a] = fftw_malloc(ELEMENTS * sizeof **array);
        before[a] = fftw_malloc(ELEMENTS * sizeof **array);
        for (int i = 0; i < ELEMENTS; i++)
            array[a][i] = 1e6 + a;
    }
    make_view(rows_of, read_elsewhere, source);
    make_view(rows_of, written_elsewhere, target);
    expect(array, source, axes, expected);
    for (int a = 0; a < ARRAYS; a++)
        memcpy(before[a], array[a], ELEMENTS * sizeof **array);
    const weft_pass_spec spec = {.axes = 2,
                                 .size = {ROWS, COLUMNS},
                                 .kind = {WEFT_FORWARD, axes == 2 ? WEFT_FORWARD : WEFT_KEEP},
                                 .source = {0, BLOCKS, source},
                                 .target = {0, BLOCKS, target},
                                 .in_place = true,
                                 .fftw_flags = rigor};
    const weft_pass_limits limits = {.level2 = level2, .last = 4 * level2};
    weft_pass *pass = weft_pass_create_limited(&spec, &limits);
    ck_assert_msg(pass != NULL, "%s", weft_error_text());
    void *workspace = fftw_malloc(pass->workspace + 1);
    const void *const *from = (const void *const *)array;
    weft_pass_run(pass, from, (void *const *)array, workspace);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        const double error = cabs(*at(array, target, i / COLUMNS, i % COLUMNS) - expected[i]);
        worst = error > worst ? error : worst;
    }
    const bool destroys = read_elsewhere < 0 || written_elsewhere >= 0;
    ck_assert_msg(untouched(array, before, ELEMENTS, target, source, destroys),
                  "something else was written");
    fftw_free(workspace);
    weft_pass_destroy(pass);
    for (int a = 0; a < ARRAYS; a++) {
        fftw_free(array[a]);
        fftw_free(before[a]);
    }
    return worst;
}

START_TEST(own_blocks)
{
    const size_t level2[] = {1 << 20,
                             1 << 10}; /* all at once; tiles, and two sweeps for two axes */
    const unsigned rigor[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT};
    for (int k = 0; k < 3 * 2 * 2 * 3 * 2; k++) {
        const int own = k % 3 == 1 ? 0 : 2, axes = 1 + k / 3 % 2;
        const double error = run(divisions[k / 36], k % 3 == 0 ? own : -1, k % 3 == 0 ? -1 : own,
                                 axes, level2[k / 6 % 2], rigor[k / 12 % 3]);
        ck_assert_msg(error < 1e-9, "case %d: error %g", k, error);
    }
}
END_TEST

static ptrdiff_t indices_of(const weft_view *view)
{
    ptrdiff_t indices = 0;
    for (int p = 0; p < view->blocks; p++)
        indices += view->block[p].count * (1 + view->block[p].more);
    return indices;
}

/* The block of a view that has an index, which becomes that within the block. */
static weft_view_block block_with(const weft_view *view, ptrdiff_t *index)
{
    for (int p = 0; p < view->blocks; p++)
        for (int nth = 0; nth <= view->block[p].more; nth++) {
            if (*index < view->block[p].count)
                return weft_single_block(&view->block[p], nth);
            *index -= view->block[p].count;
        }
    ck_abort_msg("there is no such index");
}

/* An index of what is left is that of the whole, or lies behind the gap. */
START_TEST(left_out)
{
    weft_view_block given[2] = {{.count = 4, .array = 1, .offset = 100, .stride = {5, 1}},
                                {.count = 6, .array = 2, .offset = 300, .stride = {7, 2}}};
    for (int blocks = 1; blocks <= 2; blocks++)
        for (int first = 0; first <= 10; first++)
            for (int count = 0; first + count <= 10; count++) {
                weft_view_block *copy = calloc((size_t)blocks, sizeof *copy);
                memcpy(copy, given, (size_t)blocks * sizeof *copy);
                weft_view view = {.axis = 0, .blocks = blocks, .block = copy};
                ck_assert(weft_view_leave_out(&view, 0, 10, first, count));
                ck_assert_int_eq(indices_of(&view), 10 - count);
                for (int index = 0; index < 10 - count; index++) {
                    const int whole = index < first ? index : index + count;
                    const weft_view_block *from = &given[blocks == 2 && whole >= given[0].count];
                    ptrdiff_t within = index;
                    const weft_view_block block = block_with(&view, &within);
                    ck_assert_int_eq(block.array, from->array);
                    ck_assert_int_eq(block.offset + within * block.stride[0],
                                     from->offset + (whole - (from == given ? 0 : given[0].count)) *
                                                        from->stride[0]);
                }
                free((void *)view.block);
            }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("own pieces");
    TCase *own = tcase_create("own");
    tcase_add_test(own, own_blocks);
    tcase_add_test(own, left_out);
    suite_add_tcase(suite, own);
    return run_unit(suite);
}
