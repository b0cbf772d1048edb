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

static void publish(void *memory)
{
    weft_barrier_publish(&((weft_window *)memory)->barrier);
}

static const weft_memory windows = {
    .open = weft_window_open,
    .close = weft_window_close,
    .part = weft_window_part,
    .begin = weft_window_begin,
    .publish = publish,
    .done = weft_window_done,
    .share = weft_shared_array_announce,
    .shared = weft_shared_array_announced,
};

const weft_backend weft_backend_shared = {
    .version = WEFT_BACKEND_VERSION,
    .name = "shared",
    .about = "through memory that the ranks of a node share",
    .memory = &windows,
};
