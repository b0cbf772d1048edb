/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shared memory of a window. MPI takes shared memory from a file system of limited size, which
 * is often small in containers. The system may promise memory that it does not have; then the first
 * write kills the process. (Open MPI notices earlier, but only on rank 0, and hangs.) So Weft first
 * asks the file system for free space, and then has the kernel touch the pages, which returns an
 * error instead of a signal. The owner of a part touches it, so that its pages lie near the owner's
 * core. Weft also tests for free addresses first: without enough addresses MPICH tries again and
 * again, and leaves a file behind each time.
 */
#include "backends/memory/storage.h"

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
#include "kernels/base/host.h"

enum {
    PAGE = 4096,
    MARGIN = 1 << 20,  /* space for other files of the MPI library */
    AT_ONCE = 64 << 20 /* bytes of zeros per read */
};

static const char directory[] = "/dev/shm"; /* where MPI libraries keep shared memory on Linux */

static size_t pages(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Whether the system has `bytes` bytes of shared memory left, and an eighth more as a reserve for
 * other users. */
static bool has_memory(uint64_t bytes)
{
    struct statvfs state;
    if (statvfs(directory, &state) != 0)
        return true; /* shared memory is elsewhere: touching finds out */
    uint64_t room = (uint64_t)state.f_bavail * state.f_frsize;
    const uint64_t needed = bytes + bytes / 8 + MARGIN;
    if (needed <= room)
        return true;
    weft_error("%s on host %s has %llu bytes free, but shared memory needs %llu: %llu for the "
               "ranks, and a reserve",
               directory, weft_host(), (unsigned long long)room, (unsigned long long)needed,
               (unsigned long long)bytes);
    return false;
}

/* Calls MPI_Win_allocate_shared such that a failure returns here, whatever error handler is set. */
static bool allocate(weft_storage *it, MPI_Comm comm, size_t bytes)
{
    MPI_Errhandler handler;
    MPI_Info info;
    void *base;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Comm_get_errhandler(comm, &handler);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int code = MPI_Win_allocate_shared((MPI_Aint)bytes, 1, info, comm, &base, &it->window);
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
    it->window = MPI_WIN_NULL;
    weft_error("no shared memory of %zu bytes could be made on host %s: %s", bytes, weft_host(),
               text);
    return false;
}

/* Makes a window of MPI in which this rank has `bytes` bytes. */
static bool make_window(weft_storage *it, MPI_Comm comm, int ranks, size_t bytes)
{
    if (!weft_agree(comm, allocate(it, comm, bytes)))
        return false;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, it->window);
    for (int rank = 0; rank < ranks; rank++) {
        MPI_Aint size;
        int unit;
        void *base;
        MPI_Win_shared_query(it->window, rank, &size, &unit, &base);
        it->part[rank] = (char *)pages((uintptr_t)base);
    }
    return true;
}

/* Makes the same memory in a segment of Weft: the parts follow one another in the order of ranks.
 * Only touching shows whether the system has this memory. */
static bool make_segment(weft_storage *it, MPI_Comm comm, int ranks, uint64_t bytes)
{
    uint64_t *size = malloc((size_t)ranks * sizeof *size), all = 0;
    if (!size)
        weft_error("no memory for the sizes of %d ranks' parts", ranks);
    bool ok = weft_agree(comm, size);
    if (ok) {
        MPI_Allgather(&bytes, 1, MPI_UINT64_T, size, 1, MPI_UINT64_T, comm);
        for (int rank = 0; rank < ranks; rank++)
            all += size[rank];
        ok = weft_segment_open(comm, all, &it->segment);
    }
    char *at = it->segment.base;
    for (int rank = 0; ok && rank < ranks; at += size[rank++])
        it->part[rank] = at;
    free(size);
    return ok;
}

/* Whether this process has enough free addresses for the parts of all ranks. */
static bool has_addresses(uint64_t bytes)
{
    void *try = bytes > SIZE_MAX ? MAP_FAILED
                                 : mmap(NULL, (size_t)bytes, PROT_NONE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (try == MAP_FAILED) {
        weft_error("this process has no addresses for %llu more bytes, which the ranks of this "
                   "node would share",
                   (unsigned long long)bytes);
        return false;
    }
    munmap(try, (size_t)bytes);
    return true;
}

/* Bytes for the lines of the barrier and the claim. */
static size_t lines(int ranks)
{
    return pages((size_t)ranks * sizeof(weft_barrier_line) + sizeof(weft_claim));
}

/* Bytes that this rank allocates: its part, the lines on rank 0, and one page for the alignment. */
static size_t with_lines(MPI_Comm comm, size_t bytes)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    return pages(bytes) + PAGE + (rank ? 0 : lines(ranks));
}

bool weft_storage_has_room(MPI_Comm comm, size_t bytes)
{
    uint64_t all = with_lines(comm, bytes);
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_UINT64_T, MPI_SUM, comm);
    return weft_agree(comm, has_memory(all) && has_addresses(all));
}

bool weft_storage_make(weft_storage *it, MPI_Comm comm, size_t bytes, bool own)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    *it = (weft_storage){.window = MPI_WIN_NULL, .bytes = pages(bytes)};
    const size_t mine = with_lines(comm, bytes);
    it->part = malloc((size_t)ranks * sizeof *it->part);
    if (!it->part)
        weft_error("no memory for the addresses of %d ranks' parts", ranks);
    if (!weft_agree(comm, it->part) ||
        !(own ? make_segment(it, comm, ranks, mine) : make_window(it, comm, ranks, mine)))
        goto fail;
    it->line = (weft_barrier_line *)(void *)it->part[0];
    it->claim = (weft_claim *)(void *)(it->line + ranks);
    if (rank == 0)
        memset((void *)it->claim, 0, sizeof *it->claim);
    it->part[0] += lines(ranks);
    return true;

fail:
    free(it->part);
    *it = (weft_storage){.window = MPI_WIN_NULL};
    return false;
}

void weft_storage_free(weft_storage *it)
{
    if (it->window != MPI_WIN_NULL && it->part) {
        MPI_Win_unlock_all(it->window);
        MPI_Win_free(&it->window);
    }
    weft_segment_close(&it->segment);
    free(it->part);
    *it = (weft_storage){.window = MPI_WIN_NULL};
}

/* Has the kernel write zeros, because read() returns an error where a write by this process would
 * raise a signal. */
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

/* Makes all pages, with one system call where the kernel supports that. */
static bool make_pages(char *from, size_t bytes, bool in_use)
{
#ifdef MADV_POPULATE_WRITE
    if (!madvise(from, bytes, MADV_POPULATE_WRITE))
        return true;
    if (errno != EINVAL)
        return false;
#endif
    return in_use || write_zeros(from, bytes);
}

bool weft_storage_touch(weft_storage *it, int rank, size_t bytes, bool in_use)
{
    bytes = pages(bytes);
    if (bytes <= it->present)
        return true;
    char *from = it->part[rank] + it->present;
#ifdef MADV_HUGEPAGE
    (void)madvise(from, bytes - it->present, MADV_HUGEPAGE);
#endif
    if (!make_pages(from, bytes - it->present, in_use)) {
        weft_error("host %s has less than %zu bytes of shared memory left for this rank",
                   weft_host(), bytes);
        return false;
    }
    if (!in_use)
        it->present = bytes;
    return true;
}

void weft_storage_give_back(weft_storage *it, int rank)
{
#ifdef MADV_REMOVE
    if (it->present && !madvise(it->part[rank], it->bytes, MADV_REMOVE))
        it->present = 0;
#else
    (void)it, (void)rank;
#endif
}
