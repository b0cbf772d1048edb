/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 makes a file without a name. The other ranks open it through rank 0's entry in /proc,
 * which the system allows to processes of the same user and the same container. Where that fails on
 * any rank, rank 0 makes a file in /dev/shm, and removes its name when all ranks have opened it.
 * The other ranks compare the file's device and inode numbers, because in another container the
 * same name may belong to another file.
 */
#include "backends/exchange/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#if WEFT_RANKS_ARE_THREADS
#undef getpid /* SimGrid replaces getpid by the rank's number */
#endif

enum { NAMELESS, NAMED, WAYS };

/* The file that rank 0 made; an empty name: it made none. */
typedef struct {
    char name[64];
    uint64_t device, number;
} origin;

static int make_nameless(void)
{
#ifdef MFD_CLOEXEC
    return memfd_create("weft", MFD_CLOEXEC);
#else
    errno = ENOSYS;
    return -1;
#endif
}

/* /dev/shm may be small. So the function allocates all pages of a named file at once; the first
 * access to a page that the system does not have would end the program. */
static int allocate(int file, int way, size_t bytes)
{
    if (!weft_file_may_have(bytes) || fchmod(file, 0600) || ftruncate(file, (off_t)bytes))
        return errno;
    return way == NAMED ? posix_fallocate(file, 0, (off_t)bytes) : 0;
}

static int make_file(int way, size_t bytes, origin *made)
{
    struct stat state;
    *made = (origin){.name = "/dev/shm/weft-XXXXXX"};
    int file = way == NAMED ? mkstemp(made->name) : make_nameless();
    int why = file < 0 ? errno : allocate(file, way, bytes);
    if (!why && fstat(file, &state))
        why = errno;
    if (!why) {
        if (way == NAMELESS)
            snprintf(made->name, sizeof made->name, "/proc/%ld/fd/%d", (long)getpid(), file);
        made->device = state.st_dev;
        made->number = state.st_ino;
        return file;
    }
    weft_error("host %s cannot make %zu bytes of shared memory: %s", weft_host(), bytes,
               strerror(why));
    if (file >= 0)
        close(file);
    if (file >= 0 && way == NAMED)
        unlink(made->name);
    made->name[0] = '\0';
    return -1;
}

static int open_file(const origin *made)
{
    struct stat state;
    if (!made->name[0]) {
        weft_error("the lowest rank of the node has no memory to share");
        return -1;
    }
    int file = open(made->name, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        weft_error("%s, shared memory of another rank, cannot be opened: %s", made->name,
                   strerror(errno));
    } else if (fstat(file, &state) || state.st_dev != made->device ||
               state.st_ino != made->number) {
        weft_error("%s is not the shared memory of another rank", made->name);
        close(file);
        file = -1;
    }
    return file;
}

/* Sets *again to whether some rank could not open the file; another way may do then. */
static bool open_by(int way, MPI_Comm comm, size_t bytes, weft_segment *segment, bool *again)
{
    int rank;
    origin made;
    MPI_Comm_rank(comm, &rank);
    int file = rank == 0 ? make_file(way, bytes, &made) : -1;
    MPI_Bcast(&made, sizeof made, MPI_BYTE, 0, comm);
    if (rank > 0)
        file = open_file(&made);
    void *base =
        file < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0 && base == MAP_FAILED)
        weft_error("shared memory of %zu bytes cannot be mapped: %s", bytes, strerror(errno));
    *segment = (weft_segment){base == MAP_FAILED ? NULL : base, bytes};
    bool any[2] = {file < 0};
    /* By the end of this call all ranks have opened the file. */
    const bool ok = weft_agree_both(comm, segment->base, "", 0, "shared memory", any);
    *again = any[0];
    if (file >= 0)
        close(file);
    if (rank == 0 && way == NAMED && made.name[0])
        unlink(made.name);
    if (!ok)
        weft_segment_close(segment);
    return ok;
}

bool weft_segment_open(MPI_Comm comm, size_t bytes, weft_segment *segment)
{
    bool again = true, ok = false;
    for (int way = 0; way < WAYS && !ok && again; way++)
        ok = open_by(way, comm, bytes, segment, &again);
    if (ok)
        weft_error_clear();
    return ok;
}

void weft_segment_close(weft_segment *segment)
{
    if (segment->base)
        munmap(segment->base, segment->bytes);
    *segment = (weft_segment){NULL, 0};
}
