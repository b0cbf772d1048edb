/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 makes the file. The other ranks open it through rank 0's entry in /proc, which processes
 * of the same user may do. They compare the file's device and inode numbers, because in another
 * container the same process number may belong to another process.
 */
#include "backends/exchange/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#if WEFT_RANKS_ARE_THREADS
#undef getpid /* SimGrid replaces getpid by the rank's number */
#endif

/* Where the others find rank 0's file; file -1: rank 0 could make none. */
typedef struct {
    int64_t process, file;
    uint64_t device, number;
} origin;

static int make_file(size_t bytes, origin *where)
{
    struct stat state;
#ifdef MFD_CLOEXEC
    int file = memfd_create("weft", MFD_CLOEXEC);
#else
    int file = -1;
    errno = ENOSYS;
#endif
    if (file >= 0 && (fchmod(file, 0600) || ftruncate(file, (off_t)bytes) || fstat(file, &state))) {
        close(file);
        file = -1;
    }
    if (file < 0) {
        weft_error("no shared segment of %zu bytes could be made: %s", bytes, strerror(errno));
        *where = (origin){.file = -1};
        return -1;
    }
    *where = (origin){getpid(), file, state.st_dev, state.st_ino};
    return file;
}

static int open_file(const origin *where)
{
    char name[80];
    struct stat state;
    if (where->file < 0) {
        weft_error("the lowest rank of the node could not make a shared segment");
        return -1;
    }
    snprintf(name, sizeof name, "/proc/%" PRId64 "/fd/%" PRId64, where->process, where->file);
    int file = open(name, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        weft_error("the shared segment %s of another rank cannot be opened: %s", name,
                   strerror(errno));
    } else if (fstat(file, &state) || state.st_dev != where->device ||
               state.st_ino != where->number) {
        weft_error("the file %s is not the shared segment of the lowest rank", name);
        close(file);
        file = -1;
    }
    return file;
}

bool weft_segment_open(MPI_Comm comm, size_t bytes, weft_segment *segment)
{
    int rank;
    origin where;
    MPI_Comm_rank(comm, &rank);
    int file = rank == 0 ? make_file(bytes, &where) : -1;
    MPI_Bcast(&where, sizeof where, MPI_BYTE, 0, comm);
    if (rank > 0)
        file = open_file(&where);
    void *base =
        file < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0 && base == MAP_FAILED)
        weft_error("the shared segment of %zu bytes cannot be mapped: %s", bytes, strerror(errno));
    *segment = (weft_segment){base == MAP_FAILED ? NULL : base, bytes};
    const bool ok = weft_agree(comm, segment->base); /* by now all ranks have opened the file */
    if (file >= 0)
        close(file);
    if (!ok)
        weft_segment_close(segment);
    return ok;
}

void weft_segment_close(weft_segment *segment)
{
    if (segment->base)
        munmap(segment->base, segment->bytes);
    *segment = (weft_segment){NULL, 0};
}
