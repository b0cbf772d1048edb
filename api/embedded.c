/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distributions whose boxes lie in larger arrays, with halos or padding around them. Every rank
 * knows the sizes of all, since it counts what the others hold, and may read it where it lies.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "api/grid.h"
#include "api/mpi-state.h"

/* One box, and its room. */
static bool fits(const char *function, int axes, const weft_box *box, const ptrdiff_t *size,
                 const ptrdiff_t *offset)
{
    ptrdiff_t left = PTRDIFF_MAX;
    for (int axis = 0; axis < axes; axis++) {
        const ptrdiff_t count = box->span[axis].count;
        if (offset[axis] < 0 || offset[axis] > size[axis] || size[axis] - offset[axis] < count) {
            weft_error("%s: a box has %td indices along axis %d, which do not fit an array of %td "
                       "from %td on",
                       function, count, axis, size[axis], offset[axis]);
            return false;
        }
        left /= size[axis];
    }
    if (left == 0)
        weft_error("%s: the array around a box has more elements than can be counted", function);
    return left > 0;
}

static bool all_fit(const char *function, const weft_layout *layout, int rank,
                    const ptrdiff_t *size, const ptrdiff_t *offset)
{
    weft_boxes boxes = weft_boxes_of(layout, rank);
    weft_box box;
    for (ptrdiff_t i = 0; weft_boxes_next(&boxes, &box); i += layout->axes) {
        if (!size || !offset) {
            weft_error("%s: the array of sizes or of offsets is NULL", function);
            return false;
        }
        if (!fits(function, layout->axes, &box, size + i, offset + i))
            return false;
    }
    return true;
}

/* Which rooms each rank has: one for each of its boxes. */
static void count_rooms(weft_distribution made)
{
    made->first_room[0] = 0;
    for (int rank = 0; rank < made->ranks; rank++)
        made->first_room[rank + 1] =
            made->first_room[rank] + weft_layout_list(&made->layout, rank, NULL, NULL);
}

/* Everybody's rooms, in bytes of which so many are a room's. */
static void gather_rooms(weft_distribution made, int *bytes, int room_bytes)
{
    int *places = bytes + made->ranks;
    for (int i = 0; i < made->ranks; i++) {
        bytes[i] = (made->first_room[i + 1] - made->first_room[i]) * room_bytes;
        places[i] = made->first_room[i] * room_bytes;
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, made->room, bytes, places, MPI_BYTE, made->comm);
}

static void set_own(const weft_distribution made, int rank, const ptrdiff_t *size,
                    const ptrdiff_t *offset)
{
    const int axes = made->layout.axes;
    for (int i = made->first_room[rank]; i < made->first_room[rank + 1];
         i++, size += axes, offset += axes) {
        ptrdiff_t *room = made->room + (ptrdiff_t)i * 2 * axes;
        memcpy(room, size, sizeof *size * (size_t)axes);
        memcpy(room + axes, offset, sizeof *offset * (size_t)axes);
    }
}

/* A copy, without the rooms it may have, and with memory for new ones; NULL and an error: there is
 * none. */
static weft_distribution without_rooms(const char *function,
                                       const struct weft_distribution_s *distribution)
{
    weft_layout layout = distribution->layout;
    layout.room = NULL;
    layout.first_room = NULL;
    layout.padded = 0;
    weft_distribution made =
        weft_distribution_like(function, distribution->comm, distribution->ranks, &layout);
    if (!made)
        return NULL;
    const size_t ranks = (size_t)made->ranks, axes = (size_t)layout.axes;
    made->first_room = calloc(ranks + 1, sizeof *made->first_room);
    if (made->first_room) {
        count_rooms(made);
        made->room = calloc((size_t)made->first_room[ranks] * 2 * axes + 1, sizeof *made->room);
    }
    if (made->room)
        return made;
    weft_error("%s: no memory for the arrays around boxes", function);
    weft_distribution_drop(made);
    return NULL;
}

weft_distribution weft_distribution_within(const char *function,
                                           const struct weft_distribution_s *distribution,
                                           const ptrdiff_t *size, const ptrdiff_t *offset)
{
    int rank, ranks;
    weft_error_clear();
    if (!distribution) {
        weft_error("%s: the distribution is NULL", function);
        return NULL;
    }
    if (!weft_comm_usable(function, distribution->comm, &rank, &ranks))
        return NULL;
    WEFT_ERRORS_ARE_FATAL(distribution->comm);
    const uint64_t digest = weft_layout_digest(&distribution->layout);
    int *bytes = malloc(2 * sizeof *bytes * (size_t)ranks);
    weft_distribution made = NULL;
    if (!bytes)
        weft_error("%s: no memory for the arrays around boxes", function);
    else if (all_fit(function, &distribution->layout, rank, size, offset))
        made = without_rooms(function, distribution);
    if (weft_agree_both(distribution->comm, made, &digest, sizeof digest, "the distribution",
                        NULL)) {
        set_own(made, rank, size, offset);
        gather_rooms(made, bytes, 2 * made->layout.axes * (int)sizeof *made->room);
        made->layout.room = made->room;
        made->layout.first_room = made->first_room;
        made->layout.room_ranks = ranks;
    } else {
        weft_distribution_drop(made);
        made = NULL;
    }
    free(bytes);
    return made;
}
