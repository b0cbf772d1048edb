/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared memory comes from a file system of limited size, often small in containers, and may be
 * promised but not be there: then the first write kills the process. (Open MPI finds out earlier,
 * but on rank 0 alone, and hangs.) So the file system is asked first, and parts are touched by the
 * kernel, by reading zeros into them, which fails without killing. The rank that owns a part
 * touches it, so that it lies near to its core.
 *
 * Parts begin at pages, that of rank 0 behind the lines of the barrier.
 */
#include "backends/memory/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"

enum {
    PAGE = 4096,
    MARGIN = 1 << 20,  /* for what else the MPI library keeps there */
    AT_ONCE = 64 << 20 /* read at a time */
};

static const char directory[] = "/dev/shm"; /* where MPI libraries keep shared memory on Linux */

static size_t pages(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Whether the system has so much shared memory left; an eighth more, because others take some, too.
 */
static bool has_room(uint64_t bytes)
{
    struct statvfs state;
    if (statvfs(directory, &state) != 0)
        return true; /* it is elsewhere: touching will tell */
    uint64_t room = (uint64_t)state.f_bavail * state.f_frsize;
    if (bytes + bytes / 8 + MARGIN <= room)
        return true;
    weft_error("%s has room for %llu bytes, but the ranks of this node need %llu to share memory",
               directory, (unsigned long long)room, (unsigned long long)bytes);
    return false;
}

/* MPI_Win_allocate_shared whose failure comes back whatever the error handler says. */
static bool allocate(weft_segment *segment, MPI_Comm comm, size_t bytes)
{
    MPI_Errhandler handler;
    MPI_Info info;
    void *base;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Comm_get_errhandler(comm, &handler);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int code = MPI_Win_allocate_shared((MPI_Aint)bytes, 1, info, comm, &base, &segment->window);
    MPI_Comm_set_errhandler(comm, handler);
    if (handler != MPI_ERRHANDLER_NULL)
        MPI_Errhandler_free(&handler);
    MPI_Info_free(&info);
    if (code == MPI_SUCCESS)
        return true;
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(code, text, &length);
    text[strcspn(text, "\n")] = '\0';
    segment->window = MPI_WIN_NULL;
    weft_error("no shared memory of %zu bytes could be made: %s", bytes, text);
    return false;
}

/* Finds the parts of all ranks in this process. */
static void find_parts(weft_segment *segment, int ranks)
{
    for (int rank = 0; rank < ranks; rank++) {
        MPI_Aint size;
        int unit;
        void *base;
        MPI_Win_shared_query(segment->window, rank, &size, &unit, &base);
        segment->part[rank] = (char *)pages((uintptr_t)base);
    }
    segment->line = (weft_barrier_line *)(void *)segment->part[0];
    segment->part[0] += pages((size_t)ranks * sizeof *segment->line);
}

bool weft_segment_make(weft_segment *segment, MPI_Comm comm, size_t bytes)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    *segment = (weft_segment){.window = MPI_WIN_NULL, .bytes = pages(bytes)};
    size_t lines = rank ? 0 : pages((size_t)ranks * sizeof *segment->line);
    uint64_t mine = segment->bytes + lines + PAGE, all;
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, comm);
    segment->part = malloc((size_t)ranks * sizeof *segment->part);
    if (!segment->part)
        weft_error("no memory for the addresses of %d ranks' parts", ranks);
    if (!weft_agree(comm, segment->part && has_room(all)) ||
        !weft_agree(comm, allocate(segment, comm, (size_t)mine)))
        goto fail;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, segment->window);
    find_parts(segment, ranks);
    return true;

fail:
    free(segment->part);
    *segment = (weft_segment){.window = MPI_WIN_NULL};
    return false;
}

void weft_segment_free(weft_segment *segment)
{
    if (segment->window != MPI_WIN_NULL && segment->part) {
        MPI_Win_unlock_all(segment->window);
        MPI_Win_free(&segment->window);
    }
    free(segment->part);
    *segment = (weft_segment){.window = MPI_WIN_NULL};
}

/* Has the kernel write zeros, since that returns an error where writing here would raise a signal.
 */
static bool write_zeros(char *to, size_t bytes)
{
    int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    if (zeros < 0) {
        memset(to, 0, bytes);
        return true;
    }
    bool ok = true;
    while (ok && bytes > 0) {
        ssize_t written = read(zeros, to, bytes < AT_ONCE ? bytes : AT_ONCE);
        ok = written > 0 || (written < 0 && errno == EINTR);
        if (written > 0) {
            to += written;
            bytes -= (size_t)written;
        }
    }
    close(zeros);
    return ok;
}

/* Makes all pages, in one go where the kernel can. */
static bool make_pages(char *from, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    if (!madvise(from, bytes, MADV_POPULATE_WRITE))
        return true;
    if (errno != EINVAL)
        return false;
#endif
    return write_zeros(from, bytes);
}

bool weft_segment_touch(weft_segment *segment, int rank, size_t bytes)
{
    bytes = pages(bytes);
    if (bytes <= segment->present)
        return true;
    char *from = segment->part[rank] + segment->present;
#ifdef MADV_HUGEPAGE
    (void)madvise(from, bytes - segment->present, MADV_HUGEPAGE);
#endif
    if (!make_pages(from, bytes - segment->present)) {
        weft_error("the system has less than %zu bytes of shared memory left for this rank", bytes);
        return false;
    }
    segment->present = bytes;
    return true;
}

void weft_segment_give_back(weft_segment *segment, int rank)
{
#ifdef MADV_REMOVE
    if (segment->present && !madvise(segment->part[rank], segment->bytes, MADV_REMOVE))
        segment->present = 0;
#else
    (void)segment, (void)rank;
#endif
}
