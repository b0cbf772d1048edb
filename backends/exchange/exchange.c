/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges over a communicator: what one describes (exchange-describe.c), with a communicator that
 * holds just the group, and three small reductions by which the ranks make sure that they all
 * create the same.
 */
#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/boxes.h"
#include "backends/exchange/exchange-parts.h"

enum { LAYOUT_NUMBERS = 5 + 6 * WEFT_MAX_AXES };

static const weft_whole_exchange *whole_of(const weft_exchange *exchange)
{
    return (const weft_whole_exchange *)exchange;
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
static bool connect(weft_whole_exchange *it)
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
    weft_whole_exchange *it;
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
    it = (weft_whole_exchange *)exchange;
    it->communicator = communicator;
    if (!connect(it)) {
        weft_exchange_destroy(exchange);
        return NULL;
    }
    return exchange;
}

void weft_exchange_destroy(weft_exchange *exchange)
{
    weft_whole_exchange *it = (weft_whole_exchange *)exchange;

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
    const weft_whole_exchange *it = whole_of(exchange);
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
