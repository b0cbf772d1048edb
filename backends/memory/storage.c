/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shared memory of a window. The system may promise memory that it does not have; then the
 * first write ends the process. So Weft first asks how much memory is available, and has the kernel
 * make the pages, which returns an error instead of a signal. The owner of a part makes its pages,
 * so that they are near the owner's core.
 */
#include "backends/memory/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "kernels/base/memory.h"

enum { AT_ONCE = 64 << 20 /* bytes of zeros per read */ };

/* Two ranks must not share a page, because a rank frees the pages of its part. */
static size_t whole_pages(size_t bytes)
{
    return weft_round_up(bytes, (size_t)sysconf(_SC_PAGESIZE));
}

/* The parts follow one another in the order of ranks. */
static bool make_parts(weft_storage *it, MPI_Comm comm, int ranks, uint64_t bytes)
{
    uint64_t *size = weft_new((size_t)ranks, sizeof *size, "a window"), all = 0;
    bool ok = weft_agree(comm, size);
    if (ok) {
        MPI_Allgather(&bytes, 1, MPI_UINT64_T, size, 1, MPI_UINT64_T, comm);
        for (int rank = 0; rank < ranks; rank++) /* a sum that is too large cannot be mapped */
            all = size[rank] < PTRDIFF_MAX - all ? all + size[rank] : PTRDIFF_MAX;
        ok = weft_segment_open(comm, all, &it->segment);
    }
    char *at = it->segment.base;
    for (int rank = 0; ok && rank < ranks; at += size[rank++])
        it->part[rank] = at;
    free(size);
    return ok;
}

/* Bytes for the lines of the barrier and the claim. */
static size_t lines(int ranks)
{
    return whole_pages((size_t)ranks * sizeof(weft_barrier_line) + sizeof(weft_claim));
}

bool weft_storage_has_memory(MPI_Comm comm, size_t bytes)
{
    uint64_t all = whole_pages(bytes);
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_UINT64_T, MPI_SUM, comm);
    const uint64_t available = weft_memory_available(), needed = all + all / 8;
    const bool ok = needed <= available;
    if (!ok)
        weft_error("host %s has %llu bytes of memory left, but sharing memory needs %llu: %llu for "
                   "the ranks, and a reserve",
                   weft_host(), (unsigned long long)available, (unsigned long long)needed,
                   (unsigned long long)all);
    return weft_agree(comm, ok);
}

bool weft_storage_make(weft_storage *it, MPI_Comm comm, size_t bytes)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    *it = (weft_storage){.bytes = whole_pages(bytes)};
    it->part = weft_new((size_t)ranks, sizeof *it->part, "a window");
    if (!weft_agree(comm, it->part) ||
        !make_parts(it, comm, ranks, it->bytes + (rank ? 0 : lines(ranks)))) {
        weft_storage_free(it);
        return false;
    }
    it->line = (weft_barrier_line *)(void *)it->part[0];
    it->claim = (weft_claim *)(void *)(it->line + ranks);
    if (rank == 0)
        memset((void *)it->claim, 0, sizeof *it->claim);
    it->part[0] += lines(ranks);
    return true;
}

void weft_storage_free(weft_storage *it)
{
    weft_segment_close(&it->segment);
    free(it->part);
    *it = (weft_storage){.part = NULL};
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
    bytes = whole_pages(bytes);
    if (bytes <= it->present)
        return true;
    char *from = it->part[rank] + it->present;
#ifdef MADV_HUGEPAGE
    (void)madvise(from, bytes - it->present, MADV_HUGEPAGE);
#endif
    if (!make_pages(from, bytes - it->present, in_use))
        return weft_error("host %s has less than %zu bytes of shared memory left for this rank",
                          weft_host(), bytes);
    if (!in_use)
        it->present = bytes;
    return true;
}

void weft_storage_release_pages(weft_storage *it, int rank)
{
#ifdef MADV_REMOVE
    if (it->present && !madvise(it->part[rank], it->bytes, MADV_REMOVE))
        it->present = 0;
#else
    (void)it, (void)rank;
#endif
}
