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
 */
#include "backends/memory/window.h"

#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "backends/memory/barrier.h"
#include "kernels/base/error.h"
#include "backends/exchange/communicator.h"
#include "backends/memory/segment.h"

enum { SMALL = 1 << 20 /* memory that is not worth giving back between two plans */ };

struct weft_window {
    MPI_Group group;
    int rank, ranks;
    int references; /* of this rank's plans */
    bool alone;     /* no other call finds it */
    weft_segment segment;
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
    weft_segment_free(&window->segment);
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
        if (window->alone)
            continue;
        MPI_Group_compare(window->group, group, &result);
        if (result == MPI_IDENT)
            break;
    }
    return window;
}

/* Collective. Memory with the parts that all ranks ask for, instead of what there was, which stays
 * if that fails. */
static bool replace(weft_window *window, MPI_Comm comm, size_t bytes)
{
    weft_segment larger;
    weft_barrier barrier;
    MPI_Comm own = window->barrier.comm;
    size_t present = window->segment.present > bytes ? window->segment.present : bytes;
    if (!weft_segment_make(&larger, comm,
                           window->segment.bytes > bytes ? window->segment.bytes : bytes))
        return false;
    weft_barrier_open(&barrier, weft_barrier_has_lines() ? larger.line : NULL, window->rank,
                      window->ranks);
    bool ok = true;
    if (!barrier.line && own == MPI_COMM_NULL)
        ok = weft_split_quietly(comm, 0, &own);
    /* That all have agreed also says that all lines are cleared. */
    if (!weft_agree(comm, ok) ||
        !weft_agree(comm, weft_segment_touch(&larger, window->rank, present))) {
        weft_segment_free(&larger);
        return false;
    }
    /* Nobody reads the old one: all ranks are here. */
    weft_segment_free(&window->segment);
    window->segment = larger;
    window->barrier = barrier;
    window->barrier.comm = own;
    window->barrier.window = larger.window;
    unlist(window);
    list(window);
    return true;
}

/* Collective: a window without memory. */
static weft_window *make(MPI_Comm comm, MPI_Group group)
{
    int *leaders = weft_node_leaders(comm);
    weft_window *window = NULL;
    if (!leaders)
        return NULL;
    int rank, ranks, nodes = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int r = 0; r < ranks; r++)
        nodes += leaders[r] == r;
    free(leaders);
    if (nodes > 1)
        weft_error("%d ranks on %d nodes have no memory to share", ranks, nodes);
    else if (!make_key() || !(window = calloc(1, sizeof *window)))
        weft_error("no memory for a window of %d ranks", ranks);
    if (!weft_agree(comm, window)) {
        free(window);
        return NULL;
    }
    window->group = group;
    window->rank = rank;
    window->ranks = ranks;
    window->segment.window = MPI_WIN_NULL;
    window->barrier.comm = MPI_COMM_NULL;
    list(window);
    return window;
}

/* Collective: makes sure of so many bytes. */
static bool reserve(weft_window *window, MPI_Comm comm, size_t bytes)
{
    enum { THERE, TOO_SMALL, MISSING };
    int mine = THERE, all;
    if (!window->segment.part || bytes > window->segment.bytes)
        mine = TOO_SMALL;
    else if (!weft_segment_touch(&window->segment, window->rank, bytes))
        mine = MISSING;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, comm);
    if (all == MISSING)
        return weft_agree(comm, mine != MISSING);
    return all == THERE || replace(window, comm, bytes);
}

/* Collective: `window`, or a new one when that is NULL, with another reference. */
static weft_window *open_this(weft_window *window, MPI_Comm comm, MPI_Group group, size_t bytes)
{
    if (window) {
        MPI_Group_free(&group);
    } else {
        window = make(comm, group);
        if (!window) {
            MPI_Group_free(&group);
            return NULL;
        }
    }
    if (!reserve(window, comm, bytes))
        return NULL;
    window->references++;
    return window;
}

weft_window *weft_window_open(MPI_Comm comm, size_t bytes)
{
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    return open_this(find(group), comm, group, bytes);
}

weft_window *weft_window_open_alone(MPI_Comm comm, size_t bytes, weft_window *old)
{
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    weft_window *window = open_this(old, comm, group, bytes);
    if (window)
        window->alone = true;
    return window;
}

static void give_back(weft_window *window)
{
    if (weft_barrier_drain(&window->barrier))
        weft_segment_give_back(&window->segment, window->rank);
}

void weft_window_close(weft_window *window)
{
    if (!window || --window->references > 0)
        return;
    if (process.over) {
        unlist(window);
        free(window);
    } else if (window->segment.bytes >= SMALL) {
        give_back(window);
    }
}

void weft_window_cleanup(void)
{
    for (weft_window *window = process.first; window && !process.over; window = window->after)
        if (!window->references && window->segment.part)
            give_back(window);
}

void *weft_window_part(const weft_window *window, int rank)
{
    return window->segment.part[rank];
}

MPI_Group weft_window_group(const weft_window *window)
{
    return window->group;
}

void weft_window_begin(weft_window *window)
{
    weft_barrier_begin(&window->barrier);
}

void weft_window_publish(weft_window *window)
{
    weft_barrier_post(&window->barrier);
    weft_barrier_await_all(&window->barrier);
}

void weft_window_post(weft_window *window)
{
    weft_barrier_post(&window->barrier);
}

void weft_window_await(const weft_window *window, int rank)
{
    weft_barrier_await(&window->barrier, rank);
}

void weft_window_done(weft_window *window)
{
    weft_barrier_done(&window->barrier);
}

bool weft_window_tell(weft_window *window, bool put, weft_loan loan)
{
    return weft_barrier_tell(&window->barrier, put, loan);
}

weft_loan weft_window_told(const weft_window *window, int rank, bool put)
{
    return weft_barrier_told(&window->barrier, rank, put);
}
