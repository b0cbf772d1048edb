/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shared: ranks of one node write the data for other ranks into a shared window, and the receivers
 * read the data from there, or directly from shared user arrays. No messages are sent, and MPI need
 * not match, copy or buffer anything.
 *
 * Cost: two waits that read P cache lines each. There are no extra copies where the passes before
 * and after the exchange write to and read from the window directly.
 */
#include "backends/memory/shared-array.h"
#include "backends/weft-backend.h"

static void *open_window(MPI_Comm comm, size_t bytes)
{
    return weft_window_open(comm, bytes);
}

static void close_window(void *memory)
{
    weft_window_close(memory);
}

static void *part(const void *memory, int rank)
{
    return weft_window_part(memory, rank);
}

static void begin(void *memory)
{
    weft_window_begin(memory);
}

static void publish(void *memory)
{
    weft_barrier_publish(weft_window_barrier(memory));
}

static void done(void *memory)
{
    weft_window_done(memory);
}

static int share(void *memory, int put, const void *array, size_t bytes)
{
    return weft_shared_array_announce(memory, put != 0, array, bytes);
}

static void *shared(const void *memory, int rank, int put)
{
    return weft_shared_array_announced(memory, rank, put != 0);
}

static const weft_memory windows = {
    .open = open_window,
    .close = close_window,
    .part = part,
    .begin = begin,
    .publish = publish,
    .done = done,
    .share = share,
    .shared = shared,
};

const weft_backend weft_backend_shared = {
    .version = WEFT_BACKEND_VERSION,
    .name = "shared",
    .about = "through memory that the ranks of a node share",
    .memory = &windows,
};
