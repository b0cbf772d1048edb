/* SPDX-License-Identifier: BSD-3-Clause */
/* What an exchange must do, element by element, from the account of tests/layouts.h. */
#include "tests/mpi/moves.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/layouts.h"

/* The arrays lie at odd multiples of 16 bytes. */
enum { GUARD = 272, MOST_PEERS = 64 };

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ (x >> 32);
}

/* The element of a global index: the index first, so that a debugger shows it, then bytes that
 * depend on it. */
static void write_element(unsigned char *to, size_t element, ptrdiff_t index)
{
    for (size_t i = 0; i < element; i++) {
        uint64_t word = i < 4 ? (uint64_t)index : mixed((uint64_t)index * 64 + i / 8);
        to[i] = (unsigned char)(word >> (8 * (i % 8)));
    }
}

static void write_pattern(unsigned char *to, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(mixed(i / 8 + ((uint64_t)seed << 40)) >> (8 * (i % 8)));
}

/* What this rank has of one side: how many elements go to each peer, or come from it, and how many
 * elements the array has, with padding. */
typedef struct {
    ptrdiff_t of_peer[MOST_PEERS], all, room;
} share;

static bool is_mine(const moving *move, const weft_layout *mine, const ptrdiff_t *point)
{
    return holder_of(mine, point) == move->rank;
}

static bool is_empty(const weft_layout *layout)
{
    for (int a = 0; a < layout->axes; a++)
        if (layout->axis[a].size == 0)
            return true;
    return false;
}

static share share_of(const moving *move, const weft_layout *mine, const weft_layout *theirs)
{
    ptrdiff_t point[WEFT_MAX_AXES] = {0}, first[WEFT_MAX_AXES], last[WEFT_MAX_AXES];
    share it = {.all = 0};
    do {
        if (is_empty(mine) || !is_mine(move, mine, point))
            continue;
        it.of_peer[holder_of(theirs, point)] += mine->howmany;
        for (int a = 0; a < mine->axes; a++) {
            first[a] = it.all == 0 || point[a] < first[a] ? point[a] : first[a];
            last[a] = it.all == 0 || point[a] > last[a] ? point[a] : last[a];
        }
        it.all += mine->howmany;
    } while (!is_empty(mine) && next_index(mine, mine->order, point));
    it.room = it.all > 0 ? mine->howmany : 0;
    for (int a = 0; it.room > 0 && a < mine->axes; a++)
        it.room *= a == mine->axes - 1 && mine->padded ? mine->padded : last[a] - first[a] + 1;
    return it;
}

/* The array of one side as the exchange finds it, or must leave it: elements at their places, or
 * the blocks of all peers one after another. With `array` NULL nothing is written. Returns the
 * number of bytes. */
static size_t write_side(const moving *move, bool source, unsigned char *array)
{
    const weft_layout *mine = source ? move->from : move->to;
    const weft_layout *theirs = source ? move->to : move->from;
    const int *order = move->flags & WEFT_TRAVEL_TO ? move->to->order : move->from->order;
    const bool blocked = move->flags & (source ? WEFT_FROM_BLOCKED : WEFT_TO_BLOCKED);
    const share it = share_of(move, mine, theirs);
    ptrdiff_t point[WEFT_MAX_AXES] = {0}, next[MOST_PEERS] = {0};
    for (int peer = 1; peer < move->ranks; peer++)
        next[peer] = next[peer - 1] + it.of_peer[peer - 1];
    do {
        if (!array || it.all == 0 || !is_mine(move, mine, point))
            continue;
        const int peer = holder_of(theirs, point);
        const ptrdiff_t place = blocked ? next[peer] : place_of(mine, point);
        const bool stays = !source && peer == move->rank && move->flags & WEFT_LEAVE_OWN;
        ptrdiff_t index = 0;
        for (int a = 0; a < mine->axes; a++)
            index = index * mine->axis[a].size + point[a];
        for (ptrdiff_t i = 0; i < mine->howmany && !stays; i++)
            write_element(array + (size_t)(place + i) * move->element, move->element,
                          index * mine->howmany + i);
        next[peer] += mine->howmany;
    } while (it.all > 0 && next_index(mine, order, point));
    return (size_t)(blocked ? it.all : it.room) * move->element;
}

/* A buffer with guards around `bytes`, all of it pattern. */
static unsigned char *guarded(size_t bytes, unsigned seed)
{
    unsigned char *buffer = aligned_alloc(64, (bytes + 2 * GUARD + 63) / 64 * 64);
    if (!buffer)
        abort();
    write_pattern(buffer, bytes + 2 * GUARD, seed);
    return buffer;
}

void move_begin(moving *move, const weft_layout *from, const weft_layout *to, size_t element,
                unsigned flags, MPI_Comm comm)
{
    size_t total = element * (size_t)from->howmany;
    for (int a = 0; a < from->axes; a++)
        total *= (size_t)from->axis[a].size;
    *move = (struct moving){.from = from, .to = to, .element = element, .flags = flags};
    MPI_Comm_rank(comm, &move->rank);
    MPI_Comm_size(comm, &move->ranks);
    move->in_bytes = write_side(move, true, NULL);
    move->out_bytes = write_side(move, false, NULL);
    size_t in_room = move->in_bytes, out_room = move->out_bytes;
    if (flags & WEFT_IN_PLACE)
        in_room = out_room = in_room > out_room ? in_room : out_room;
    move->in_before = guarded(in_room, 1);
    write_side(move, true, move->in_before + GUARD);
    move->in_now = guarded(in_room, 1);
    move->out_before = guarded(out_room, 2);
    move->out_after = guarded(out_room, 2);
    if (flags & WEFT_IN_PLACE) {
        memcpy(move->out_before, move->in_before, in_room + 2 * GUARD);
        memcpy(move->out_after, move->in_before, in_room + 2 * GUARD);
    }
    write_side(move, false, move->out_after + GUARD);
    move->out_now = flags & WEFT_IN_PLACE ? move->in_now : guarded(out_room, 2);
    move->in = move->in_now + GUARD;
    move->out = move->out_now + GUARD;
    move->work_bytes = 6 * total + (1 << 16);
    move->work = guarded(move->work_bytes, 3);
}

void move_end(moving *move)
{
    if (move->out_now != move->in_now)
        free(move->out_now);
    free(move->in_now);
    free(move->in_before);
    free(move->out_before);
    free(move->out_after);
    free(move->work);
}

static size_t in_room(const moving *move)
{
    bool larger = move->flags & WEFT_IN_PLACE && move->out_bytes > move->in_bytes;
    return (larger ? move->out_bytes : move->in_bytes) + 2 * GUARD;
}

static size_t out_room(const moving *move)
{
    return move->flags & WEFT_IN_PLACE ? in_room(move) : move->out_bytes + 2 * GUARD;
}

void move_reset(moving *move, size_t workspace)
{
    if (workspace > move->work_bytes)
        return;
    memcpy(move->in_now, move->in_before, in_room(move));
    memcpy(move->out_now, move->out_before, out_room(move));
    memset(move->work, 0xa5, workspace);
    write_pattern(move->work + workspace, GUARD, 4);
}

/* The first byte that differs; -1: none. */
static ptrdiff_t differs(const unsigned char *a, const unsigned char *b, size_t bytes)
{
    if (!memcmp(a, b, bytes))
        return -1;
    size_t i = 0;
    while (a[i] == b[i])
        i++;
    return (ptrdiff_t)i;
}

const char *move_wrong(moving *move, size_t workspace)
{
    unsigned char guard[GUARD];
    ptrdiff_t at;
    if (workspace > move->work_bytes) {
        snprintf(move->wrong, sizeof move->wrong, "it wants %zu bytes of workspace", workspace);
        return move->wrong;
    }
    if ((at = differs(move->out_now, move->out_after, out_room(move))) >= 0) {
        snprintf(move->wrong, sizeof move->wrong, "byte %td of %zu of the target is %#x, not %#x",
                 at - GUARD, move->out_bytes, move->out_now[at], move->out_after[at]);
        return move->wrong;
    }
    if (move->in != move->out &&
        (at = differs(move->in_now, move->in_before, in_room(move))) >= 0) {
        snprintf(move->wrong, sizeof move->wrong, "byte %td of %zu of the source has changed",
                 at - GUARD, move->in_bytes);
        return move->wrong;
    }
    write_pattern(guard, GUARD, 4);
    if (differs(move->work + workspace, guard, GUARD) >= 0)
        return "it wrote behind its workspace";
    return NULL;
}
