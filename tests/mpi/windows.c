/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrappers of the functions of MPI and of the system that windows use; and runs through windows. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "kernels/base/error.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/segments.h"
#include "tests/mpi/windows.h"

bool no_addresses, no_memory;

void *mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset)
{
    if (no_addresses && file >= 0) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, bytes, access, flags, file, offset);
}
#ifdef MADV_POPULATE_WRITE
int madvise(void *at, size_t bytes, int advice)
{
    if (no_memory && advice == MADV_POPULATE_WRITE) {
        errno = EFAULT;
        return -1;
    }
    return (int)syscall(SYS_madvise, at, bytes, advice);
}
#endif

ssize_t read(int file, void *to, size_t bytes)
{
    if (no_memory) {
        errno = EFAULT;
        return -1;
    }
    return syscall(SYS_read, file, to, bytes);
}

bool windows_right(void)
{
    if (segments_made == segments_closed)
        return true;
    fprintf(stderr, "%d segments were made, but %d were closed\n", segments_made, segments_closed);
    return false;
}

weft_window *opened(MPI_Comm comm, size_t bytes)
{
    weft_window *window = weft_window_open(comm, bytes);
    all_true(window, "%s", weft_error_text());
    return window;
}

/* The number that a rank writes at a place in a run. */
static uint32_t written(int writer, int run, size_t place)
{
    return (uint32_t)writer * 1000003U + (uint32_t)run * 7919U + (uint32_t)place;
}

void write_part(uint32_t *part, int writer, int run, size_t numbers)
{
    for (size_t i = 0; i < numbers; i++)
        part[i] = written(writer, run, i);
}

bool holds(const uint32_t *part, int writer, int run, size_t numbers)
{
    for (size_t i = 0; i < numbers; i++)
        if (part[i] != written(writer, run, i))
            return false;
    return true;
}

bool run_once(weft_window *window, MPI_Comm comm, int run, size_t numbers)
{
    int here, all;
    bool ok = true;
    MPI_Comm_rank(comm, &here);
    MPI_Comm_size(comm, &all);
    weft_barrier *barrier = &window->barrier;
    weft_window_begin(window);
    uint32_t *mine = weft_window_part(window, here);
    for (int half = 0; half < 2; half++) {
        size_t begin = (size_t)half * (numbers / 2);
        write_part(mine + begin, here, run + half, numbers / 2);
        if (run % 3 == here % 3)
            usleep(50); /* some ranks are late */
        weft_barrier_publish(barrier);
        for (int i = 1; i <= all; i++) {
            int peer = (here + i) % all;
            const uint32_t *theirs = weft_window_part(window, peer);
            ok &= holds(theirs + begin, peer, run + half, numbers / 2);
        }
    }
    weft_window_done(window);
    return ok;
}
