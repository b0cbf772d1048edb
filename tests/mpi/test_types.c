/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datatypes of blocks against a walk through the block, on random layouts, other ones on every
 * rank; and types of more than an int counts, which are only measured.
 */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/account.h"
#include "backends/exchange/exchange.h"
#include "tests/layouts.h"
#include "backends/exchange/blocks.h"
#include "tests/mpi/harness.h"

enum { ROUNDS = 60, MOST_POINTS = 1500, SIMULATED = 6 };

static const size_t element_of[] = {1, 4, 8, 12, 16, 32};

/* Whether the type packs just what the walk finds, and unpacks it to there and nowhere else. */
static bool type_walks(const weft_exchange *e, const weft_block *block, ptrdiff_t reach)
{
    size_t element = e->element, bytes = (size_t)block->elements * element;
    unsigned char *array = malloc((size_t)(reach + 1) * element), *packed = calloc(1, bytes + 1);
    unsigned char *back = calloc((size_t)(reach + 1), element);
    int place = 0, size = -1, ok = 1;
    MPI_Datatype type;

    for (size_t i = 0; i < (size_t)(reach + 1) * element; i++)
        array[i] = (unsigned char)(1 + i * 2654435761u % 251);
    if (!e->services->piece_type(e, block, &type))
        return false;
    MPI_Type_size(type, &size);
    ok = ok && size == (int)bytes;
    MPI_Pack(array, 1, type, packed, (int)bytes, &place, MPI_COMM_SELF);
    for (ptrdiff_t n = 0; n < block->elements; n++)
        ok = ok && memcmp(packed + (size_t)n * element, array + (size_t)walk(block, n) * element,
                          element) == 0;
    place = 0;
    MPI_Unpack(packed, (int)bytes, &place, back, 1, type, MPI_COMM_SELF);
    for (ptrdiff_t n = 0; n < block->elements; n++) {
        unsigned char *at = back + (size_t)walk(block, n) * element;

        ok = ok && memcmp(at, packed + (size_t)n * element, element) == 0;
        memset(at, 0, element);
    }
    for (size_t i = 0; i < (size_t)(reach + 1) * element; i++)
        ok = ok && back[i] == 0;
    MPI_Type_free(&type);
    free(array);
    free(packed);
    free(back);
    return ok;
}

START_TEST(types_walk_pieces_in_the_order_of_travel)
{
    uint64_t state = UINT64_C(0xA0761D6478BD642F);

    for (int i = 0; i <= rank; i++)
        random_below(&state, 2);
    for (int round = 0; round < ROUNDS; round++) {
        size_t element = element_of[round % 6];
        unsigned flags = (unsigned)random_below(&state, 32);
        int axes = 1 + round % 7, me = round % SIMULATED;
        weft_layout from, to;
        ptrdiff_t size[7];
        char a[500], b[500];
        bool ok = true;

        random_sizes(&state, axes, MOST_POINTS, size);
        random_layout(&state, axes, size, 1 + round % 2, SIMULATED, &from);
        random_layout(&state, axes, size, 1 + round % 2, SIMULATED, &to);
        weft_exchange *e =
            weft_exchange_describe(&from, &to, element, flags, NULL, 0, me, SIMULATED);
        ok = e != NULL;
        for (int i = 0; ok && i < e->ranks; i++)
            ok = type_walks(e, weft_exchange_sent(e, i), e->in_elements) &&
                 type_walks(e, weft_exchange_received(e, i), e->out_elements);
        all_true(ok, "elements of %zu bytes, %s to %s, flags %#x, rank %d", element,
                 layout_text(&from, a), layout_text(&to, b), flags, me);
        weft_exchange_destroy(e);
    }
}
END_TEST

/* However few repetitions one call may make, the type is the same. */
START_TEST(parted_repetitions_are_whole_ones)
{
    unsigned char array[400], packed[200], expected[200];

    for (int i = 0; i < 400; i++)
        array[i] = (unsigned char)i;
    for (int count = 0; count <= 40; count++)
        for (int most = 2; most <= 41; most++) {
            MPI_Datatype type;
            int place = 0, size = -1;
            bool ok = weft_type_repeat(count, 7, MPI_SHORT, most, &type);

            for (int i = 0; i < count; i++)
                memcpy(expected + 2 * i, array + 7 * i, 2);
            if (ok) {
                MPI_Type_commit(&type);
                MPI_Type_size(type, &size);
                MPI_Pack(array, 1, type, packed, sizeof packed, &place, MPI_COMM_SELF);
                ok = size == 2 * count && memcmp(packed, expected, (size_t)size) == 0;
                MPI_Type_free(&type);
            }
            all_true(ok, "%d repetitions, at most %d at a time", count, most);
        }
}
END_TEST

/* How many bytes a type moves, and from where to where. */
static void measure(MPI_Datatype type, MPI_Count *size, MPI_Count *first, MPI_Count *reach)
{
    MPI_Type_size_x(type, size);
    MPI_Type_get_true_extent_x(type, first, reach);
    MPI_Type_free(&type);
}

START_TEST(bytes_beyond_an_int_are_one_type)
{
    static const ptrdiff_t table[] = {0,
                                      1,
                                      INT_MAX,
                                      (ptrdiff_t)INT_MAX + 1,
                                      INT64_C(5) << 30,
                                      (INT64_C(5) << 30) + 12345,
                                      INT64_C(1) << 40};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        MPI_Count size = -1, first = -1, reach = -1;
        MPI_Datatype type;
        bool ok = weft_services_ours.bytes_type(table[i], &type);

        if (ok)
            measure(type, &size, &first, &reach);
        all_true(ok && size == table[i] && first == 0 && reach == table[i],
                 "%td bytes: a type of %lld from %lld to %lld", table[i], (long long)size,
                 (long long)first, (long long)reach);
        ok = weft_type_repeat(table[i], 1, MPI_BYTE, 1 << 20, &type);
        if (ok)
            measure(type, &size, &first, &reach);
        all_true(ok && size == table[i], "%td bytes in parts: a type of %lld", table[i],
                 (long long)size);
    }
}
END_TEST

/* Rows of 3 x 2^31 elements, and one of every two of 2^33 elements. */
START_TEST(pieces_beyond_an_int_are_one_type)
{
    static const ptrdiff_t count[2] = {4, INT64_C(6442450944)};
    static const ptrdiff_t rows[2] = {INT64_C(8000000000), 1}, sparse[2] = {INT64_C(1) << 35, 2};
    const weft_block blocks[] = {
        {.elements = 4 * count[1],
         .offset = INT64_C(1) << 33,
         .count = count,
         .stride = rows,
         .axes = 2},
        {.elements = 4 * count[1], .offset = 5, .count = count, .stride = sparse, .axes = 2}};
    const weft_exchange exchange = {.element = 16};

    for (int i = 0; i < 2; i++) {
        const weft_block *p = &blocks[i];
        MPI_Count size = -1, first = -1, reach = -1;
        ptrdiff_t last = walk(p, p->elements - 1) - p->offset + 1;
        MPI_Datatype type;
        bool ok = weft_services_ours.piece_type(&exchange, p, &type);

        if (ok)
            measure(type, &size, &first, &reach);
        all_true(ok && size == 16 * p->elements && first == 16 * p->offset && reach == 16 * last,
                 "piece %d: a type of %lld from %lld, %lld long", i, (long long)size,
                 (long long)first, (long long)reach);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("types");
    TCase *tests = tcase_create("types");

    tcase_add_test(tests, types_walk_pieces_in_the_order_of_travel);
    tcase_add_test(tests, parted_repetitions_are_whole_ones);
    tcase_add_test(tests, bytes_beyond_an_int_are_one_type);
    tcase_add_test(tests, pieces_beyond_an_int_are_one_type);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
