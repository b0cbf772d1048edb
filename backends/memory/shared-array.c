/* SPDX-License-Identifier: BSD-3-Clause */
/* Each shared array is this rank's part of a private window. */
#include "backends/memory/shared-array.h"

#include <stdint.h>
#include "backends/exchange/communicator.h"

enum { ALIGNMENT = 64 }; /* bytes; the passes rely on this alignment */

/* The words of a note about one array; a note has these words once for each value of `put`. */
enum { NUMBER, OFFSET, RANK, WORDS };

void *weft_shared_array_make(MPI_Comm comm, size_t bytes)
{
    weft_communicator *communicator = weft_communicator_open(comm);
    weft_split *node =
        communicator ? weft_communicator_split(communicator, communicator->nodes) : NULL;
    weft_window *window = node ? weft_window_open_private(node->comm, bytes > 0 ? bytes : 1) : NULL;
    weft_split_release(node);
    weft_communicator_close(communicator);
    return window ? window->array : NULL;
}

bool weft_shared_array_free(void *array)
{
    weft_window *window = array ? weft_window_of_array(array, 1, NULL, false) : NULL;
    if (!window || window->array != array)
        return false;
    weft_window_close(window);
    return true;
}

static uint64_t *note_of(const weft_barrier *barrier, int rank, bool put)
{
    return barrier->line[rank].note + (put ? WORDS : 0);
}

int weft_shared_array_announce(void *memory, int put, const void *array, size_t bytes)
{
    weft_window *window = memory;
    weft_barrier *barrier = &window->barrier;
    weft_barrier_begin(barrier);
    if (!barrier->line)
        return false;
    const bool fits = bytes > 0 && (uintptr_t)array % ALIGNMENT == 0;
    const weft_window *of = fits ? weft_window_of_array(array, bytes, window, put) : NULL;
    uint64_t *note = note_of(barrier, barrier->rank, put);
    note[NUMBER] = of ? of->number : 0;
    note[OFFSET] = of ? (uint64_t)((const char *)array - of->array) : 0;
    note[RANK] = of ? (uint64_t)of->rank : 0;
    return of != NULL;
}

void *weft_shared_array_announced(const void *window, int rank, int put)
{
    const weft_barrier *barrier = &((const weft_window *)window)->barrier;
    const uint64_t *note = barrier->line ? note_of(barrier, rank, put) : NULL;
    const weft_window *of = note && note[NUMBER] ? weft_window_with_number(note[NUMBER]) : NULL;
    return of ? (char *)weft_window_part(of, (int)note[RANK]) + note[OFFSET] : NULL;
}
