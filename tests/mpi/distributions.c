/* SPDX-License-Identifier: BSD-3-Clause */
/* Tilings are made by cutting boxes in two. Grids divide any axes in any order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/distributions.h"
#include "tests/mpi/grids.h"

enum { MOST_RANKS = 64 };

/* Cuts random boxes in two until there are so many. Some boxes may be empty. */
static void tile(unsigned *state, int axes, const ptrdiff_t *n, int number, box *boxes)
{
    boxes[0] = (box){.start = {0}};
    memcpy(boxes[0].count, n, sizeof *n * (size_t)axes);
    for (int made = 1; made < number; made++) {
        box *old = &boxes[arrays_random(state, (unsigned)made)];
        const int axis = (int)arrays_random(state, (unsigned)axes);
        const ptrdiff_t kept = (ptrdiff_t)arrays_random(state, (unsigned)old->count[axis] + 1);
        boxes[made] = *old;
        boxes[made].start[axis] += kept;
        boxes[made].count[axis] -= kept;
        old->count[axis] = kept;
    }
}

/* Writes the axes in random order. */
static void shuffle(unsigned *state, int axes, int *order)
{
    for (int axis = 0; axis < axes; axis++)
        order[axis] = axis;
    for (int axis = axes - 1; axis > 0; axis--) {
        const int other = (int)arrays_random(state, (unsigned)axis + 1), kept = order[axis];
        order[axis] = order[other];
        order[other] = kept;
    }
}

/* Makes a random distribution with one box per rank; `mine` gets this rank's box. */
static weft_distribution one_box(unsigned *state, MPI_Comm comm, int axes, const ptrdiff_t *n,
                                 box *mine)
{
    box boxes[MOST_RANKS];
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (arrays_random(state, 2)) {
        tile(state, axes, n, ranks, boxes);
        *mine = boxes[rank];
        return WEFT(distribution_boxes)(comm, axes, n, mine->start, mine->count);
    }
    int dims[ARRAYS_RANK], divided[ARRAYS_RANK];
    const int dimensions = 1 + (int)arrays_random(state, (unsigned)axes);
    const bool blocks = arrays_random(state, 2);
    shuffle(state, axes, divided);
    const bool column_major = arrays_random(state, 2);
    weft_grid grid = column_major ? WEFT(grid_create_column_major)(comm, dimensions, NULL)
                                  : WEFT(grid_create)(comm, dimensions, NULL);
    WEFT(grid_dims)(grid, dims);
    weft_distribution made =
        WEFT(distribution_grid)(grid, axes, n, divided, blocks ? WEFT_FFTW_BLOCKS : 0);
    WEFT(grid_free)(grid);
    *mine = (box){.start = {0}};
    memcpy(mine->count, n, sizeof *n * (size_t)axes);
    grids_box(n, dims, dimensions, column_major, divided, blocks, rank, mine->start, mine->count);
    return made;
}

enum { MOST_BOXES = 9 };

static const int natural[ARRAYS_RANK] = {0, 1, 2, 3, 4};

static ptrdiff_t product(const ptrdiff_t *count, int axes)
{
    ptrdiff_t points = 1;
    for (int axis = 0; axis < axes; axis++)
        points *= count[axis];
    return points;
}

/* Appends the points of a box with its axes in this order, at an offset in an enclosing array of
 * this size (NULL: alone). */
static void hold_box(arrays_map *it, const ptrdiff_t *n, int axes, const int *order,
                     const ptrdiff_t *start, const ptrdiff_t *count, const ptrdiff_t *size,
                     const ptrdiff_t *offset)
{
    arrays_part part = {.rank = axes, .tuple = 1};
    for (int axis = 0; axis < axes; axis++) {
        part.order[axis] = order[axis];
        part.length[axis] = n[axis];
        part.start[axis] = start[axis];
        part.count[axis] = count[axis];
        part.stored[axis] = size ? size[axis] : count[axis];
        part.before[axis] = offset ? offset[axis] : 0;
    }
    const arrays_map map = arrays_map_of(&part);
    memcpy(it->global + it->slots, map.global, sizeof *it->global * (size_t)map.slots);
    it->slots += map.slots;
    free(map.global);
}

static weft_distribution in_rows(unsigned *state, MPI_Comm comm, int axes, const ptrdiff_t *n,
                                 arrays_map *it)
{
    int order[ARRAYS_RANK], rank, ranks;
    const ptrdiff_t none[ARRAYS_RANK] = {0};
    ptrdiff_t begin, points;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    shuffle(state, axes, order);
    weft_grid grid = WEFT(grid_create)(comm, 1, NULL);
    weft_distribution made = WEFT(distribution_rows)(grid, axes, n, order);
    WEFT(grid_free)(grid);
    hold_box(it, n, axes, order, none, n, NULL, NULL);
    grids_rows(n, axes, order, ranks, rank, &begin, &points);
    memmove(it->global, it->global + begin, sizeof *it->global * (size_t)points);
    it->slots = points;
    return made;
}

/* Gives each box of a tiling to a random rank. */
static weft_distribution in_lists(unsigned *state, MPI_Comm comm, int axes, const ptrdiff_t *n,
                                  arrays_map *it)
{
    box boxes[MOST_BOXES];
    ptrdiff_t mine[2][MOST_BOXES * ARRAYS_RANK];
    int own = 0, rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    tile(state, axes, n, MOST_BOXES, boxes);
    for (int i = 0; i < MOST_BOXES; i++)
        if ((int)arrays_random(state, (unsigned)ranks) == rank) {
            memcpy(mine[0] + own * axes, boxes[i].start, sizeof *n * (size_t)axes);
            memcpy(mine[1] + own++ * axes, boxes[i].count, sizeof *n * (size_t)axes);
            hold_box(it, n, axes, natural, boxes[i].start, boxes[i].count, NULL, NULL);
        }
    return WEFT(distribution_many_boxes)(comm, axes, n, own, mine[0], mine[1]);
}

/* Whether distribution_list returns these boxes. */
static bool lists(weft_distribution distribution, int rank, const ptrdiff_t *n, int axes,
                  const arrays_map *it)
{
    int order[ARRAYS_RANK];
    ptrdiff_t start[MOST_BOXES * ARRAYS_RANK], count[MOST_BOXES * ARRAYS_RANK];
    arrays_map reported = {0, malloc(sizeof *n * (size_t)product(n, axes))};
    const int boxes = WEFT(distribution_list)(distribution, rank, order, start, count);
    for (int i = 0; i < boxes; i++)
        hold_box(&reported, n, axes, order, start + i * axes, count + i * axes, NULL, NULL);
    const bool same =
        reported.slots == it->slots &&
        WEFT(distribution_box)(distribution, rank, NULL, NULL) == it->slots &&
        memcmp(reported.global, it->global, sizeof *it->global * (size_t)it->slots) == 0;
    free(reported.global);
    return same;
}

/* Puts a halo around each box, different on every rank. */
static weft_distribution embedded(unsigned *state, weft_distribution bare, int rank,
                                  const ptrdiff_t *n, int axes, arrays_map *it)
{
    enum { MOST = MOST_BOXES * ARRAYS_RANK };
    ptrdiff_t start[MOST], count[MOST], size[MOST], offset[MOST], all = 0;
    int order[ARRAYS_RANK];
    unsigned own = arrays_random(state, 1 << 20) + 7919 * (unsigned)rank;
    const int boxes = WEFT(distribution_list)(bare, rank, order, start, count);
    for (int i = 0; i < boxes; i++) {
        for (int j = i * axes; j < (i + 1) * axes; j++) {
            offset[j] = arrays_random(&own, 3);
            size[j] = offset[j] + count[j] + (ptrdiff_t)arrays_random(&own, 3);
        }
        all += product(size + i * axes, axes);
    }
    free(it->global);
    *it = (arrays_map){0, malloc(sizeof *it->global * (size_t)(all + 1))};
    for (int j = 0; j < boxes * axes; j += axes)
        hold_box(it, n, axes, order, start + j, count + j, size + j, offset + j);
    weft_distribution made =
        WEFT(distribution_embedded)(bare, boxes ? size : NULL, boxes ? offset : NULL);
    WEFT(distribution_free)(bare);
    return made;
}

/* Returns the map of real numbers, `tuple` at each point. */
static arrays_map map_of(const arrays_map *it, ptrdiff_t tuple)
{
    arrays_map map = {it->slots * tuple, NULL};
    map.global = malloc(sizeof *map.global * (size_t)(map.slots + 1));
    for (ptrdiff_t slot = 0; slot < map.slots; slot++)
        map.global[slot] =
            it->global[slot / tuple] < 0 ? -1 : it->global[slot / tuple] * tuple + slot % tuple;
    return map;
}

weft_distribution distributions_side(unsigned *state, MPI_Comm comm, int axes, const ptrdiff_t *n,
                                     ptrdiff_t tuple, box *mine, arrays_map *map,
                                     char text[DISTRIBUTIONS_TEXT])
{
    const unsigned sort = arrays_random(state, 4);
    arrays_map it = {0, malloc(sizeof *n * (size_t)product(n, axes))};
    weft_distribution made;
    int rank;
    box own, *is = mine ? mine : &own;
    MPI_Comm_rank(comm, &rank);
    text[0] = '\0';
    if (mine || sort < 2) {
        made = one_box(state, comm, axes, n, is);
        hold_box(&it, n, axes, natural, is->start, is->count, NULL, NULL);
    } else {
        made = (sort == 2 ? in_lists : in_rows)(state, comm, axes, n, &it);
    }
    if (made && !lists(made, rank, n, axes, &it))
        snprintf(text, DISTRIBUTIONS_TEXT, "distribution_list says otherwise");
    if (made && !mine && arrays_random(state, 2))
        made = embedded(state, made, rank, n, axes, &it);
    if (!made)
        snprintf(text, DISTRIBUTIONS_TEXT, "no distribution: %.200s", WEFT(last_error)());
    else if (WEFT(distribution_box)(made, rank, NULL, NULL) != it.slots)
        snprintf(text, DISTRIBUTIONS_TEXT, "a distribution of another size than %td", it.slots);
    *map = map_of(&it, tuple);
    free(it.global);
    return made;
}
