/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests only: a layer between a program and MPI, linked, or preloaded as libwatch.so. It counts
 * handles that are made and freed, finds calls with freed handles, and compares the collective
 * calls on every communicator between its ranks. In MPI_Finalize, after all attributes of
 * MPI_COMM_SELF are deleted, each rank prints a line for each handle that is left and each error,
 * and the program ends with a status that is not 0.
 *
 * The name of a communicator is the same on all of its ranks: it is made from the parent's name and
 * the number of collective calls on the parent so far. So ranks can be compared at the end, without
 * waiting before.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tests/mpi/watch.h"
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* All handles with this value: MPI uses values again. */
typedef struct handle {
    watch_kind kind;
    intptr_t bits;
    int alive;         /* number of handles that are not freed: requests share values */
    bool kept;         /* the program does not free it */
    const char *maker; /* the call that made it, and its caller */
    const void *place;
    uint64_t name, order; /* name of a communicator; digest of the collective calls on it */
    int64_t calls;
    struct handle *next;
} handle;

static const char *const title[] = {"communicators",  "datatypes",      "groups",  "operations",
                                    "error handlers", "attribute keys", "requests"};

enum { BUCKETS = 1024 };

/* The state of the process. */
static struct {
    pthread_mutex_t lock;
    handle *bucket[BUCKETS];
    handle *freed; /* freed communicators, for the comparison at the end */
    int alive[WATCH_KINDS];
    int wrong; /* lines printed */
    int rank;
    bool loud;
    long number, calls;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void complain(const void *place, const char *format, ...)
{
    Dl_info from = {0};
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    process.wrong++;
    const bool known = place && dladdr(place, &from);
    fprintf(stderr, "watch: rank %d: %s, at %s+%#tx\n", process.rank, text,
            known ? from.dli_fname : "",
            known ? (const char *)place - (const char *)from.dli_fbase : 0);
}

static uint64_t mix(uint64_t digest, uint64_t more)
{
    digest = (digest ^ more) + 0x9e3779b97f4a7c15U;
    digest = (digest ^ digest >> 30) * 0xbf58476d1ce4e5b9U;
    return digest ^ digest >> 27;
}

static uint64_t digest_of(const char *text)
{
    uint64_t digest = 1;
    while (*text)
        digest = mix(digest, (unsigned char)*text++);
    return digest;
}

/* Returns memory outside the heap, because tests count the heap. The caller has the lock. */
static handle *fresh(void)
{
    enum { AT_ONCE = 1 << 14 };
    static handle *some;
    static int left;
    if (left == 0) {
        some = mmap(NULL, AT_ONCE * sizeof *some, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        left = AT_ONCE;
    }
    if (some == MAP_FAILED)
        abort();
    return &some[--left];
}

/* The caller has the lock. */
static handle *entry(watch_kind kind, intptr_t bits, bool add)
{
    handle **link = &process.bucket[(mix((uint64_t)bits, kind) >> 20) % BUCKETS];
    handle *it = *link;
    while (it && (it->kind != kind || it->bits != bits))
        it = it->next;
    if (it || !add)
        return it;
    it = fresh();
    *it = (handle){.kind = kind, .bits = bits, .next = *link};
    if (kind == WATCH_COMMUNICATOR && bits == WATCH_BITS(MPI_COMM_WORLD))
        it->name = 1;
    return *link = it;
}

void watch_made(watch_kind kind, intptr_t bits, const char *call, const void *place)
{
    pthread_mutex_lock(&process.lock);
    handle *it = entry(kind, bits, true);
    it->alive++;
    it->kept = false;
    it->maker = call;
    it->place = place;
    process.alive[kind]++;
    pthread_mutex_unlock(&process.lock);
}

/* Reports a call with a freed handle. A handle that no watched call made may be MPI's. */
void watch_used(watch_kind kind, intptr_t bits, const char *call, const void *place)
{
    pthread_mutex_lock(&process.lock);
    const handle *it = entry(kind, bits, false);
    if (it && it->maker && !it->alive && kind != WATCH_HANDLER)
        complain(place, "%s is called with one of the %s that was freed", call, title[kind]);
    pthread_mutex_unlock(&process.lock);
}

void watch_gone(watch_kind kind, intptr_t bits, const char *call, const void *place)
{
    watch_used(kind, bits, call, place);
    pthread_mutex_lock(&process.lock);
    handle *it = entry(kind, bits, false);
    if (it && it->alive) {
        it->alive--;
        process.alive[kind]--;
    }
    if (it && kind == WATCH_COMMUNICATOR && it->name) {
        handle *closed = fresh();
        *closed = *it;
        closed->next = process.freed;
        process.freed = closed;
        it->name = 0;
    }
    pthread_mutex_unlock(&process.lock);
}

MPI_Request *watch_requests(int count, const MPI_Request *request)
{
    MPI_Request *copy = malloc((size_t)count * sizeof *copy + 1);
    if (!copy)
        abort();
    return memcpy(copy, request, (size_t)count * sizeof *copy);
}

void watch_finished(int count, MPI_Request *before, const MPI_Request *after, const char *call,
                    const void *place)
{
    for (int i = 0; i < count; i++)
        if (before[i] != MPI_REQUEST_NULL && after[i] == MPI_REQUEST_NULL)
            watch_gone(WATCH_REQUEST, WATCH_BITS(before[i]), call, place);
    free(before);
}

void watch_together(MPI_Comm comm, const char *call, int64_t detail, const void *place)
{
    watch_used(WATCH_COMMUNICATOR, WATCH_BITS(comm), call, place);
    pthread_mutex_lock(&process.lock);
    handle *it = entry(WATCH_COMMUNICATOR, WATCH_BITS(comm), true);
    it->order = mix(mix(it->order, digest_of(call)), (uint64_t)detail);
    it->calls++;
    if (process.loud)
        fprintf(stderr, "watch: rank %d: communicator %016llx, call %lld: %s %lld\n", process.rank,
                (unsigned long long)it->name, (long long)it->calls, call, (long long)detail);
    pthread_mutex_unlock(&process.lock);
}

/* Returns the world rank of the communicator's rank 0, which distinguishes the communicators that
 * one call makes. */
static int first_member(MPI_Comm comm)
{
    MPI_Group members, world;
    int zero = 0, first = 0;
    PMPI_Comm_group(comm, &members);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(members, 1, &zero, world, &first);
    PMPI_Group_free(&members);
    PMPI_Group_free(&world);
    return first;
}

void watch_born(MPI_Comm parent, MPI_Comm child, const char *call, const void *place)
{
    if (child == MPI_COMM_NULL)
        return;
    watch_made(WATCH_COMMUNICATOR, WATCH_BITS(child), call, place);
    const int first = first_member(child);
    pthread_mutex_lock(&process.lock);
    const handle *from = entry(WATCH_COMMUNICATOR, WATCH_BITS(parent), true);
    handle *it = entry(WATCH_COMMUNICATOR, WATCH_BITS(child), true);
    it->name = it->order = 0;
    it->calls = 0;
    if (from->name)
        it->name = mix(mix(from->name, (uint64_t)from->calls), (uint64_t)first) | 2;
    if (process.loud)
        fprintf(stderr, "watch: rank %d: communicator %016llx is made by %s on %016llx\n",
                process.rank, (unsigned long long)it->name, call, (unsigned long long)from->name);
    pthread_mutex_unlock(&process.lock);
}

int watch_alive(watch_kind kind)
{
    return process.alive[kind];
}

int watch_alive_all(void)
{
    int all = 0;
    for (int kind = 0; kind < WATCH_KINDS; kind++)
        all += process.alive[kind];
    return all;
}

void watch_keep(MPI_Comm comm)
{
    pthread_mutex_lock(&process.lock);
    entry(WATCH_COMMUNICATOR, WATCH_BITS(comm), true)->kept = true;
    pthread_mutex_unlock(&process.lock);
}

void watch_fail(long number)
{
    process.number = number;
    process.calls = 0;
}

long watch_calls(void)
{
    return process.calls;
}

bool watch_fails(void)
{
    return ++process.calls == process.number;
}

int watch_error(MPI_Comm comm)
{
    PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
}

/* A rank's summary of a communicator. */
typedef struct {
    uint64_t name, order;
    int64_t calls;
    const void *place;
} summary;

static int by_name(const void *a, const void *b)
{
    const summary *one = a, *other = b;
    return one->name < other->name ? -1 : one->name > other->name;
}

static int summarize(summary *all)
{
    int count = 0;
    for (int list = 0; list <= BUCKETS; list++)
        for (const handle *it = list < BUCKETS ? process.bucket[list] : process.freed; it;
             it = it->next)
            if (it->kind == WATCH_COMMUNICATOR && it->name) {
                if (all)
                    all[count] = (summary){it->name, it->order, it->calls, it->place};
                count++;
            }
    return count;
}

/* Rank 0 compares the summaries of all ranks. */
static void compare(summary *all, int count)
{
    qsort(all, (size_t)count, sizeof *all, by_name);
    for (int i = 1; i < count; i++)
        if (all[i].name == all[i - 1].name && all[i].order != all[i - 1].order) {
            complain(all[i].place,
                     "ranks differ in the collective calls on communicator %016llx, %lld and %lld "
                     "of them",
                     (unsigned long long)all[i].name, (long long)all[i - 1].calls,
                     (long long)all[i].calls);
            while (i + 1 < count && all[i + 1].name == all[i].name)
                i++;
        }
}

static void compare_ranks(void)
{
    int ranks, mine = summarize(NULL), total = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int *bytes = calloc((size_t)ranks, sizeof *bytes), *at = calloc((size_t)ranks, sizeof *at);
    summary *own = calloc((size_t)mine + 1, sizeof *own);
    if (!bytes || !at || !own)
        abort();
    summarize(own);
    mine *= (int)sizeof *own;
    PMPI_Gather(&mine, 1, MPI_INT, bytes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; total += bytes[r++])
        at[r] = total;
    summary *all = malloc((size_t)total + 1);
    if (!all)
        abort();
    PMPI_Gatherv(own, mine, MPI_BYTE, all, bytes, at, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (process.rank == 0)
        compare(all, total / (int)sizeof *all);
    free(all);
    free(own);
    free(at);
    free(bytes);
}

static void list_left(void)
{
    for (int i = 0; i < BUCKETS; i++)
        for (const handle *it = process.bucket[i]; it; it = it->next)
            if (it->alive && !it->kept)
                complain(it->place, "%d of the %s %s left, made by %s", it->alive, title[it->kind],
                         it->alive > 1 ? "are" : "is", it->maker);
}

/* This attribute of MPI_COMM_SELF was the first, so MPI deletes it last. */
static int end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    list_left();
    compare_ranks();
    return MPI_SUCCESS;
}

static int begin(int code)
{
    int key;
    const char *loud = getenv("WATCH");
    process.loud = loud && strcmp(loud, "calls") == 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &process.rank);
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &key, NULL);
    PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    PMPI_Comm_free_keyval(&key);
    return code;
}

WATCH_PUBLIC int MPI_Init(int *argc, char ***argv)
{
    return begin(PMPI_Init(argc, argv));
}

WATCH_PUBLIC int MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided)
{
    return begin(PMPI_Init_thread(argc, argv, wanted, provided));
}

/* Replaces the program's exit status, after all of its output. */
__attribute__((destructor)) static void leave(void)
{
    if (!process.wrong)
        return;
    fflush(NULL);
    _exit(EXIT_FAILURE);
}
