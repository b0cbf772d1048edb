/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every kind of transform of two to five dimensions on every possible grid of the ranks, compared
 * with serial FFTW. The order of ranks, sides, sizes, backends and other options vary from case to
 * case.
 */
#include <string.h>
#include "tests/mpi/grids.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/variants.h"

static const char *some_backend(unsigned *state)
{
    const char *backend = backend_by_chance(arrays_random(state, 1000));
    /* on pretended nodes the planner shares memory within nodes and sends messages between them */
    return variant.nodes ? NULL : backend;
}

/* Chooses sizes: shorter than a dimension of the grid, prime, or neither. */
static void some_size(grids_case *it, unsigned *state)
{
    static const ptrdiff_t liked[][8] = {{1, 2, 5, 8, 9, 12, 16, 30},
                                         {1, 2, 3, 4, 6, 7, 8, 10},
                                         {1, 2, 3, 4, 5, 6, 3, 4},
                                         {1, 2, 3, 4, 3, 2, 4, 2}};
    for (int a = 0; a < it->rank; a++)
        it->n[a] = liked[it->rank - 2][arrays_random(state, 8)];
}

/* Each sort of transform, or with `operates` with an operator or factors between it and the way
 * back, is tried on one of `share` grids. */
static void on_every_grid(int sort, bool operates, MPI_Comm comm, int members, int share)
{
    unsigned state = (operates ? 11 : 1) + (unsigned)sort;
    for (int axes = 2; axes <= GRIDS_RANK; axes++)
        for (int dimensions = 1; dimensions < axes; dimensions++) {
            grids_case it = {.rank = axes, .dimensions = dimensions};
            for (int turn = 0; grids_next(dimensions, it.dims, members); turn++) {
                if ((turn + sort) % share != 0)
                    continue;
                some_size(&it, &state);
                it.column_major = turn / share % 2;
                it.howmany = arrays_random(&state, 4) == 0 ? 3 : 1;
                grids_any_kinds(&it, sort, &state);
                grids_any_flags(&it, &state);
                if (operates)
                    grids_any_operator(&it, &state);
                it.backend = some_backend(&state);
                grids_check(&it, comm);
            }
        }
}

/* With more ranks than cores each sort is tried on fewer grids. */
static int share(void)
{
    return ranks > 5 ? 4 : ranks > 3 ? 2 : 1;
}

TEST(every_grid, .to = GRIDS_SORTS)
{
    on_every_grid(_i, false, MPI_COMM_WORLD, ranks, share());
}

TEST(operators_on_every_grid, .to = GRIDS_SORTS)
{
    if (ranks < 6 && !variant.name)
        on_every_grid(_i, true, MPI_COMM_WORLD, ranks, share());
}

/* Six ranks have more grids than seven. */
TEST(grids_of_a_part_of_the_ranks, .to = GRIDS_SORTS)
{
    MPI_Comm part;
    if (ranks != 5)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 3 ? MPI_UNDEFINED : 0, -rank, &part);
    on_every_grid(_i, false, part, 4, 6);
    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
}

/* On one node, with a long axis 0, plans go through slabs: ranks write into each other's memory,
 * read it, or both, depending on whether sizes divide evenly. */
TEST(by_slabs, .to = GRIDS_SORTS)
{
    static const ptrdiff_t sizes[][GRIDS_RANK] = {
        {24, 8, 6}, {29, 6, 9}, {48, 1, 10}, {25, 3, 4, 5}};
    unsigned state = 7 + (unsigned)_i;
    for (int s = 0; s < 4; s++)
        for (int dimensions = 2; dimensions <= 3; dimensions++) {
            grids_case it = {.rank = sizes[s][3] ? 4 : 3, .dimensions = dimensions};
            if (dimensions >= it.rank || ((s + _i) % 2 != 0 && ranks > 4))
                continue;
            while (grids_next(dimensions, it.dims, ranks)) {
                it.column_major = !it.column_major;
                memcpy(it.n, sizes[s], sizeof sizes[s]);
                it.howmany = arrays_random(&state, 4) == 0 ? 2 : 1;
                grids_any_kinds(&it, _i, &state);
                grids_any_flags(&it, &state);
                it.flags &= ~(unsigned)(WEFT_SAME_LAYOUT | FFTW_CONSERVE_MEMORY);
                it.backend = some_backend(&state) ? "shared" : NULL;
                it.shared = arrays_random(&state, 32);
                grids_check(&it, MPI_COMM_WORLD);
            }
        }
}

/* A pass that reads its own block from the input must not write there, even if the input may be
 * destroyed and the next exchange does not use the place. */
TEST(the_input_is_not_overwritten_while_it_is_read, .to = 2)
{
    grids_case it = {.rank = 5, .n = {4, 4, 4, 4, 3}, .howmany = 1, .dimensions = 2};
    const int kind[] = {WEFT_NONE, FFTW_DHT, WEFT_DFT_BACKWARD, WEFT_DFT_BACKWARD, WEFT_DFT_C2R};
    memcpy(it.kind, kind, sizeof kind);
    it.dims[1] = 1;
    it.flags = FFTW_ESTIMATE | FFTW_DESTROY_INPUT | WEFT_TRANSPOSED_IN | (_i ? WEFT_UNPADDED : 0);
    grids_check(&it, MPI_COMM_WORLD);
}

/* In place it must not write even its own block. */
TEST(in_place_the_own_block_is_not_overwritten_while_it_is_read)
{
    grids_case it = {3, {4, 4, 4}, 8192, {WEFT_NONE, FFTW_DHT, WEFT_NONE}, .dimensions = 2};
    it.flags = FFTW_ESTIMATE;
    it.in_place = true;
    it.backend = "shared,overlap:1";
    if (!variant.name) /* shared needs one node */
        grids_check(&it, MPI_COMM_WORLD);
}

AROUND(.start = variant_begin)
