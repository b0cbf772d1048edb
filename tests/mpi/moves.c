/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an exchange must do, without a line of what does it: boxes by division, every element for
 * itself.
 */
#include "tests/mpi/moves.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arrays lie at odd multiples of 16 bytes. */
enum { GUARD = 272 };

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

/* The box of a rank by division. */
static void box_of(const weft_layout *layout, int rank, ptrdiff_t *start, ptrdiff_t *count)
{
    int place[MOST_AXES] = {0}, left = rank;
    for (int g = layout->grid_axes - 1; g >= 0; g--) {
        place[g] = left % layout->grid[g];
        left /= layout->grid[g];
    }
    for (int a = 0; a < layout->axes; a++) {
        const weft_axis *axis = &layout->axis[a];
        ptrdiff_t n = axis->size, parts = axis->grid_axis < 0 ? 1 : layout->grid[axis->grid_axis];
        ptrdiff_t at = axis->grid_axis < 0 ? 0 : place[axis->grid_axis], end;
        if (axis->rule == WEFT_BALANCED) {
            start[a] = 0;
            for (ptrdiff_t i = 0; i < at; i++)
                start[a] += n / parts + (i < n % parts);
            end = start[a] + n / parts + (at < n % parts);
        } else {
            ptrdiff_t block = axis->block ? axis->block : (n + parts - 1) / parts;
            start[a] = at * block < n ? at * block : n;
            end = (at + 1) * block < n ? (at + 1) * block : n;
        }
        count[a] = left > 0 ? 0 : end - start[a];
    }
}

static void strides_of(const weft_layout *layout, const ptrdiff_t *count, ptrdiff_t *stride)
{
    ptrdiff_t step = layout->howmany;
    for (int i = layout->axes - 1; i >= 0; i--) {
        int a = layout->order[i];
        stride[a] = step;
        step *= a == layout->axes - 1 && layout->padded ? layout->padded : count[a];
    }
}

static ptrdiff_t reach_of(const weft_layout *layout, const ptrdiff_t *count)
{
    ptrdiff_t reach = layout->howmany;
    bool empty = false;
    for (int a = 0; a < layout->axes; a++) {
        empty |= count[a] == 0;
        reach *= a == layout->axes - 1 && layout->padded ? layout->padded : count[a];
    }
    return empty ? 0 : reach;
}

/* Calls for every point of a box, in the given order of axes. */
typedef void visitor(const ptrdiff_t *point, void *data);

static void visit(int axes, const int *order, const ptrdiff_t *start, const ptrdiff_t *count,
                  visitor *call, void *data)
{
    ptrdiff_t point[MOST_AXES], total = 1;
    for (int a = 0; a < axes; a++)
        total *= count[a];
    for (ptrdiff_t i = 0; i < total; i++) {
        ptrdiff_t left = i;
        for (int place = axes - 1; place >= 0; place--) {
            int a = order[place];
            point[a] = start[a] + left % count[a];
            left /= count[a];
        }
        call(point, data);
    }
}

/* Writes the elements of one side's array: at their places, or one after another when blocked. */
typedef struct {
    const weft_layout *layout;
    const ptrdiff_t *start, *stride;
    size_t element;
    bool blocked, skip;
    ptrdiff_t next; /* the place of the next element, blocked */
    unsigned char *array;
} writer;

static void write_point(const ptrdiff_t *point, void *data)
{
    writer *w = data;
    ptrdiff_t index = 0, place = w->blocked ? w->next : 0;
    for (int a = 0; a < w->layout->axes; a++) {
        index = index * w->layout->axis[a].size + point[a];
        if (!w->blocked)
            place += (point[a] - w->start[a]) * w->stride[a];
    }
    for (ptrdiff_t i = 0; i < w->layout->howmany; i++)
        if (!w->skip)
            write_element(w->array + (size_t)(place + i) * w->element, w->element,
                          index * w->layout->howmany + i);
    w->next += w->layout->howmany;
}

/* The array of one side as the exchange finds it, or must leave it; `array` NULL only says how
 * large it is. */
static size_t write_side(const moving *move, bool source, unsigned char *array)
{
    const weft_layout *mine = source ? move->from : move->to;
    const weft_layout *theirs = source ? move->to : move->from;
    const int *order = move->flags & WEFT_TRAVEL_TO ? move->to->order : move->from->order;
    bool blocked = move->flags & (source ? WEFT_FROM_BLOCKED : WEFT_TO_BLOCKED);
    ptrdiff_t start[MOST_AXES], count[MOST_AXES], stride[MOST_AXES];
    box_of(mine, move->rank, start, count);
    strides_of(mine, count, stride);
    writer w = {.layout = mine,
                .start = start,
                .stride = stride,
                .element = move->element,
                .blocked = blocked,
                .array = array};
    for (int peer = 0; peer < move->ranks; peer++) {
        ptrdiff_t first[MOST_AXES], common[MOST_AXES];
        box_of(theirs, peer, first, common);
        for (int a = 0; a < mine->axes; a++) {
            ptrdiff_t end = first[a] + common[a];
            first[a] = first[a] > start[a] ? first[a] : start[a];
            end = end < start[a] + count[a] ? end : start[a] + count[a];
            common[a] = end > first[a] ? end - first[a] : 0;
        }
        w.skip = !array || (!source && peer == move->rank && move->flags & WEFT_LEAVE_OWN);
        visit(mine->axes, order, first, common, write_point, &w);
    }
    return (size_t)(blocked ? w.next : reach_of(mine, count)) * move->element;
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
