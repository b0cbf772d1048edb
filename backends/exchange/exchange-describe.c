/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Describing an exchange is arithmetic: the groups of ranks that talk, then the pieces this rank
 * shares with those of its group, O(axes) each.
 */
#include <stdlib.h>
#include "kernels/base/error.h"
#include "backends/exchange/exchange-parts.h"
#include "backends/exchange/groups.h"
#include "backends/exchange/pieces.h"
#include "backends/services.h"

enum {
    ALL_FLAGS =
        WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED | WEFT_IN_PLACE | WEFT_TRAVEL_TO | WEFT_LEAVE_OWN
};

static bool same_array(const weft_layout *from, const weft_layout *to)
{
    if (from->axes != to->axes) {
        weft_error("the source has %d axes, the target has %d", from->axes, to->axes);
        return false;
    }
    for (int a = 0; a < from->axes; a++)
        if (from->axis[a].size != to->axis[a].size) {
            weft_error("axis %d has a size of %td in the source, but of %td in the target", a,
                       from->axis[a].size, to->axis[a].size);
            return false;
        }
    if (from->howmany != to->howmany) {
        weft_error("the source has %td elements at a point, the target has %td", from->howmany,
                   to->howmany);
        return false;
    }
    return true;
}

static bool arguments_valid(const weft_layout *from, const weft_layout *to, size_t element,
                            unsigned flags, int ranks)
{
    if (element == 0) {
        weft_error("an element has 0 bytes; it must have at least 1");
        return false;
    }
    if ((flags & ~(unsigned)ALL_FLAGS) != 0) {
        weft_error("the exchange has unknown flags %#x", flags & ~(unsigned)ALL_FLAGS);
        return false;
    }
    if (!weft_layout_valid(from, ranks) || !weft_layout_valid(to, ranks) || !same_array(from, to))
        return false;
    if (element > weft_layout_largest_element(from) || element > weft_layout_largest_element(to)) {
        weft_error("an array with elements of %zu bytes is larger than can be addressed", element);
        return false;
    }
    return true;
}

/* Finds this rank's group. */
static bool gather_group(weft_whole_exchange *it, const weft_layout *from, const weft_layout *to,
                         int rank, int ranks)
{
    int members = 0;

    it->leader = malloc((size_t)ranks * sizeof *it->leader);
    if (it->leader == NULL)
        return false;
    it->groups = weft_groups(from, to, ranks, it->leader);
    for (int r = 0; r < ranks; r++)
        members += it->leader[r] == it->leader[rank];
    it->group = malloc((size_t)members * sizeof *it->group);
    if (it->group == NULL)
        return false;
    for (int r = 0; r < ranks; r++)
        if (it->leader[r] == it->leader[rank]) {
            if (r == rank)
                it->face.rank = it->face.ranks;
            it->group[it->face.ranks++] = r;
        }
    return true;
}

/* The two directions, as this rank sees them. */
static void directions(const weft_layout *from, const weft_layout *to, unsigned flags,
                       const weft_cut *cut, int part, const int *order, weft_direction *sent,
                       weft_direction *received)
{
    const bool by_to = cut && cut->by_to;

    *sent = (weft_direction){.here = from,
                             .there = to,
                             .here_blocked = flags & WEFT_FROM_BLOCKED,
                             .there_blocked = flags & WEFT_TO_BLOCKED,
                             .leave_own = flags & WEFT_LEAVE_OWN,
                             .order = order,
                             .cut = cut,
                             .part = part,
                             .cut_here = !by_to};
    *received = *sent;
    received->here = to;
    received->there = from;
    received->here_blocked = sent->there_blocked;
    received->there_blocked = sent->here_blocked;
    received->cut_here = by_to;
    received->stacked = cut && cut->stacked;
}

/* What this rank shares with those of its group in one direction; all the elements that travel.
 * `reach` becomes how far the array goes. */
static ptrdiff_t list_pieces(const weft_whole_exchange *it, const weft_direction *direction,
                             int rank, weft_piece *piece, ptrdiff_t *numbers, ptrdiff_t *reach)
{
    const ptrdiff_t elements =
        weft_pieces(direction, rank, it->group, it->face.ranks, piece, numbers, reach);
    weft_box box;

    if (!direction->here_blocked) {
        weft_layout_box(direction->here, rank, &box);
        *reach = weft_layout_elements(direction->here, &box);
    }
    return elements;
}

static bool make_pieces(weft_whole_exchange *it, const weft_layout *from, const weft_layout *to,
                        unsigned flags, const weft_cut *cut, int part, int rank)
{
    weft_exchange *e = &it->face;
    const size_t ranks = (size_t)e->ranks, numbers = (size_t)weft_piece_numbers(from->axes);
    weft_direction sent, received;
    int order[WEFT_MAX_AXES];

    it->pieces = calloc(2 * ranks, sizeof *it->pieces);
    it->numbers = calloc(2 * ranks * numbers, sizeof *it->numbers);
    if (it->pieces == NULL || it->numbers == NULL)
        return false;
    weft_cut_order(cut, from->axes, flags & WEFT_TRAVEL_TO ? to->order : from->order, order);
    directions(from, to, flags, cut, part, order, &sent, &received);
    e->send = it->pieces;
    e->send_elements = list_pieces(it, &sent, rank, it->pieces, it->numbers, &e->in_elements);
    e->receive = it->pieces + ranks;
    e->receive_elements = list_pieces(it, &received, rank, it->pieces + ranks,
                                      it->numbers + ranks * numbers, &e->out_elements);
    return true;
}

weft_exchange *weft_exchange_describe_part(const weft_layout *from, const weft_layout *to,
                                           size_t element, unsigned flags, const weft_cut *cut,
                                           int part, int rank, int ranks)
{
    weft_whole_exchange *it;

    if (!arguments_valid(from, to, element, flags, ranks))
        return NULL;
    if (rank < 0 || rank >= ranks) {
        weft_error("there is no rank %d among %d", rank, ranks);
        return NULL;
    }
    if (cut != NULL && cut->parts <= 1)
        cut = NULL;
    it = calloc(1, sizeof *it);
    if (it == NULL)
        goto fail;
    it->face.comm = MPI_COMM_NULL;
    it->face.element = element;
    it->face.in_place = (flags & WEFT_IN_PLACE) != 0;
    it->face.services = &weft_services_ours;
    if (!gather_group(it, from, to, rank, ranks) ||
        !make_pieces(it, from, to, flags, cut, part, rank))
        goto fail;
    return &it->face;

fail:
    weft_error("no memory to describe an exchange between %d ranks", ranks);
    if (it != NULL)
        weft_exchange_destroy(&it->face);
    return NULL;
}

weft_exchange *weft_exchange_describe(const weft_layout *from, const weft_layout *to,
                                      size_t element, unsigned flags, int rank, int ranks)
{
    return weft_exchange_describe_part(from, to, element, flags, NULL, 0, rank, ranks);
}
