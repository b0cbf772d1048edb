/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges. Describing one is arithmetic: the groups of ranks that talk, then the pieces this rank
 * shares with those of its group, O(axes) each. Creating one adds a communicator that holds just
 * the group, and three small reductions by which the ranks make sure that they all create the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "agreement.h"
#include "boxes.h"
#include "communicator.h"
#include "error.h"
#include "exchange.h"
#include "groups.h"
#include "home.h"
#include "pieces.h"
#include "services.h"

enum {
    ALL_FLAGS =
        WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED | WEFT_IN_PLACE | WEFT_TRAVEL_TO | WEFT_LEAVE_OWN,
    LAYOUT_NUMBERS = 5 + 6 * WEFT_MAX_AXES
};

/* An exchange with what only we need of it. */
typedef struct {
    weft_exchange face; /* what backends see */
    weft_communicator *communicator;
    weft_split *split; /* NULL: one group */
    int groups;
    int *leader; /* of every rank of the caller's communicator: the lowest of its group */
    int *group;
    weft_piece *pieces; /* sent, then received */
    ptrdiff_t *numbers;
} whole;

static const whole *whole_of(const weft_exchange *exchange)
{
    return (const whole *)exchange;
}

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

/* Whether even all of the array, padded, could be counted in bytes. */
static bool countable(const weft_layout *layout, size_t element)
{
    size_t room = PTRDIFF_MAX / element;

    if (layout->howmany > 1)
        room /= (size_t)layout->howmany;
    for (int a = 0; a < layout->axes; a++) {
        bool padded = a == layout->axes - 1 && layout->padded > 0;
        ptrdiff_t size = padded ? layout->padded : layout->axis[a].size;

        if (size > 1)
            room /= (size_t)size;
    }
    if (room < 1)
        weft_error("an array with elements of %zu bytes is larger than can be addressed", element);
    return room >= 1;
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
    return weft_layout_valid(from, ranks) && weft_layout_valid(to, ranks) && same_array(from, to) &&
           countable(from, element) && countable(to, element);
}

/* Finds this rank's group. */
static bool gather_group(whole *it, const weft_layout *from, const weft_layout *to, int rank,
                         int ranks)
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

static bool make_pieces(whole *it, const weft_layout *from, const weft_layout *to, unsigned flags,
                        const weft_cut *cut, int part, int rank)
{
    weft_exchange *e = &it->face;
    int order[WEFT_MAX_AXES];
    bool from_blocked = flags & WEFT_FROM_BLOCKED, to_blocked = flags & WEFT_TO_BLOCKED;
    bool leave_own = flags & WEFT_LEAVE_OWN;
    const bool by_to = cut && cut->by_to;
    const weft_direction sent = {.here = from,
                                 .there = to,
                                 .here_blocked = from_blocked,
                                 .there_blocked = to_blocked,
                                 .leave_own = leave_own,
                                 .order = order,
                                 .cut = cut,
                                 .part = part,
                                 .cut_here = !by_to};
    weft_direction received = sent;
    size_t ranks = (size_t)e->ranks, numbers = (size_t)weft_piece_numbers(from->axes);
    ptrdiff_t blocks;
    weft_box box;

    received.here = to;
    received.there = from;
    received.here_blocked = to_blocked;
    received.there_blocked = from_blocked;
    received.cut_here = by_to;
    received.stacked = cut && cut->stacked;
    weft_cut_order(cut, from->axes, flags & WEFT_TRAVEL_TO ? to->order : from->order, order);
    it->pieces = calloc(2 * ranks, sizeof *it->pieces);
    it->numbers = calloc(2 * ranks * numbers, sizeof *it->numbers);
    if (it->pieces == NULL || it->numbers == NULL)
        return false;
    e->send = it->pieces;
    e->send_elements =
        weft_pieces(&sent, rank, it->group, e->ranks, it->pieces, it->numbers, &blocks);
    weft_layout_box(from, rank, &box);
    e->in_elements = from_blocked ? blocks : weft_layout_elements(from, &box);
    e->receive = it->pieces + ranks;
    e->receive_elements = weft_pieces(&received, rank, it->group, e->ranks, it->pieces + ranks,
                                      it->numbers + ranks * numbers, &blocks);
    weft_layout_box(to, rank, &box);
    e->out_elements = to_blocked ? blocks : weft_layout_elements(to, &box);
    return true;
}

weft_exchange *weft_exchange_describe_part(const weft_layout *from, const weft_layout *to,
                                           size_t element, unsigned flags, const weft_cut *cut,
                                           int part, int rank, int ranks)
{
    whole *it;

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

/* A layout as numbers, without the bytes between the members of structures. */
static void tell(const weft_layout *layout, ptrdiff_t *number)
{
    *number++ = layout->axes;
    *number++ = layout->grid_axes;
    *number++ = layout->howmany;
    *number++ = layout->padded;
    *number++ = weft_boxes_digest(layout);
    for (int a = 0; a < layout->axes; a++) {
        *number++ = layout->axis[a].size;
        *number++ = layout->axis[a].grid_axis;
        *number++ = layout->axis[a].rule;
        *number++ = layout->axis[a].block;
        *number++ = layout->order[a];
    }
    for (int g = 0; g < layout->grid_axes; g++)
        *number++ = layout->grid[g];
}

/* Whether all ranks could describe the exchange, and the same one. Layouts that are not valid may
 * have wild counts of axes, and are not looked at. */
static bool agreed(const weft_layout *from, const weft_layout *to, const weft_exchange *exchange,
                   unsigned flags, const weft_cut *cut, int part, MPI_Comm comm)
{
    ptrdiff_t number[2 * LAYOUT_NUMBERS + 6] = {0};

    if (exchange != NULL) {
        tell(from, number);
        tell(to, number + LAYOUT_NUMBERS);
        number[2 * LAYOUT_NUMBERS] = (ptrdiff_t)exchange->element;
        number[2 * LAYOUT_NUMBERS + 1] = (ptrdiff_t)flags;
        if (cut) {
            number[2 * LAYOUT_NUMBERS + 2] = cut->parts;
            number[2 * LAYOUT_NUMBERS + 3] = cut->axis;
            number[2 * LAYOUT_NUMBERS + 4] = cut->by_to;
            number[2 * LAYOUT_NUMBERS + 5] = part;
        }
    }
    return weft_agree_both(comm, exchange != NULL, number, sizeof number,
                           "the exchange (layouts, element size or flags)");
}

/* The group's communicator and the tag. */
static bool connect(whole *it)
{
    if (it->groups > 1) {
        it->split = weft_communicator_split(it->communicator, it->leader);
        if (it->split == NULL)
            return false;
        it->face.comm = weft_split_comm(it->split);
    } else {
        it->face.comm = weft_communicator_all(it->communicator);
    }
    it->face.tag = weft_communicator_tag(it->communicator);
    return true;
}

weft_exchange *weft_exchange_create(const weft_layout *from, const weft_layout *to, size_t element,
                                    unsigned flags, MPI_Comm comm)
{
    return weft_exchange_create_part(from, to, element, flags, NULL, 0, comm);
}

weft_exchange *weft_exchange_create_part(const weft_layout *from, const weft_layout *to,
                                         size_t element, unsigned flags, const weft_cut *cut,
                                         int part, MPI_Comm comm)
{
    weft_communicator *communicator = weft_communicator_open(comm);
    weft_exchange *exchange;
    MPI_Comm all;
    int rank, ranks;

    if (communicator == NULL)
        return NULL;
    all = weft_communicator_all(communicator);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &ranks);
    exchange = weft_exchange_describe_part(from, to, element, flags, cut, part, rank, ranks);
    if (!agreed(from, to, exchange, flags, cut, part, all)) {
        weft_exchange_destroy(exchange);
        weft_communicator_close(communicator);
        return NULL;
    }
    ((whole *)exchange)->communicator = communicator;
    if (!connect((whole *)exchange)) {
        weft_exchange_destroy(exchange);
        return NULL;
    }
    return exchange;
}

void weft_exchange_destroy(weft_exchange *exchange)
{
    whole *it = (whole *)exchange;

    if (it == NULL)
        return;
    weft_split_release(it->split);
    weft_communicator_close(it->communicator);
    free(it->leader);
    free(it->group);
    free(it->pieces);
    free(it->numbers);
    free(it);
}

const int *weft_exchange_group(const weft_exchange *exchange)
{
    return whole_of(exchange)->group;
}

int weft_exchange_groups(const weft_exchange *exchange)
{
    return whole_of(exchange)->groups;
}

MPI_Comm weft_exchange_home(const weft_exchange *exchange)
{
    const weft_communicator *communicator = whole_of(exchange)->communicator;

    return communicator != NULL ? weft_communicator_all(communicator) : MPI_COMM_NULL;
}

bool weft_exchange_within_nodes(const weft_exchange *exchange)
{
    const whole *it = whole_of(exchange);
    const int *node;
    int ranks;

    if (it->communicator == NULL)
        return false;
    node = weft_communicator_nodes(it->communicator);
    MPI_Comm_size(weft_communicator_all(it->communicator), &ranks);
    for (int r = 0; r < ranks; r++)
        if (node[r] != node[it->leader[r]])
            return false;
    return true;
}
