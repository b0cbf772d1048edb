/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pool of windows. Making a window is collective, but programs destroy plans in any
 * order, on some ranks perhaps never. So a closed window stays in the pool. Each rank returns the
 * memory of its part to the system, as soon as no other rank reads that part any more. Only
 * weft_window_open, where all ranks are together, replaces the memory of a window. When Weft's use
 * of MPI ends (abort.h), all windows lose their MPI objects, and closed windows are freed.
 *
 * Where threads may run plans at once, a window with owner NO_COMM is only memory, which the
 * windows of single communicators share: each keeps a reference to it, and runs claim it.
 *
 * MPI_Comm_free waits for all ranks of a communicator. Within MPI_Finalize all ranks free their
 * windows in the order of the windows' numbers, on which the ranks have agreed, so no rank waits
 * for ever. (The order of creation may differ between ranks where threads make plans at once.)
 */
#include "backends/memory/window.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include "backends/exchange/abort.h"
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "backends/exchange/finalize.h"
#include "backends/memory/storage.h"
#include "kernels/base/error.h"
#include "kernels/base/memory.h"

enum {
    SMALL = 1 << 20 /* closed windows together always keep memory of this size */
};

/* Which communicators may use a window:
 * - ALL_COMMS: all communicators of the window's group.
 * - NO_COMM: none; the windows with owner ONE_COMM of the same group share its memory.
 * - ONE_COMM: one communicator at a time, where threads may run plans at once; an exclusive window
 *   belongs to no communicator.
 * - CALLER: only the caller, until all ranks have closed the window. */
typedef enum { ALL_COMMS, NO_COMM, ONE_COMM, CALLER } owner;

/* Which memory a run uses: the window's own, or the common memory. */
enum { OWN, COMMON };

/* State of the process. The lock also protects the reference counts of all windows. */
static struct {
    pthread_mutex_t lock;
    weft_window *first;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Under the lock: the link to the first window with at least this number, or the end. */
static weft_window **link_to(uint64_t number)
{
    weft_window **link = &process.first;
    while (*link && (*link)->number < number)
        link = &(*link)->after;
    return link;
}

/* Collective over the window's ranks: frees all MPI objects of the window. */
static void free_mpi_objects(weft_window *window)
{
    if (window->barrier.comm != MPI_COMM_NULL)
        MPI_Comm_free(&window->barrier.comm);
    if (window->group != MPI_GROUP_NULL)
        MPI_Group_free(&window->group);
}

/* Under the lock: frees a window without MPI objects. */
static void discard(weft_window *window)
{
    *link_to(window->number) = window->after;
    weft_storage_free(&window->storage);
    free(window);
}

static void end(bool over)
{
    pthread_mutex_lock(&process.lock);
    for (weft_window *window = process.first, *after; window; window = after) {
        after = window->after;
        if (!over)
            free_mpi_objects(window);
        window->group = MPI_GROUP_NULL;
        if (!window->references)
            discard(window);
    }
    pthread_mutex_unlock(&process.lock);
}

static bool has_group(const weft_window *window, MPI_Group group)
{
    int result;
    if (window->group == MPI_GROUP_NULL)
        return false;
    MPI_Group_compare(window->group, group, &result);
    return result == MPI_IDENT;
}

static _Thread_local bool touching;

void weft_window_touch_at_once(bool at_once)
{
    touching = at_once;
}

static bool is_enough(const weft_window *window, size_t bytes)
{
    return window->storage.part && window->storage.bytes >= bytes;
}

typedef struct {
    MPI_Group group;
    owner owner;
    size_t bytes;
    MPI_Comm user; /* of a window that is in use */
} request;

/* Whether a caller can take a window: the window of its group or communicator, or without `user` a
 * closed window, or common memory that is large enough. */
static bool fits(const weft_window *window, const request *wanted)
{
    const bool known = wanted->user != MPI_COMM_NULL;
    if (window->owner != wanted->owner)
        return false;
    if (known && window->owner == ONE_COMM)
        return window->comm == wanted->user;
    const bool is_free =
        window->owner == NO_COMM ? is_enough(window, wanted->bytes) : !window->references;
    return (known || is_free) && has_group(window, wanted->group);
}

/* Takes a reference to the first window that fits, with a number from `first` to `last`. */
static weft_window *take(uint64_t first, uint64_t last, const request *wanted)
{
    pthread_mutex_lock(&process.lock);
    weft_window *window = *link_to(first);
    while (window && window->number <= last && !fits(window, wanted))
        window = window->after;
    if (window && window->number > last)
        window = NULL;
    if (window)
        window->references++;
    pthread_mutex_unlock(&process.lock);
    return window;
}

/* Collective: takes the first window that fits on all ranks. NULL: there is none. */
static weft_window *take_on_all(MPI_Comm comm, const request *wanted)
{
    uint64_t number = 0;
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (;;) {
        weft_window *window = rank == 0 ? take(number + 1, UINT64_MAX, wanted) : NULL;
        number = window ? window->number : 0;
        MPI_Bcast(&number, 1, MPI_UINT64_T, 0, comm);
        if (number == 0)
            return NULL;
        if (rank > 0)
            window = take(number, number, wanted);
        if (weft_agree_max(comm, !window) == 0)
            return window;
        weft_window_close(window);
    }
}

/* Makes sure that `bytes` bytes of this rank's part have pages. If memory is short, frees the
 * memory of closed windows and tries again. */
static bool touch(weft_window *window, weft_storage *it, size_t bytes, bool in_use)
{
    if (weft_storage_touch(it, window->rank, bytes, in_use))
        return true;
    weft_window_cleanup();
    return weft_storage_touch(it, window->rank, bytes, in_use);
}

/* Collective: whether the ranks have enough memory, also for what other open windows have asked for
 * and not yet touched. If not, frees the memory of closed windows and asks again. */
static bool find_memory(const weft_window *window, MPI_Comm comm, size_t bytes)
{
    if (WEFT_RANKS_ARE_THREADS)
        return true; /* the ranks of a simulation are of many hosts */
    pthread_mutex_lock(&process.lock);
    for (const weft_window *other = process.first; other; other = other->after) {
        const size_t present = other->storage.present;
        if (other != window && other->references && other->wanted > present)
            bytes += other->wanted - present;
    }
    pthread_mutex_unlock(&process.lock);
    if (weft_storage_has_memory(comm, bytes))
        return true;
    weft_window_cleanup(); /* after the agreement all ranks have cleaned up */
    return weft_agree(comm, true) && weft_storage_has_memory(comm, bytes);
}

/* Collective: replaces the window's memory by memory with parts of the sizes that the ranks pass.
 * On failure the old memory stays. */
static bool replace(weft_window *window, MPI_Comm comm, size_t bytes, bool now)
{
    weft_storage larger;
    weft_barrier barrier;
    MPI_Comm own = window->barrier.comm;
    const size_t wanted = bytes;
    if (bytes < window->storage.bytes)
        bytes = window->storage.bytes;
    if (!find_memory(window, comm, bytes) || !weft_storage_make(&larger, comm, bytes))
        return false;
    weft_barrier_open(&barrier, larger.line, window->rank, window->ranks);
    const bool pages = !now || touch(window, &larger, wanted, false);
    /* After this agreement each rank knows that all lines are cleared. */
    if (!weft_agree(comm, pages) ||
        (!barrier.line && own == MPI_COMM_NULL && !weft_comm_of_group(comm, NULL, &own))) {
        weft_storage_free(&larger);
        return false;
    }
    weft_storage old = window->storage;
    pthread_mutex_lock(&process.lock);
    window->storage = larger;
    pthread_mutex_unlock(&process.lock);
    weft_storage_free(&old); /* no rank reads it any more, because all ranks are here */
    window->barrier = barrier;
    window->barrier.comm = own;
    return true;
}

static weft_window *make(MPI_Comm comm, owner whose)
{
    static weft_finalizer finalizer = {.end = end};
    weft_window *window = weft_new(1, sizeof *window, "a window");
    if (!weft_agree(comm, weft_at_finalize(&finalizer) && window)) {
        free(window);
        return NULL;
    }
    /* While a reference exists, weft_window_cleanup leaves the window's memory alone. */
    *window = (weft_window){.references = 1, .owner = whose, .comm = MPI_COMM_NULL};
    window->number = weft_agree_number(comm);
    MPI_Comm_group(comm, &window->group);
    MPI_Comm_rank(comm, &window->rank);
    MPI_Comm_size(comm, &window->ranks);
    window->barrier.comm = MPI_COMM_NULL;
    pthread_mutex_lock(&process.lock);
    weft_window **link = link_to(window->number);
    window->after = *link;
    *link = window;
    pthread_mutex_unlock(&process.lock);
    return window;
}

/* Local: returns the window's memory to the system if no rank reads it any more. */
static void release_pages(weft_window *window)
{
    if (window->storage.present && !window->storage.claim->holder &&
        weft_barrier_drain(&window->barrier))
        weft_storage_release_pages(&window->storage, window->rank);
}

/* Collective: makes sure that this rank's part has `bytes` bytes. The next run touches the pages,
 * or this function does if `now` is true. */
static bool reserve(weft_window *window, MPI_Comm comm, size_t bytes, bool now)
{
    enum { PRESENT, ABSENT, TOO_SMALL };
    /* other threads may reserve common memory, too */
    pthread_mutex_lock(&process.lock);
    const size_t wanted = bytes > window->wanted ? bytes : window->wanted,
                 present = window->storage.present;
    pthread_mutex_unlock(&process.lock);
    int mine = PRESENT, all;
    if (!window->storage.part || bytes > window->storage.bytes)
        mine = TOO_SMALL;
    else if (wanted > present)
        mine = ABSENT;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, comm);
    if (all == TOO_SMALL && !replace(window, comm, wanted, now))
        return false;
    if (all == ABSENT && !find_memory(window, comm, wanted > present ? wanted - present : 0))
        return false;
    const bool in_use = window->owner == NO_COMM;
    if (all == ABSENT && now && !weft_agree(comm, touch(window, &window->storage, wanted, in_use)))
        return false;
    pthread_mutex_lock(&process.lock);
    if (window->wanted < wanted)
        window->wanted = wanted;
    window->fresh[OWN] |= all != PRESENT;
    window->fresh[COMMON] = true;
    pthread_mutex_unlock(&process.lock);
    return true;
}

/* Collective: opens a window that this group or communicator uses already (only if `known` is
 * true), a free window of the pool, or a new one. */
static weft_window *open_by(MPI_Comm comm, owner whose, size_t bytes, bool now, bool known)
{
    request wanted = {.owner = whose, .bytes = bytes, .user = comm};
    MPI_Comm_group(comm, &wanted.group);
    weft_window *window = known ? take(0, UINT64_MAX, &wanted) : NULL;
    wanted.user = MPI_COMM_NULL;
    if (!window)
        window = take_on_all(comm, &wanted);
    const bool fresh = !window;
    if (fresh)
        window = make(comm, whose);
    MPI_Group_free(&wanted.group);
    if (!window || reserve(window, comm, bytes, now))
        return window;
    if (fresh)
        free_mpi_objects(window); /* so that closing it frees it */
    weft_window_close(window);
    return NULL;
}

static size_t most_kept = SIZE_MAX;

/* Under the lock: whether a window that was just closed may keep its memory for the next plan. The
 * next plan then need not make the pages again, which takes as long as some runs of small
 * transforms. */
static bool may_stay(const weft_window *window)
{
    size_t kept = 0;
    for (const weft_window *other = process.first; other; other = other->after)
        kept += other->references ? 0 : other->storage.present;
    return kept <= SMALL ||
           (kept <= most_kept && kept <= weft_memory_to_keep() / (size_t)window->ranks);
}

/* Under the lock. */
static void close_one(weft_window *window)
{
    while (window && --window->references == 0) {
        weft_window *common = window->common;
        window->comm = MPI_COMM_NULL;
        window->common = NULL;
        window->wanted = 0;
        window->array = NULL;
        if (window->group == MPI_GROUP_NULL) {
            discard(window);
        } else if ((window->owner == CALLER && window->storage.bytes >= SMALL) ||
                   !may_stay(window)) {
            release_pages(window);
        }
        window = common;
    }
}

/* Collective, where threads may run plans at once: finds common memory of the group that is large
 * enough, or makes it. If that fails, the window's runs use the window's own memory. */
static void share_memory(weft_window *window, MPI_Comm comm)
{
    const size_t least = window->wanted;
    if (!weft_agree(comm, window->common && is_enough(window->common, least))) {
        weft_window *common = open_by(comm, NO_COMM, least, touching, false);
        pthread_mutex_lock(&process.lock);
        close_one(window->common);
        window->common = common;
        pthread_mutex_unlock(&process.lock);
    }
    weft_error_clear();
}

void *weft_window_open(MPI_Comm comm, size_t bytes)
{
    const bool at_once = weft_agree_max(comm, weft_threads_at_once()) > 0;
    weft_window *window =
        open_by(comm, at_once ? ONE_COMM : ALL_COMMS, bytes, !at_once && touching, true);
    if (window && at_once) {
        pthread_mutex_lock(&process.lock);
        window->comm = comm;
        pthread_mutex_unlock(&process.lock);
        share_memory(window, comm);
    }
    return window;
}

weft_window *weft_window_open_exclusive(MPI_Comm comm, size_t bytes)
{
    return open_by(comm, ONE_COMM, bytes, true, false);
}

weft_window *weft_window_open_private(MPI_Comm comm, size_t bytes)
{
    weft_window *window = open_by(comm, CALLER, bytes, true, false);
    pthread_mutex_lock(&process.lock);
    if (window)
        window->array = window->storage.part[window->rank];
    pthread_mutex_unlock(&process.lock);
    return window;
}

void weft_window_close(void *window)
{
    pthread_mutex_lock(&process.lock);
    close_one(window);
    pthread_mutex_unlock(&process.lock);
}

void weft_window_keep_at_most(size_t bytes)
{
    most_kept = bytes;
}

void weft_window_cleanup(void)
{
    pthread_mutex_lock(&process.lock);
    for (weft_window *window = process.first; window; window = window->after)
        if (!window->references && window->storage.part)
            release_pages(window);
    pthread_mutex_unlock(&process.lock);
}

static weft_storage *memory_of(weft_window *window)
{
    return window->in_common ? &window->common->storage : &window->storage;
}

/* The number of the run that begins when this rank has published `count` times. */
static uint64_t run_of(const weft_window *window, unsigned count)
{
    /* Spreads the numbers over all 64-bit values, so that no run of another window has the same. */
    const uint64_t spread = 0x9E3779B97F4A7C15u;
    return ((window->number + spread * count) & ~(uint64_t)1) | 2;
}

void weft_window_begin(void *memory)
{
    weft_window *window = memory;
    weft_barrier *barrier = &window->barrier;
    weft_barrier_begin(barrier);
    if (window->common && barrier->line) {
        window->run = run_of(window, barrier->count);
        window->in_common = weft_claim_begin(window->storage.claim, window->common->storage.claim,
                                             window->run, &window->common->ended, barrier);
    }
    if (!window->fresh[window->in_common])
        return;
    if (!touch(window, memory_of(window), window->wanted, false))
        weft_abort("the shared memory of a plan could not be allocated again: %s",
                   weft_error_text());
    window->fresh[window->in_common] = false;
    weft_barrier_publish(barrier); /* other ranks write to this rank's part only after this */
}

void weft_window_done(void *memory)
{
    weft_window *window = memory;
    if (window->in_common)
        weft_claim_end(window->storage.claim, window->common->storage.claim, window->run,
                       &window->common->ended);
    window->in_common = false;
    weft_barrier_done(&window->barrier);
}

void *weft_window_part(const void *window, int rank)
{
    return memory_of((weft_window *)window)->part[rank];
}

weft_window *weft_window_with_number(uint64_t number)
{
    pthread_mutex_lock(&process.lock);
    weft_window *window = *link_to(number);
    pthread_mutex_unlock(&process.lock);
    return window && window->number == number ? window : NULL;
}

/* Whether all ranks of `user` see the array of a window: then the union of both groups is not
 * larger than the group of the window. Without a group it is unknown. */
static bool seen_by_all(const weft_window *window, const weft_window *user)
{
    MPI_Group together;
    int ranks;
    if (window->group == MPI_GROUP_NULL)
        return false;
    MPI_Group_union(window->group, user->group, &together);
    MPI_Group_size(together, &ranks);
    MPI_Group_free(&together);
    return ranks == window->ranks;
}

weft_window *weft_window_of_array(const void *array, size_t bytes, const weft_window *user,
                                  bool put)
{
    const uintptr_t at = (uintptr_t)array;
    pthread_mutex_lock(&process.lock);
    weft_window *it = process.first;
    while (it && !(it->array && at - (uintptr_t)it->array <= it->wanted &&
                   bytes <= it->wanted - (at - (uintptr_t)it->array)))
        it = it->after;
    if (it && user && it->seen_in[put] != user)
        it->seen_in[put] = seen_by_all(it, user) ? user : NULL;
    if (it && user && !it->seen_in[put])
        it = NULL;
    pthread_mutex_unlock(&process.lock);
    return it;
}
