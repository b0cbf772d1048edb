/* SPDX-License-Identifier: BSD-3-Clause */
/* What Weft asks of MPI and of the system for windows goes through here; and runs through them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "backends/exchange/segment.h"
#include "tests/mpi/windows.h"

int windows_made, windows_freed;
bool no_room, no_memory;

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                            MPI_Win *window)
{
    windows_made++;
    return PMPI_Win_allocate_shared(size, unit, info, comm, base, window);
}

int MPI_Win_free(MPI_Win *window)
{
    windows_freed++;
    return PMPI_Win_free(window);
}

#ifdef ALONE
/* Those of Weft's own (-Wl,--wrap). */
bool __real_weft_segment_open(MPI_Comm comm, size_t bytes, weft_segment *segment);
void __real_weft_segment_close(weft_segment *segment);
bool __wrap_weft_segment_open(MPI_Comm comm, size_t bytes, weft_segment *segment);
void __wrap_weft_segment_close(weft_segment *segment);

bool __wrap_weft_segment_open(MPI_Comm comm, size_t bytes, weft_segment *segment)
{
    const bool made = __real_weft_segment_open(comm, bytes, segment);
    windows_made += made;
    return made;
}

void __wrap_weft_segment_close(weft_segment *segment)
{
    windows_freed += segment->base != NULL;
    __real_weft_segment_close(segment);
}

void *mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset)
{
    if (no_room && file >= 0) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, bytes, access, flags, file, offset);
}
#endif

int statvfs(const char *path, struct statvfs *state)
{
    (void)path;
    memset(state, 0, sizeof *state);
    state->f_frsize = 4096;
    state->f_bavail = no_room ? 1 : 1 << 30;
    return 0;
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

int windows_status(int status)
{
    if (windows_made == windows_freed)
        return status;
    fprintf(stderr, "%d windows were made, but %d were freed\n", windows_made, windows_freed);
    return EXIT_FAILURE;
}

/* What a rank writes at a place in a run. */
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
    weft_barrier *barrier = weft_window_barrier(window);
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
