/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A user's backend of memory, made with only weft-backend.h, MPI and POSIX. Ranks exchange through
 * a file that all of them map, and wait for each other by counters in its first pages.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "weft-backend.h"

enum { PAGE = 4096, PLACES = 64, NAME = 64 };

/* Number of runs that a rank has written, and has read. */
typedef struct {
    atomic_uint published, done;
    char rest[PAGE - 2 * sizeof(atomic_uint)];
} count;

/* Memory shared by the ranks of one group, or, if threads may run plans at once, of one
 * communicator: [count of rank 0][...][part of rank 0][...] */
typedef struct {
    MPI_Group group;
    MPI_Comm comm;
    int rank, ranks, opened;
    long bytes; /* bytes of a part; 0: nothing is mapped */
    char *base;
} place;

static place places[PLACES];

static size_t all_bytes(const place *it)
{
    return (size_t)it->ranks * (PAGE + (size_t)it->bytes);
}

static count *counts(const place *it)
{
    return (count *)(void *)it->base;
}

static place *find(MPI_Group group, MPI_Comm comm)
{
    place *empty = NULL;
    int level;
    MPI_Query_thread(&level);
    for (int i = 0; i < PLACES; i++) {
        int same = MPI_UNEQUAL;
        if (places[i].opened && level == MPI_THREAD_MULTIPLE)
            same = places[i].comm == comm ? MPI_IDENT : MPI_UNEQUAL;
        else if (places[i].opened)
            MPI_Group_compare(group, places[i].group, &same);
        else if (!empty)
            empty = &places[i];
        if (same == MPI_IDENT)
            return &places[i];
    }
    return empty;
}

static void unmap(place *it)
{
    if (it->base)
        munmap(it->base, all_bytes(it));
    it->base = NULL;
    it->bytes = 0;
}

/* The file has a name until all ranks have mapped it. */
static int map(place *it, MPI_Comm comm, long bytes)
{
    char name[NAME] = "/dev/shm/weft-meeting-XXXXXX";
    int file = it->rank == 0 ? mkstemp(name) : -1;
    it->bytes = bytes;
    int ok = it->rank != 0 || (file >= 0 && !ftruncate(file, (off_t)all_bytes(it)));
    MPI_Bcast(name, NAME, MPI_CHAR, 0, comm);
    MPI_Bcast(&ok, 1, MPI_INT, 0, comm);
    if (ok && it->rank != 0)
        file = open(name, O_RDWR);
    void *base = !ok || file < 0
                     ? MAP_FAILED
                     : mmap(NULL, all_bytes(it), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    it->base = base == MAP_FAILED ? NULL : base;
    ok = it->base != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_LAND, comm);
    if (it->rank == 0)
        unlink(name);
    if (file >= 0)
        close(file);
    return ok;
}

static void *open_place(MPI_Comm comm, size_t bytes)
{
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    place *it = find(group, comm);
    long pages = (long)((bytes + PAGE) / PAGE), wanted[2] = {pages * PAGE, it ? -it->bytes : 0};
    MPI_Allreduce(MPI_IN_PLACE, wanted, 2, MPI_LONG, MPI_MAX, comm);
    if (!it || it->opened) {
        MPI_Group_free(&group);
    } else {
        *it = (place){.group = group, .comm = comm};
        MPI_Comm_rank(comm, &it->rank);
        MPI_Comm_size(comm, &it->ranks);
    }
    if (it && wanted[0] > -wanted[1]) {
        unmap(it);
        if (!map(it, comm, wanted[0])) {
            unmap(it);
            return NULL;
        }
    }
    it->opened++;
    return it;
}

static void close_place(void *memory)
{
    place *it = memory;
    int finalized;
    if (--it->opened)
        return;
    unmap(it);
    MPI_Finalized(&finalized);
    if (!finalized)
        MPI_Group_free(&it->group);
}

static void *part(const void *memory, int rank)
{
    const place *it = memory;
    return it->base + (size_t)it->ranks * PAGE + (size_t)rank * (size_t)it->bytes;
}

static void wait_for(const atomic_uint *reached, unsigned wanted)
{
    while (atomic_load(reached) < wanted)
        sched_yield();
}

static void begin(void *memory)
{
    const place *it = memory;
    const unsigned published = atomic_load(&counts(it)[it->rank].published);
    for (int rank = 0; rank < it->ranks; rank++)
        wait_for(&counts(it)[rank].done, published);
}

static void publish(void *memory)
{
    const place *it = memory;
    atomic_thread_fence(memory_order_seq_cst);
    const unsigned published = atomic_fetch_add(&counts(it)[it->rank].published, 1) + 1;
    for (int rank = 0; rank < it->ranks; rank++)
        wait_for(&counts(it)[rank].published, published);
}

static void done(void *memory)
{
    const place *it = memory;
    count *own = &counts(it)[it->rank];
    atomic_store(&own->done, atomic_load(&own->published));
}

static const weft_memory meetings = {
    .open = open_place,
    .close = close_place,
    .part = part,
    .begin = begin,
    .publish = publish,
    .done = done,
};

extern const weft_backend weft_plugin;
const weft_backend weft_plugin = {
    .version = WEFT_BACKEND_VERSION,
    .name = "meeting",
    .about = "through a file that all ranks map",
    .memory = &meetings,
};
