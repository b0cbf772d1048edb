/* SPDX-License-Identifier: BSD-3-Clause */
/* The expected result of an exchange, element by element, from tests/layouts.h; layouts from text;
 * and all ways to do an exchange. */
#include "tests/mpi/transfers.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/table.h"
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "tests/layouts.h"
#include "tests/mpi/harness.h"

/* With this guard the arrays begin at odd multiples of 16 bytes. */
enum { GUARD = 272, MOST_PEERS = 64 };

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ (x >> 32);
}

/* Writes the element of a global index: first the index, so that a debugger shows it, then bytes
 * that depend on it. */
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

/* This rank's share of one side: elements to or from each peer, and elements of the array with
 * padding. */
typedef struct {
    ptrdiff_t of_peer[MOST_PEERS], all, capacity;
} share;

static share share_of(const moving *transfer, const weft_layout *mine, const weft_layout *theirs)
{
    ptrdiff_t point[WEFT_MAX_AXES] = {0}, first[WEFT_MAX_AXES], last[WEFT_MAX_AXES];
    share it = {.all = 0};
    for (int a = 0; a < mine->axes; a++)
        if (mine->axis[a].size == 0)
            return it;
    do {
        if (holder_of(mine, point) != transfer->rank)
            continue;
        it.of_peer[holder_of(theirs, point)] += mine->howmany;
        for (int a = 0; a < mine->axes; a++) {
            first[a] = it.all == 0 || point[a] < first[a] ? point[a] : first[a];
            last[a] = it.all == 0 || point[a] > last[a] ? point[a] : last[a];
        }
        it.all += mine->howmany;
    } while (next_index(mine, mine->order, point));
    it.capacity = it.all > 0 ? mine->howmany : 0;
    for (int a = 0; it.capacity > 0 && a < mine->axes; a++)
        it.capacity *= a == mine->axes - 1 && mine->padded ? mine->padded : last[a] - first[a] + 1;
    return it;
}

/* Writes the array of one side before, or after, the exchange: elements at their places, or the
 * blocks of all peers one after another. Writes nothing if `array` is NULL. Returns the number of
 * bytes. */
static size_t write_side(const moving *transfer, bool source, unsigned char *array)
{
    const weft_layout *mine = source ? transfer->from : transfer->to;
    const weft_layout *theirs = source ? transfer->to : transfer->from;
    const int *order =
        transfer->flags & WEFT_TRAVEL_TO ? transfer->to->order : transfer->from->order;
    const bool blocked = transfer->flags & (source ? WEFT_FROM_BLOCKED : WEFT_TO_BLOCKED);
    const share it = share_of(transfer, mine, theirs);
    ptrdiff_t point[WEFT_MAX_AXES] = {0}, next[MOST_PEERS] = {0};
    for (int peer = 1; peer < transfer->ranks; peer++)
        next[peer] = next[peer - 1] + it.of_peer[peer - 1];
    do {
        if (!array || it.all == 0 || holder_of(mine, point) != transfer->rank)
            continue;
        const int peer = holder_of(theirs, point);
        const ptrdiff_t place = blocked ? next[peer] : place_of(mine, point);
        const bool stays = !source && peer == transfer->rank && transfer->flags & WEFT_LEAVE_OWN;
        ptrdiff_t index = 0;
        for (int a = 0; a < mine->axes; a++)
            index = index * mine->axis[a].size + point[a];
        for (ptrdiff_t i = 0; i < mine->howmany && !stays; i++)
            write_element(array + (size_t)(place + i) * transfer->element, transfer->element,
                          index * mine->howmany + i);
        next[peer] += mine->howmany;
    } while (it.all > 0 && next_index(mine, order, point));
    return (size_t)(blocked ? it.all : it.capacity) * transfer->element;
}

/* Returns a buffer of `bytes` bytes between two guards, filled with a pattern. */
static unsigned char *guarded(size_t bytes, unsigned seed)
{
    unsigned char *buffer = aligned_alloc(64, (bytes + 2 * GUARD + 63) / 64 * 64);
    if (!buffer)
        abort();
    write_pattern(buffer, bytes + 2 * GUARD, seed);
    return buffer;
}

void transfer_begin(moving *transfer, const weft_layout *from, const weft_layout *to,
                    size_t element, unsigned flags, MPI_Comm comm)
{
    size_t total = element * (size_t)from->howmany;
    for (int a = 0; a < from->axes; a++)
        total *= (size_t)from->axis[a].size;
    *transfer = (struct moving){.from = from, .to = to, .element = element, .flags = flags};
    MPI_Comm_rank(comm, &transfer->rank);
    MPI_Comm_size(comm, &transfer->ranks);
    transfer->in_bytes = write_side(transfer, true, NULL);
    transfer->out_bytes = write_side(transfer, false, NULL);
    if (flags & WEFT_IN_PLACE && transfer->in_bytes > transfer->out_bytes)
        transfer->out_bytes = transfer->in_bytes;
    else if (flags & WEFT_IN_PLACE)
        transfer->in_bytes = transfer->out_bytes;
    transfer->in_before = guarded(transfer->in_bytes, 1);
    write_side(transfer, true, transfer->in_before + GUARD);
    transfer->in_now = guarded(transfer->in_bytes, 1);
    transfer->out_before = guarded(transfer->out_bytes, 2);
    transfer->out_after = guarded(transfer->out_bytes, 2);
    if (flags & WEFT_IN_PLACE) {
        memcpy(transfer->out_before, transfer->in_before, transfer->in_bytes + 2 * GUARD);
        memcpy(transfer->out_after, transfer->in_before, transfer->in_bytes + 2 * GUARD);
    }
    write_side(transfer, false, transfer->out_after + GUARD);
    transfer->out_now = flags & WEFT_IN_PLACE ? transfer->in_now : guarded(transfer->out_bytes, 2);
    transfer->in = transfer->in_now + GUARD;
    transfer->out = transfer->out_now + GUARD;
    transfer->work_bytes = 6 * total + (1 << 16);
    transfer->work = guarded(transfer->work_bytes, 3);
}

void transfer_end(moving *transfer)
{
    if (transfer->out_now != transfer->in_now)
        free(transfer->out_now);
    free(transfer->in_now);
    free(transfer->in_before);
    free(transfer->out_before);
    free(transfer->out_after);
    free(transfer->work);
}

/* Before a run: fills the arrays, and `workspace` bytes of the workspace with a meaningless byte.
 */
static void reset(moving *transfer, size_t workspace)
{
    if (workspace > transfer->work_bytes)
        return;
    memcpy(transfer->in_now, transfer->in_before, transfer->in_bytes + 2 * GUARD);
    memcpy(transfer->out_now, transfer->out_before, transfer->out_bytes + 2 * GUARD);
    memset(transfer->work, 0xa5, workspace);
    write_pattern(transfer->work + workspace, GUARD, 4);
}

/* Returns the first byte that differs, or -1. */
static ptrdiff_t differs(const unsigned char *a, const unsigned char *b, size_t bytes)
{
    if (!memcmp(a, b, bytes))
        return -1;
    ptrdiff_t i = 0;
    while (a[i] == b[i])
        i++;
    return i;
}

/* After a run: returns NULL, or a sentence that says what is wrong. */
static const char *wrong_bytes(moving *transfer, size_t workspace)
{
    unsigned char guard[GUARD];
    weft_writer wrong = weft_write_to(transfer->wrong, sizeof transfer->wrong);
    const ptrdiff_t source = differs(transfer->in_now, transfer->in_before,
                                     transfer->in_bytes + 2 * GUARD),
                    target = differs(transfer->out_now, transfer->out_after,
                                     transfer->out_bytes + 2 * GUARD);
    write_pattern(guard, GUARD, 4);
    if (workspace > transfer->work_bytes)
        weft_write(&wrong, "it wants %zu bytes of workspace", workspace);
    else if (target >= 0)
        weft_write(&wrong, "byte %td of %zu of the target is %#x, not %#x", target - GUARD,
                   transfer->out_bytes, transfer->out_now[target], transfer->out_after[target]);
    else if (transfer->in != transfer->out && source >= 0)
        weft_write(&wrong, "byte %td of %zu of the source has changed", source - GUARD,
                   transfer->in_bytes);
    else if (differs(transfer->work + workspace, guard, GUARD) >= 0)
        weft_write(&wrong, "it wrote behind its workspace");
    return wrong.used > 0 ? transfer->wrong : NULL;
}

/* Divides the ranks over the dimensions of a grid, largest factors first to the smallest dimension.
 */
static void make_grid(int *grid, int axes, int members)
{
    for (int g = 0; g < axes; g++)
        grid[g] = 1;
    for (int factor = members; factor > 1 && axes > 0; factor--) {
        bool prime = true;
        for (int i = 2; i < factor; i++)
            prime &= factor % i != 0;
        for (; prime && members % factor == 0; members /= factor) {
            int smallest = 0;
            for (int g = 1; g < axes; g++)
                smallest = grid[g] < grid[smallest] ? g : smallest;
            grid[smallest] *= factor;
        }
    }
}

void transfer_layout(weft_layout *layout, const char *text, const ptrdiff_t *size,
                     ptrdiff_t howmany, int members)
{
    *layout = (weft_layout){.howmany = howmany};
    while (*text) {
        const int a = *text++ - 'a';
        weft_axis *axis = &layout->axis[a];
        char *end = (char *)text;
        layout->order[layout->axes++] = a;
        *axis = (weft_axis){.size = size[a], .grid_axis = -1};
        if (*text >= '0' && *text <= '9')
            axis->grid_axis = (int)strtol(text, &end, 10);
        if (axis->grid_axis >= layout->grid_axes)
            layout->grid_axes = axis->grid_axis + 1;
        if (*end == '=')
            end++, axis->rule = WEFT_BALANCED;
        else if (*end == '*')
            axis->block = strtol(end + 1, &end, 10);
        text = end + (*end == ' ');
    }
    make_grid(layout->grid, layout->grid_axes, members);
}

const char *transfer_try(moving *transfer, const weft_exchange *exchange, method used, int runs)
{
    const char *wrong = NULL;
    weft_prepared *prepared = weft_prepare(exchange, used.backend, used.value);
    if (!prepared)
        return weft_error_text();
    const size_t workspace = prepared->workspace;
    for (int run = 0; run < runs; run++) {
        reset(transfer, workspace);
        weft_prepared_run(prepared, transfer->in, transfer->out, transfer->work);
        wrong = wrong ? wrong : wrong_bytes(transfer, workspace);
    }
    weft_prepared_release(prepared);
    return wrong;
}

int transfer_ways(const weft_exchange *exchange, MPI_Comm comm, method *methods)
{
    const weft_backend *backend;
    int number[MOST_WAYS], value[MOST_WAYS], fits[MOST_WAYS], all = 0, fitting = 0;
    for (int place = 0; (backend = weft_backend_at(place)); place++) {
        int values[8] = {0}, some = backend->values ? backend->values(exchange, values, 8) : 1;
        for (int i = 0; i < some && all < MOST_WAYS; i++, all++)
            number[all] = place, value[all] = values[i];
    }
    /* The values to try depend on the group, so all ranks use rank 0's. */
    MPI_Bcast(&all, 1, MPI_INT, 0, comm);
    MPI_Bcast(number, all, MPI_INT, 0, comm);
    MPI_Bcast(value, all, MPI_INT, 0, comm);
    for (int i = 0; i < all; i++)
        fits[i] = exchange->ranks == 1 ||
                  !weft_exchange_why_refused(exchange, weft_backend_at(number[i]), value[i]);
    MPI_Allreduce(MPI_IN_PLACE, fits, all, MPI_INT, MPI_LAND, comm);
    for (int i = 0; i < all; i++)
        if (fits[i])
            methods[fitting++] = (method){weft_backend_at(number[i]), value[i]};
    return fitting;
}

void transfers_begin(void)
{
    if (!weft_plugins_load(PLUGINS "libturns.so"))
        ck_abort_msg("%s", weft_error_text());
}
