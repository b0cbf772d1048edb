/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every backend of the table, with each of its values, does every exchange of a table of cases: out
 * of place and in place, from and to blocks, with elements of many sizes; also with messages too
 * large for an int, which a lower limit pretends.
 */
#include <stdio.h>
#include <string.h>
#include "kernels/base/error.h"
#include "backends/messages/blocks.h"
#include "tests/mpi/transfers.h"
#include "tests/layouts.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/variants.h"
#include "backends/table.h"

typedef struct {
    const char *name;
    ptrdiff_t size[6];
    const char *from, *to;                     /* texts of transfer_layout */
    ptrdiff_t howmany, from_padded, to_padded; /* howmany 0 means 1 */
    int idle;                                  /* number of ranks outside both grids */
    bool to_boxes;                             /* to `boxes`, on four or more ranks */
} exchange_case;

static const exchange_case cases[] = {
    {"slabs", {8, 12, 5}, "a0 b c", .to = "a b0 c"},
    {"slabs, transposed", {8, 12, 5}, "a0 b c", .to = "b0 a c"},
    {"slabs back from transposed", {9, 7, 4}, "b0 a c", .to = "a0 b c"},
    {"slabs of different order", {6, 8, 4}, "a0 b c", .to = "c b0 a"},
    {"2-d transpose", {16, 12}, "a0 b", .to = "b0 a"},
    {"2-d transpose, 3 at a point", {11, 9}, "a0 b", .to = "b0 a", .howmany = 3},
    {"pencils within rows", {6, 8, 10}, "a0 b1 c", .to = "a0 b c1"},
    {"pencils within columns", {6, 8, 10}, "a0 b c1", .to = "a b0 c1"},
    {"pencils within rows, permuted", {6, 8, 10}, "a0 b1 c", .to = "c1 a0 b"},
    {"pencils of both kinds at a time", {6, 8, 10}, "a0 b1 c", .to = "a b0 c1"},
    {"4-d on a 3-d grid", {4, 6, 5, 4}, "a0 b1 c2 d", .to = "a0 b1 c d2"},
    {"4-d on a 3-d grid, permuted", {4, 6, 5, 4}, "a0 b1 c2 d", .to = "d2 a0 c b1"},
    {"4-d on a 2-d grid", {4, 5, 3, 6}, "a0 b1 c d", .to = "d c0 b1 a"},
    {"5-d slabs", {4, 3, 2, 3, 2}, "a0 b c d e", .to = "e b0 a c d"},
    {"bricks to pencils", {6, 8, 10}, "a0 b1 c2", .to = "a0 b1 c"},
    {"pencils to bricks", {6, 8, 10}, "c a1 b0", .to = "a0 b1 c2"},
    {"bricks to other bricks", {6, 8, 7}, "a0 b1 c2", .to = "c0 b2 a1"},
    {"slabs to pencils", {7, 9, 4}, "a0 b c", .to = "a0 b1 c"},
    {"balanced", {13, 11, 3}, "a0= b c", .to = "b0= a c"},
    {"blocks to balanced", {13, 4}, "a0 b", .to = "a0= b"},
    {"1-d blocks to balanced", {29}, "a0", .to = "a0="},
    {"all to one rank", {7, 5}, "a0 b", .to = "b a"},
    {"one rank to all", {7, 5}, "a b", .to = "b0 a"},
    {"blocks that leave the last ranks empty", {9, 10, 3}, "a0 b c", .to = "a b0 c"},
    {"blocks of a given size", {8, 12, 3}, "a0*8 b c", .to = "b0*12 a c"},
    {"idle ranks", {6, 8, 4}, "a0 b c", .to = "b0 a c", .idle = 1},
    {"idle ranks of pencils", {6, 8, 5}, "a0 b1 c", .to = "a0 b c1", .idle = 2},
    {"one element", {1}, "a0", .to = "a0="},
    {"one row", {1, 13, 1}, "a0 b c", .to = "b0 a c"},
    {"primes", {7, 11, 13}, "a0 b c", .to = "c0 b a"},
    {"more ranks than indices", {3, 2, 4}, "a0 b c", .to = "b0 a c"},
    {"nothing at all", {0, 5}, "a0 b", .to = "b0 a"},
    {"3 at a point", {6, 10, 4}, "a0 b1 c", .to = "a b1 c0", .howmany = 3},
    {"padded source", {8, 6, 5}, "a0 b c", .to = "a b0 c", .from_padded = 8},
    {"padded target", {8, 6, 5}, "a0 b c", .to = "b0 a c", .to_padded = 6},
    {"both padded, 2 at a point", {8, 6, 5}, "a0 b c", "b0 a c", 2, 7, .to_padded = 6},
    {"nothing moves between ranks", {8, 6, 5}, "a0 b c", .to = "a0 c b"},
    {"nothing changes", {8, 6, 5}, "a0 b c", .to = "a0 b c"},
    {"blocks that differ only in their strides", {3, 4, 2}, "a b c", "a b c", .to_boxes = true},
};

/* Of the first plane of 3 x 4 x 2 points rank 1 has a column, and rank 2 a row of the same length:
 *
 *     1 2 2 2
 *     1 0 0 0        rank 3 has the other plane
 *     1 0 0 0
 */
static const weft_box boxes[64] = {{{{1, 2}, {1, 3}, {0, 1}}},
                                   {{{0, 3}, {0, 1}, {0, 1}}},
                                   {{{0, 1}, {1, 3}, {0, 1}}},
                                   {{{0, 3}, {0, 4}, {1, 1}}}};

static const unsigned flag_sets[] = {
    0,
    WEFT_IN_PLACE,
    WEFT_FROM_BLOCKED,
    WEFT_TO_BLOCKED,
    WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED,
    WEFT_TRAVEL_TO,
    WEFT_IN_PLACE | WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED | WEFT_TRAVEL_TO,
    WEFT_LEAVE_OWN | WEFT_FROM_BLOCKED,
};

static const size_t elements[] = {16, 8, 4, 32, 12};

enum { FLAG_SETS = NUMBER(flag_sets), ELEMENTS = NUMBER(elements) };

static void make_layouts(const exchange_case *one, weft_layout *from, weft_layout *to)
{
    const int used = ranks > one->idle ? ranks - one->idle : 1;
    transfer_layout(from, one->from, one->size, one->howmany ? one->howmany : 1, used);
    transfer_layout(to, one->to, one->size, one->howmany ? one->howmany : 1, used);
    from->padded = one->from_padded;
    to->padded = one->to_padded;
    if (one->to_boxes && ranks > 3) {
        list_boxes(to, ranks);
        memcpy(to->boxes->box, boxes, (size_t)ranks * sizeof *boxes);
    }
}

/* Counts the groups of ranks that exchange elements with one another, directly or not. */
static int count_groups(const weft_layout *from, const weft_layout *to)
{
    ptrdiff_t point[WEFT_MAX_AXES] = {0}, points = 1;
    int group[64], groups = ranks;
    for (int r = 0; r < ranks; r++)
        group[r] = r;
    for (int axis = 0; axis < from->axes; axis++)
        points *= from->axis[axis].size;
    while (points-- > 0) {
        const int one = group[holder_of(from, point)], other = group[holder_of(to, point)];
        for (int r = 0; r < ranks; r++)
            group[r] = group[r] == other ? one : group[r];
        groups -= one != other;
        next_index(from, from->order, point);
    }
    return groups;
}

/* Tries one exchange with all backends. */
static void try_backends(const exchange_case *one, size_t element, unsigned flags, int runs)
{
    weft_layout from, to;
    method methods[MOST_WAYS];
    char wrong[400] = "";
    moving transfer;
    make_layouts(one, &from, &to);
    transfer_begin(&transfer, &from, &to, element, flags, MPI_COMM_WORLD);
    weft_exchange *exchange =
        weft_exchange_create(&from, &to, element, flags, NULL, MPI_COMM_WORLD);
    all_true(exchange, "%s, flags %#x: %s", one->name, flags, weft_error_text());
    all_true(weft_base(exchange)->groups == count_groups(&from, &to), "%s, flags %#x: %d groups",
             one->name, flags, weft_base(exchange)->groups);
    int number = transfer_ways(exchange, MPI_COMM_WORLD, methods);
    for (int i = 0; i < number; i++) {
        const char *found = transfer_try(&transfer, exchange, methods[i], runs);
        if (found && !*wrong)
            snprintf(
                wrong, sizeof wrong, "%s:%d, %s, flags %#x, elements of %zu bytes, %d runs: %s",
                methods[i].backend->name, methods[i].value, one->name, flags, element, runs, found);
    }
    all_true(!*wrong, "%s", wrong);
    weft_exchange_destroy(exchange);
    transfer_end(&transfer);
}

TEST(every_backend_does_every_case, .to = NUMBER(cases))
{
    /* Out of place, in place and, in turn, one other of the sets; sizes of elements in turn. */
    for (int set = 0; set < FLAG_SETS; set++)
        if (set < 2 || (_i + set) % 6 == 0)
            try_backends(&cases[_i], elements[(_i + set) % ELEMENTS], flag_sets[set],
                         1 + (_i + set) % 2);
}

/* Messages beyond int use other MPI calls: with a limit of a few bytes all messages use them.
 */
TEST(every_backend_does_large_messages, .to = 12)
{
    static const ptrdiff_t limits[] = {16, 200};
    for (int limit = 0; limit < 2; limit++) {
        weft_limit_set(limits[limit]);
        try_backends(&cases[_i], 16, flag_sets[(_i + 3 * limit) % FLAG_SETS], 1 + limit);
        weft_limit_set(0);
    }
}

/* One rank has all elements, or gets them: no rank's workspace is more than 1.5 times as large. */
TEST(no_workspace_is_out_of_proportion, .to = 2)
{
    const ptrdiff_t size[] = {100000};
    const bool back = _i;
    weft_layout all, parts;
    method methods[MOST_WAYS];
    char wrong[200] = "";
    transfer_layout(&all, "a", size, 1, ranks);
    transfer_layout(&parts, "a0", size, 1, ranks);
    weft_exchange *exchange = weft_exchange_create(back ? &parts : &all, back ? &all : &parts, 8, 0,
                                                   NULL, MPI_COMM_WORLD);
    all_true(exchange, "%s", weft_error_text());
    const int number = transfer_ways(exchange, MPI_COMM_WORLD, methods);
    for (int i = 0; i < number; i++) {
        weft_prepared *prepared = weft_prepare(exchange, methods[i].backend, methods[i].value);
        all_true(prepared, "%s", weft_error_text());
        if (prepared->workspace > 12 * 100000 + 4096)
            snprintf(wrong, sizeof wrong, "%s:%d takes %zu bytes", methods[i].backend->name,
                     methods[i].value, prepared->workspace);
        weft_prepared_release(prepared);
    }
    all_true(!*wrong, "%s", wrong);
    weft_exchange_destroy(exchange);
}

AROUND(.start = variant_begin, .begin = transfers_begin)
