/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks with different arguments. One rank changes each argument of each collective function of
 * api/functions and weft.h; with WEFT_TEST_FAULTS=all (make check-faults) the first, the last and a
 * middle rank in turn. If the argument must be the same, all ranks get NULL and a sentence;
 * otherwise all ranks get their result. The table of functions is made from these two files; an
 * argument that no row below changes fails the test.
 *
 * The test cannot remove the communicator, grid or distribution of one rank, nor use one of another
 * communicator there: the other ranks would wait for it in MPI.
 */
#include "api/fftw3-mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "api/weft.h"
#include "kernels/base/precision.h"
#include "tests/mpi/harness.h"

enum { N0 = 12, N1 = 6, N2 = 4, NUMBERS = 4096 };

/* The arguments, with their names in the functions. */
typedef struct {
    ptrdiff_t n0, n1, n2, n[3], howmany, block, tblock, block0, block1, iblock, oblock, numbers;
    ptrdiff_t fields_in, fields_out, fields;
    ptrdiff_t start_in[3], count_in[3], start_out[3], count_out[3], modes[3];
    void *in, *out;
    MPI_Comm comm;
    weft_grid grid;
    weft_distribution from, to, distribution;
    ptrdiff_t sizes[3], offsets[3];
    int rank, rnk, dims[2], sign, kind_of_all, kind_of_axis[3];
    FFTW(r2r_kind) kind0, kind1, kind2, kind[3];
    weft_operator apply;
    void *data;
    const void *factors;
    int complex_factors;
    unsigned flags;
} arguments;

#include "tests/mpi/differing-calls.h"

static FFTW(complex) in[NUMBERS], out[NUMBERS], other[NUMBERS];
static weft_grid line, square;
static weft_distribution rows, columns;

static bool of(const char *name, const char *part)
{
    return strstr(name, part) != NULL;
}

static void keep(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis, void *data)
{
    (void)values, (void)count, (void)index, (void)axis, (void)data;
}

static void keep_also(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis, void *data)
{
    keep(values, count, index, axis, data);
}

/* Returns correct arguments for a function on this rank. */
static arguments good(const char *name)
{
    arguments it = {.n0 = N0,
                    .n1 = N1,
                    .n2 = N2,
                    .n = {N0, N1, N2},
                    .howmany = 1,
                    .numbers = 100,
                    .fields_in = 1,
                    .fields_out = 1,
                    .fields = 2,
                    .start_in = {rank == 0 ? 0 : N0},
                    .count_in = {rank == 0 ? N0 : 0, N1, N2},
                    .start_out = {rank == ranks - 1 ? 0 : N0},
                    .count_out = {rank == ranks - 1 ? N0 : 0, N1, N2},
                    .modes = {N0, N1, N2},
                    .in = in,
                    .out = out,
                    .comm = MPI_COMM_WORLD,
                    .grid = of(name, "_2d") ? line : square,
                    .from = rows,
                    .to = columns,
                    .distribution = rows,
                    .sizes = {N0, N1 + 1, N2 + 2},
                    .offsets = {0, 1, 1},
                    .rank = 2,
                    .rnk = 3,
                    .dims = {ranks, 1},
                    .sign = FFTW_FORWARD,
                    .kind_of_all = WEFT_DFT_FORWARD,
                    .kind_of_axis = {WEFT_DFT_FORWARD, WEFT_NONE, WEFT_DFT_FORWARD},
                    .apply = keep,
                    .factors = other,
                    .flags = FFTW_ESTIMATE};
    for (int axis = 0; axis < 3 && of(name, "convolution"); axis++)
        it.kind_of_axis[axis] = WEFT_DFT_BACKWARD;
    it.kind0 = it.kind1 = it.kind2 = it.kind[0] = it.kind[1] = it.kind[2] = FFTW_REDFT10;
    return it;
}

/* Changes an argument to its value of this number; says whether it may differ between ranks. */
typedef enum { NONE, SAME, FREE } duty;

#define ROW(argument, text, duty_of_it, change)                                                    \
    if (strcmp(word, #argument) == 0 && which-- == 0) {                                            \
        *what = text;                                                                              \
        change;                                                                                    \
        return duty_of_it;                                                                         \
    }

static duty change(arguments *it, const char *word, int which, const char **what)
{
    ROW(n0, "longer", SAME, it->n0 = N0 + 1)
    ROW(n0, "0", SAME, it->n0 = 0)
    ROW(n0, "beyond memory", SAME, it->n0 = PTRDIFF_MAX / 16)
    ROW(n1, "longer", SAME, it->n1 = N1 + 1)
    ROW(n2, "longer", SAME, it->n2 = N2 + 1)
    ROW(n, "longer", SAME, it->n[2] = N2 + 1)
    ROW(n, "-7", SAME, it->n[1] = -7)
    ROW(rnk, "2", SAME, it->rnk = 2)
    ROW(rnk, "0", SAME, it->rnk = 0)
    ROW(rnk, "1000", SAME, it->rnk = 1000)
    ROW(howmany, "2", SAME, it->howmany = 2)
    ROW(howmany, "-1", SAME, it->howmany = -1)
    ROW(howmany, "beyond memory", SAME, it->howmany = PTRDIFF_MAX / 8)
    ROW(fields_in, "2", SAME, it->fields_in = 2)
    ROW(fields_out, "2", SAME, it->fields_out = 2)
    ROW(fields, "3", SAME, it->fields = 3)
    ROW(fields, "0", SAME, it->fields = 0)
    ROW(block, "all", SAME, it->block = N0)
    ROW(block, "-1", SAME, it->block = -1)
    ROW(tblock, "all", SAME, it->tblock = N0)
    ROW(block0, "all", SAME, it->block0 = N0)
    ROW(block1, "all", SAME, it->block1 = N1)
    ROW(iblock, "all", SAME, it->iblock = N0)
    ROW(oblock, "all", SAME, it->oblock = N0)
    ROW(oblock, "too small", SAME, it->oblock = N0 / ranks - 1)
    ROW(numbers, "more", FREE, it->numbers = 333)
    ROW(numbers, "-1", SAME, it->numbers = -1)
    ROW(start_in, "beyond", SAME, it->start_in[1] = N1)
    ROW(count_in, "too many", SAME, (it->start_in[0] = 0, it->count_in[0] = N0 + 1))
    ROW(start_out, "beyond", SAME, it->start_out[1] = N1)
    ROW(count_out, "too many", SAME, (it->start_out[0] = 0, it->count_out[0] = N0 + 1))
    ROW(modes, "fewer", SAME, it->modes[0] = N0 - 1)
    ROW(modes, "0", SAME, it->modes[1] = 0)
    ROW(in, "another array", FREE, it->in = other)
    ROW(out, "another array", FREE, it->out = other)
    ROW(grid, "another", SAME, it->grid = it->grid == line ? square : line)
    ROW(from, "another", SAME, it->from = columns)
    ROW(to, "another", SAME, it->to = rows)
    ROW(distribution, "another", SAME, it->distribution = columns)
    ROW(sizes, "larger", FREE, it->sizes[2] = N2 + 5)
    ROW(sizes, "too small", SAME, it->sizes[0] = 0)
    ROW(offsets, "beyond", SAME, it->offsets[1] = N1 + 1)
    ROW(rank, "1", SAME, it->rank = 1)
    ROW(dims, "turned", SAME, (it->dims[0] = 1, it->dims[1] = ranks))
    ROW(sign, "the other", SAME, it->sign = FFTW_BACKWARD)
    ROW(kind_of_all, "another", SAME, it->kind_of_all = WEFT_R2R)
    ROW(kind_of_axis, "another", SAME, it->kind_of_axis[1] = WEFT_DFT_FORWARD)
    ROW(kind_of_axis, "unknown", SAME, it->kind_of_axis[0] = 1000)
    ROW(apply, "another", FREE, it->apply = keep_also)
    ROW(apply, "NULL", SAME, it->apply = NULL)
    ROW(data, "another", FREE, it->data = it)
    ROW(factors, "others", FREE, it->factors = other + 1)
    ROW(factors, "NULL", SAME, it->factors = NULL)
    ROW(complex_factors, "1", FREE, it->complex_factors = 1)
    ROW(kind0, "another", SAME, it->kind0 = FFTW_RODFT10)
    ROW(kind1, "another", SAME, it->kind1 = FFTW_RODFT10)
    ROW(kind2, "another", SAME, it->kind2 = FFTW_RODFT10)
    ROW(kind, "another", SAME, it->kind[1] = FFTW_RODFT10)
    ROW(kind, "unknown", SAME, it->kind[0] = (FFTW(r2r_kind)) - 1)
    ROW(flags, "of another rigor", SAME, it->flags = FFTW_MEASURE)
    ROW(flags, "unknown", SAME, it->flags |= 1U << 31)
    ROW(flags, "that do not count", FREE, it->flags |= 1U << 11)
    *what = NULL;
    return strcmp(word, "comm") == 0 ? FREE : NONE;
}

static void drop(const char *name, const void *made)
{
    if (of(name, "distribution_"))
        WEFT(distribution_free)((weft_distribution)made);
    else if (of(name, "grid_"))
        WEFT(grid_free)((weft_grid)made);
    else if (of(name, "alloc_"))
        WEFT(free)((void *)made);
    else
        FFTW(destroy_plan)((FFTW(plan))made);
}

/* Calls a function with one value of one argument changed on one rank. */
static void check(int i, const char *word, int which, int odd)
{
    const char *what, *name = calls[i].name;
    arguments changed = good(name), usual = good(name);
    const duty how = change(&changed, word, which, &what);
    const void *made = calls[i].make(rank == odd ? &changed : &usual);
    const bool reported = WEFT(last_error)()[0] != '\0';
    if (made && how == FREE && of(name, "plan"))
        FFTW(execute)((FFTW(plan))made);
    if (made)
        drop(name, made);
    all_true(how == SAME ? !made && reported : made != NULL, "%s, %s %s on rank %d: %s, \"%s\"",
             name, word, what, odd, made ? "made" : "not made", WEFT(last_error)());
}

static void check_argument(int i, const char *word)
{
    const char *what = NULL, *wanted = getenv("WEFT_TEST_FAULTS");
    const bool all = wanted && strcmp(wanted, "all") == 0;
    int values = 0;
    for (arguments it = good(calls[i].name);; values++) {
        const duty how = change(&it, word, values, &what);
        all_true(how != NONE || values > 0, "no row says how %s of %s may differ", word,
                 calls[i].name);
        if (!what)
            break;
    }
    for (int which = 0; which < values; which++)
        for (int k = 0; k < (ranks < 3 ? ranks : 3); k++)
            if (all || k == (i + which) % (ranks < 3 ? ranks : 3))
                check(i, word, which, k == 0 ? 0 : k == 1 ? ranks - 1 : ranks / 2);
}

TEST(differing_arguments_are_reported, .to = NUMBER(calls))
{
    char names[200], *rest = names;
    const arguments usual = good(calls[_i].name);
    const void *made = calls[_i].make(&usual);
    all_true(made, "%s: %s", calls[_i].name, WEFT(last_error)());
    drop(calls[_i].name, made);
    snprintf(names, sizeof names, "%s", calls[_i].arguments);
    for (const char *word; ranks > 1 && (word = strsep(&rest, " "));)
        if (*word)
            check_argument(_i, word);
}

static void start(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    setenv("WEFT_DEVICE", STANDIN, 1); /* for arrays on a device */
}

static void begin(void)
{
    const ptrdiff_t n[3] = {N0, N1, N2};
    line = WEFT(grid_create)(MPI_COMM_WORLD, 1, NULL);
    square = WEFT(grid_create)(MPI_COMM_WORLD, 2, (int[]){ranks, 1});
    rows = WEFT(distribution_grid)(line, 3, n, NULL, 0);
    columns = WEFT(distribution_grid)(line, 3, n, (int[]){1}, 0);
}

static void end(void)
{
    WEFT(distribution_free)(rows);
    WEFT(distribution_free)(columns);
    WEFT(grid_free)(line);
    WEFT(grid_free)(square);
}

AROUND(.start = start, .begin = begin, .end = end)
