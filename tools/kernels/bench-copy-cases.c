/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cases of bench-copy: transposes, permutations of three axes, and the packing and unpacking of
 * a slab, with one copy for each peer as in an exchange.
 */
#include "tools/kernels/bench-copy.h"
#include <stdio.h>
#include <string.h>

static work transpose(ptrdiff_t n)
{
    work w = {.elements = n * n, .parts = 1};
    snprintf(w.name, sizeof w.name, "transpose %td^2", n);
    w.part[0] = (part){.count = {1, n, n}, .from_stride = {0, n, 1}, .to_stride = {0, 1, n}};
    return w;
}

/* Axis order[i] of the source is axis i of the target. */
static work permutation(ptrdiff_t n, const int *order)
{
    work w = {.elements = n * n * n, .parts = 1};
    snprintf(w.name, sizeof w.name, "permute %td^3 to %d%d%d", n, order[0], order[1], order[2]);
    const ptrdiff_t step[AXES] = {n * n, n, 1};
    for (int i = 0; i < AXES; i++) {
        w.part[0].count[i] = n;
        w.part[0].from_stride[order[i]] = step[order[i]];
        w.part[0].to_stride[order[i]] = step[i];
    }
    return w;
}

/* Packs a slab [rows][n][n] of n^3 numbers into the peers' blocks [rows][n / peers][n]. */
static work pack_slab(ptrdiff_t n, ptrdiff_t peers)
{
    ptrdiff_t rows = n / peers, columns = n / peers;
    work w = {.elements = rows * n * n, .parts = (int)peers};
    snprintf(w.name, sizeof w.name, "pack %td^3 slab for %td", n, peers);
    for (ptrdiff_t p = 0; p < peers; p++)
        w.part[p] = (part){.count = {rows, columns, n},
                           .from_offset = p * columns * n,
                           .from_stride = {n * n, n, 1},
                           .to_offset = p * rows * columns * n,
                           .to_stride = {columns * n, n, 1}};
    return w;
}

/* Unpacks the peers' blocks [n / peers][columns][n] into a transposed slab [columns][n][n]. */
static work unpack_slab(ptrdiff_t n, ptrdiff_t peers)
{
    ptrdiff_t rows = n / peers, columns = n / peers;
    work w = {.elements = columns * n * n, .parts = (int)peers};
    snprintf(w.name, sizeof w.name, "unpack %td^3 slab of %td", n, peers);
    for (ptrdiff_t p = 0; p < peers; p++)
        w.part[p] = (part){.count = {rows, columns, n},
                           .from_offset = p * rows * columns * n,
                           .from_stride = {columns * n, n, 1},
                           .to_offset = p * rows * n,
                           .to_stride = {n, n * n, 1}};
    return w;
}

/* Packs the same slab, divided along its last axis: rows are short. */
static work pack_pencil(ptrdiff_t n, ptrdiff_t peers)
{
    ptrdiff_t rows = n / peers, depth = n / peers;
    work w = {.elements = rows * n * n, .parts = (int)peers};
    snprintf(w.name, sizeof w.name, "pack %td^3 pencil for %td", n, peers);
    for (ptrdiff_t p = 0; p < peers; p++)
        w.part[p] = (part){.count = {rows, n, depth},
                           .from_offset = p * depth,
                           .from_stride = {n * n, n, 1},
                           .to_offset = p * rows * n * depth,
                           .to_stride = {n * depth, depth, 1}};
    return w;
}

static work unpack_pencil(ptrdiff_t n, ptrdiff_t peers)
{
    work w = pack_pencil(n, peers);
    snprintf(w.name, sizeof w.name, "unpack %td^3 pencil of %td", n, peers);
    for (int p = 0; p < w.parts; p++) {
        part packed = w.part[p];
        w.part[p].from_offset = packed.to_offset;
        w.part[p].to_offset = packed.from_offset;
        memcpy(w.part[p].from_stride, packed.to_stride, sizeof packed.to_stride);
        memcpy(w.part[p].to_stride, packed.from_stride, sizeof packed.from_stride);
    }
    return w;
}

static const ptrdiff_t sides[] = {512, 1024, 2048, 4096};
static const int orders[][AXES] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
static work (*const transfers[])(ptrdiff_t, ptrdiff_t) = {pack_slab, unpack_slab, pack_pencil,
                                                          unpack_pencil};
static const ptrdiff_t slabs[][2] = {{256, 2}, {256, 4}, {256, 16}, {512, 16}};

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

int cases(void)
{
    return LENGTH(sides) + LENGTH(orders) + LENGTH(transfers) * LENGTH(slabs);
}

work case_number(int number)
{
    if (number < LENGTH(sides))
        return transpose(sides[number]);
    number -= LENGTH(sides);
    if (number < LENGTH(orders))
        return permutation(256, orders[number]);
    number -= LENGTH(orders);
    const ptrdiff_t *slab = slabs[number % LENGTH(slabs)];
    return transfers[number / LENGTH(slabs)](slab[0], slab[1]);
}
