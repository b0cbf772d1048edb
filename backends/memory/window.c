/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pool of windows. Freeing an MPI window is collective, but plans are destroyed in any order,
 * on some ranks perhaps never. So a closed window stays, without its memory, which each rank gives
 * back for itself as soon as nobody reads it any more; it is replaced only in weft_window_open,
 * where all ranks are together, and freed when MPI_Finalize begins, through an attribute of
 * MPI_COMM_SELF.
 *
 * MPI_Win_free waits for all ranks of its window. In MPI_Finalize they free all of theirs, in the
 * order in which they were made; that is the same order wherever two windows have ranks in common,
 * so none waits for ever.
 *
 * MPI's shared memory comes from a file system of limited size, often small in containers, and may
 * be promised but not be there: then the first write kills the process. (Open MPI finds out
 * earlier, but on rank 0 alone, and hangs.) So the file system is asked first, and parts are
 * touched by the kernel, by reading zeros into them, which fails without killing. The rank that
 * owns a part touches it, so that it lies near to its core.
 */
#include "backends/memory/window.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "backends/exchange/nodes.h"
#include "backends/exchange/segment.h"
#include "kernels/base/error.h"
#include "kernels/base/memory.h"

enum {
    PAGE = 4096,
    MARGIN = 1 << 20,   /* for what else the MPI library keeps there */
    AT_ONCE = 64 << 20, /* zeros read at a time */
    SMALL = 1 << 20     /* memory that is not worth giving back between two plans */
};

static const char directory[] = "/dev/shm"; /* where MPI libraries keep shared memory on Linux */

/* Memory with a part for each rank to write into: MPI's, or, where that sees each rank alone, of
 * our own. */
typedef struct {
    MPI_Win window; /* MPI_WIN_NULL: not MPI's */
    weft_segment segment;
    char **part;             /* [ranks] where each rank's part begins, in this process */
    weft_barrier_line *line; /* [ranks] for the barrier */
    size_t bytes;            /* of this rank's part */
    size_t present;          /* how many of these the system has already given */
} storage;

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
static bool allocate(storage *it, MPI_Comm comm, size_t bytes)
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
    weft_error("no shared memory of %zu bytes could be made: %s", bytes, text);
    return false;
}

/* MPI's memory, of so many bytes of this rank's. */
static bool make_window(storage *it, MPI_Comm comm, int ranks, size_t bytes)
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

/* The same in memory of our own: one rank's part after the other. What there is of it is found out
 * by touching. */
static bool make_segment(storage *it, MPI_Comm comm, int ranks, uint64_t bytes)
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

/* Whether the system has room for what all ranks want of MPI. */
static bool all_have_room(MPI_Comm comm, uint64_t bytes)
{
    uint64_t all;
    MPI_Allreduce(&bytes, &all, 1, MPI_UINT64_T, MPI_SUM, comm);
    if (weft_agree(comm, has_room(all)))
        return true;
    weft_window_cleanup(); /* others have done so, too, once all agree that they have */
    return weft_agree(comm, true) && weft_agree(comm, has_room(all));
}

/* Collective: parts of at least so many bytes, none of which is used before it is touched. */
static bool make_storage(storage *it, MPI_Comm comm, size_t bytes, bool own)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    *it = (storage){.window = MPI_WIN_NULL, .bytes = pages(bytes)};
    const size_t lines = pages((size_t)ranks * sizeof *it->line);
    const size_t mine = it->bytes + (rank ? 0 : lines) + PAGE;
    it->part = malloc((size_t)ranks * sizeof *it->part);
    if (!it->part)
        weft_error("no memory for the addresses of %d ranks' parts", ranks);
    if (!weft_agree(comm, it->part) ||
        !(own ? make_segment(it, comm, ranks, mine)
              : all_have_room(comm, mine) && make_window(it, comm, ranks, mine)))
        goto fail;
    it->line = (weft_barrier_line *)(void *)it->part[0];
    it->part[0] += lines;
    return true;

fail:
    free(it->part);
    *it = (storage){.window = MPI_WIN_NULL};
    return false;
}

/* Collective; also right for one that is all zeros, or was made only in part. */
static void free_storage(storage *it)
{
    if (it->window != MPI_WIN_NULL && it->part) {
        MPI_Win_unlock_all(it->window);
        MPI_Win_free(&it->window);
    }
    weft_segment_close(&it->segment);
    free(it->part);
    *it = (storage){.window = MPI_WIN_NULL};
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

/* Makes sure that this many bytes of this rank's part are there. */
static bool touch(storage *it, int rank, size_t bytes)
{
    bytes = pages(bytes);
    if (bytes <= it->present)
        return true;
    char *from = it->part[rank] + it->present;
#ifdef MADV_HUGEPAGE
    (void)madvise(from, bytes - it->present, MADV_HUGEPAGE);
#endif
    bool made = make_pages(from, bytes - it->present);
    if (!made) {
        weft_window_cleanup(); /* what is kept for later is needed now */
        made = make_pages(from, bytes - it->present);
    }
    if (!made) {
        weft_error("the system has less than %zu bytes of shared memory left for this rank", bytes);
        return false;
    }
    it->present = bytes;
    return true;
}

/* Whose a window is: all communicators' of its group; one communicator's at a time, where threads
 * may run plans at once; the caller's who asked for one that no other call finds. */
typedef enum { ALL_COMMS, ONE_COMM, CALLER } owner;

struct weft_window {
    MPI_Group group;
    int rank, ranks;
    int references; /* of this rank's plans */
    owner owner;
    MPI_Comm comm; /* of ONE_COMM, while it has references */
    bool own;      /* MPI takes its ranks for nodes of their own */
    storage storage;
    weft_barrier barrier;
    /* All of this process, in the order in which their memory was made. */
    weft_window *before, *after;
};

/* What belongs to the process. */
static struct {
    int end_key;
    bool over; /* MPI_Finalize has begun */
    weft_window *first, *last;
} process = {.end_key = MPI_KEYVAL_INVALID};

static void list(weft_window *window)
{
    window->before = process.last;
    window->after = NULL;
    *(process.last ? &process.last->after : &process.first) = window;
    process.last = window;
}

static void unlist(weft_window *window)
{
    *(window->before ? &window->before->after : &process.first) = window->after;
    *(window->after ? &window->after->before : &process.last) = window->before;
}

/* Collective over the window's ranks: all that belongs to MPI. */
static void shut(weft_window *window)
{
    free_storage(&window->storage);
    if (window->barrier.comm != MPI_COMM_NULL)
        MPI_Comm_free(&window->barrier.comm);
    if (window->group != MPI_GROUP_NULL)
        MPI_Group_free(&window->group);
}

/* MPI_Finalize has begun. */
static int end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    process.over = true;
    for (weft_window *window = process.first, *after; window; window = after) {
        after = window->after;
        shut(window);
        if (!window->references) {
            unlist(window);
            free(window);
        }
    }
    MPI_Comm_free_keyval(&process.end_key);
    return MPI_SUCCESS;
}

static bool make_key(void)
{
    return process.end_key != MPI_KEYVAL_INVALID ||
           (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &process.end_key, NULL) ==
                MPI_SUCCESS &&
            MPI_Comm_set_attr(MPI_COMM_SELF, process.end_key, NULL) == MPI_SUCCESS);
}

static weft_window *find(MPI_Group group)
{
    weft_window *window = process.first;
    for (; window; window = window->after) {
        int result;
        if (window->owner != ALL_COMMS)
            continue;
        MPI_Group_compare(window->group, group, &result);
        if (result == MPI_IDENT)
            break;
    }
    return window;
}

/* Collective. The window of a communicator, or else the first of its group that all ranks have
 * closed; all of them have these in one order. NULL: there is none. */
static weft_window *find_for_one(MPI_Comm comm, MPI_Group group)
{
    weft_window *window = process.first;
    while (window && (window->owner != ONE_COMM || window->comm != comm))
        window = window->after;
    if (window)
        return window;
    for (window = process.first; window; window = window->after) {
        int result, closed = window->references == 0;
        if (window->owner != ONE_COMM)
            continue;
        MPI_Group_compare(window->group, group, &result);
        if (result != MPI_IDENT)
            continue;
        MPI_Allreduce(MPI_IN_PLACE, &closed, 1, MPI_INT, MPI_LAND, comm);
        if (closed)
            break;
    }
    return window;
}

/* Collective. Memory with the parts that all ranks ask for, instead of what there was, which stays
 * if that fails. */
static bool replace(weft_window *window, MPI_Comm comm, size_t bytes)
{
    storage larger;
    weft_barrier barrier;
    MPI_Comm own = window->barrier.comm;
    size_t present = window->storage.present > bytes ? window->storage.present : bytes;
    if (!make_storage(&larger, comm, window->storage.bytes > bytes ? window->storage.bytes : bytes,
                      window->own))
        return false;
    weft_barrier_open(&barrier, larger.line, window->rank, window->ranks);
    bool ok = true;
    if (!barrier.line && own == MPI_COMM_NULL)
        ok = weft_split_quietly(comm, 0, &own);
    /* That all have agreed also says that all lines are cleared. */
    if (!weft_agree(comm, ok) || !weft_agree(comm, touch(&larger, window->rank, present))) {
        free_storage(&larger);
        if (own != window->barrier.comm && own != MPI_COMM_NULL)
            MPI_Comm_free(&own);
        return false;
    }
    /* Nobody reads the old one: all ranks are here. */
    free_storage(&window->storage);
    window->storage = larger;
    window->barrier = barrier;
    window->barrier.comm = own;
    window->barrier.window = larger.window;
    unlist(window);
    list(window);
    return true;
}

/* Collective: a window without memory. */
static weft_window *make(MPI_Comm comm, MPI_Group group, owner whose)
{
    weft_nodes nodes;
    weft_window *window = NULL;
    if (!weft_nodes_find(comm, &nodes))
        return NULL;
    int rank, ranks, leaders = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int r = 0; r < ranks; r++)
        leaders += nodes.leader[r] == r;
    free(nodes.leader);
    if (leaders > 1)
        weft_error("%d ranks on %d nodes have no memory to share%s%s", ranks, leaders,
                   *nodes.why ? ": " : "", nodes.why);
    else if (!make_key() || !(window = calloc(1, sizeof *window)))
        weft_error("no memory for a window of %d ranks", ranks);
    if (!weft_agree(comm, window)) {
        free(window);
        return NULL;
    }
    window->group = group;
    window->owner = whose;
    window->comm = MPI_COMM_NULL;
    window->own = nodes.own;
    window->rank = rank;
    window->ranks = ranks;
    window->storage.window = MPI_WIN_NULL;
    window->barrier.comm = MPI_COMM_NULL;
    list(window);
    return window;
}

/* Local: this rank's part, contents and all, goes back to the system; touch gets it again. */
static void give_back(weft_window *window)
{
#ifdef MADV_REMOVE
    storage *it = &window->storage;
    if (it->present && weft_barrier_drain(&window->barrier) &&
        !madvise(it->part[window->rank], it->bytes, MADV_REMOVE))
        it->present = 0;
#else
    (void)window;
#endif
}

/* Collective: makes sure of so many bytes. */
static bool reserve(weft_window *window, MPI_Comm comm, size_t bytes)
{
    enum { THERE, TOO_SMALL, MISSING };
    int mine = THERE, all;
    if (!window->storage.part || bytes > window->storage.bytes)
        mine = TOO_SMALL;
    else if (!touch(&window->storage, window->rank, bytes))
        mine = MISSING;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, comm);
    if (all == MISSING)
        return weft_agree(comm, mine != MISSING);
    return all == THERE || replace(window, comm, bytes);
}

/* Collective: `window`, or a new one when that is NULL, with another reference. */
static weft_window *open_this(weft_window *window, MPI_Comm comm, MPI_Group group, owner whose,
                              size_t bytes)
{
    const bool fresh = !window;
    if (fresh)
        window = make(comm, group, whose);
    if (!fresh || !window)
        MPI_Group_free(&group);
    if (!window)
        return NULL;
    window->references++; /* so that it is not given back when memory is short */
    if (reserve(window, comm, bytes))
        return window;
    window->references--;
    if (fresh) { /* on all ranks, and without memory: nobody would find that of a caller again */
        shut(window);
        unlist(window);
        free(window);
    }
    return NULL;
}

weft_window *weft_window_open(MPI_Comm comm, size_t bytes)
{
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    if (!weft_threads_at_once())
        return open_this(find(group), comm, group, ALL_COMMS, bytes);
    weft_window *window = open_this(find_for_one(comm, group), comm, group, ONE_COMM, bytes);
    if (window)
        window->comm = comm;
    return window;
}

weft_window *weft_window_open_alone(MPI_Comm comm, size_t bytes, weft_window *old)
{
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    return open_this(old, comm, group, CALLER, bytes);
}

static size_t most_kept = SIZE_MAX;

/* Whether a window that was just closed may keep its memory for the next plan, whose pages need not
 * be made again then: making them takes as long as some runs of small transforms. */
static bool may_stay(const weft_window *window)
{
    const size_t spare = weft_memory_to_spare() / (size_t)window->ranks,
                 most = spare < most_kept ? spare : most_kept;
    size_t kept = 0;
    for (const weft_window *other = process.first; other; other = other->after)
        kept += other->references ? 0 : other->storage.present;
    return kept <= most;
}

void weft_window_close(weft_window *window)
{
    if (!window || --window->references > 0)
        return;
    window->comm = MPI_COMM_NULL;
    if (process.over) {
        unlist(window);
        free(window);
    } else if (window->storage.bytes >= SMALL && (window->owner == CALLER || !may_stay(window))) {
        give_back(window);
    }
}

void weft_window_keep_at_most(size_t bytes)
{
    most_kept = bytes;
}

void weft_window_cleanup(void)
{
    for (weft_window *window = process.first; window && !process.over; window = window->after)
        if (!window->references && window->storage.part)
            give_back(window);
}

void *weft_window_part(const weft_window *window, int rank)
{
    return window->storage.part[rank];
}

MPI_Group weft_window_group(const weft_window *window)
{
    return window->group;
}

weft_barrier *weft_window_barrier(weft_window *window)
{
    return &window->barrier;
}
