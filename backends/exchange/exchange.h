/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An exchange moves an array from one layout to another. Rank r sends rank s the intersection of
 * r's box in the source layout with s's box in the target layout, so the two layouts determine
 * every message. A weft_exchange says what moves; a weft_backend says how. One exchange can be
 * prepared with several backends, and each prepared exchange can be run.
 */
#ifndef WEFT_EXCHANGE_H
#define WEFT_EXCHANGE_H

#include "backends/exchange/blocks.h"

/* Collective over comm. Returns NULL on every rank, with the same error sentence, when any rank
 * fails. All plans of one communicator share its sub-communicators (communicator.h). `cut` NULL:
 * the whole array moves. */
weft_exchange *weft_exchange_create(const weft_layout *from, const weft_layout *to, size_t element,
                                    unsigned flags, const weft_cut *cut, MPI_Comm comm);
void weft_exchange_destroy(weft_exchange *exchange);
/* Frees the blocks; the caller must not ask for them afterwards. Local. */
void weft_exchange_free_blocks(weft_exchange *exchange);

/* The local part of weft_exchange_create: computes the blocks and the group of one rank without
 * MPI, as if the communicator had `ranks` ranks. The `comm` of the result is MPI_COMM_NULL. */
weft_exchange *weft_exchange_describe(const weft_layout *from, const weft_layout *to,
                                      size_t element, unsigned flags, const weft_cut *cut, int rank,
                                      int ranks);
/* Collective over all ranks of the exchange: creates the communicator exchange->node. Returns false
 * on every rank when any rank fails. */
bool weft_exchange_open_node(const weft_exchange *exchange);
/* Declares that the arrays of the exchange are in the memory of `device`, not of the host. Returns
 * false with an error when memory runs out. Local; all ranks call this before they prepare the
 * exchange. */
bool weft_exchange_set_device(weft_exchange *exchange, weft_device *device);
/* An exchange of the same messages, or of a chunk of each, from and to other host memory: for
 * arrays on a device, and with WEFT_AS_FLOAT, then of floats. `second`: with the second tag. The
 * caller destroys it before `exchange`. Returns NULL with an error when memory runs out. Local. */
weft_exchange *weft_exchange_packed(const weft_exchange *exchange, int chunks, bool second);
/* An exchange prepared with the backend that carries it out. For arrays on a device `workspace` is
 * device memory. */
typedef struct weft_prepared {
    const weft_backend *asked;   /* the backend of the plan */
    const weft_backend *backend; /* the backend that runs: `asked`, or the wrapper's */
    int value;
    void *state;
    size_t workspace;    /* bytes that a run needs */
    size_t pinned;       /* bytes of pinned host memory that a run needs, too */
    void *pinned_memory; /* the caller sets it before a run */
    /* For prepared.c: the exchanges that a wrapper has prepared, the latest first. */
    struct weft_prepared *inner, *next;
    weft_exchange *owned; /* of an inner one: its exchange */
} weft_prepared;

/* Carries out exchanges that `asked` cannot carry out alone, mostly by inner exchanges, which
 * `asked` does carry out. */
typedef struct weft_wrapper {
    /* Collective over exchange->comm. Sets the state, the workspace and the pinned bytes. Returns
     * false, with an error, if this rank fails; the state is then released if it is not NULL. */
    bool (*prepare)(weft_prepared *prepared, const weft_exchange *exchange);
    weft_backend run; /* runs and releases the state */
} weft_wrapper;

extern const weft_wrapper weft_wrapper_within, weft_wrapper_staged, weft_wrapper_as_float;
/* For wrappers whose `start` does everything. */
void weft_nothing_to_finish(void *state, const void *in, void *out, void *workspace);
/* For wrappers. Prepares `exchange` with the backend and value of `outer`, which owns the exchange
 * and the result. Collective over `comm`. A rank that could not make its exchange passes NULL.
 * Returns NULL on every rank when any rank fails. */
weft_prepared *weft_prepare_inner(weft_prepared *outer, weft_exchange *exchange, MPI_Comm comm);

/* Returns NULL when the backend supports the memory of the arrays (host or device) and, if it goes
 * through memory, the nodes of the ranks, else the reason. The same on all ranks. */
const char *weft_exchange_why_unsuited(const weft_exchange *exchange, const weft_backend *backend);
/* Returns NULL when the backend can carry out the exchange with this value, as far as this rank can
 * tell, else the reason. Local; a backend that any rank refuses is used on no rank. */
const char *weft_exchange_why_refused(const weft_exchange *exchange, const weft_backend *backend,
                                      int value);
/* Whether the arrays are on a device and the messages of the backend go through host memory. */
bool weft_exchange_staged(const weft_exchange *exchange, const weft_backend *backend);
/* Whether the messages of the backend carry doubles as floats. */
bool weft_exchange_as_float(const weft_exchange *exchange, const weft_backend *backend);
/* Whether an exchange with WEFT_WITHIN is possible on `ranks` ranks. Local, without MPI. */
bool weft_within_possible(const weft_layout *from, const weft_layout *to, int ranks);
/* Collective. Returns NULL on every rank when any rank fails. The caller must keep the exchange
 * until the prepared exchange is released. */
weft_prepared *weft_prepare(const weft_exchange *exchange, const weft_backend *backend, int value);
/* Whether the backend can send while the pass before the exchange runs. */
static inline bool weft_prepared_sends_early(const weft_prepared *prepared)
{
    return prepared->asked->begin && prepared->backend->begin;
}
/* Bytes of node-shared memory that the prepared exchange holds in addition to its workspace. */
size_t weft_prepared_shared(const weft_prepared *prepared);
/* Starts and finishes a run at once. A caller that works in between calls `start` and `finish` of
 * the backend with the state. */
void weft_prepared_run(weft_prepared *prepared, const void *in, void *out, void *workspace);
/* To be called between start and finish: lets MPI progress, and returns whether all data of this
 * run has arrived. */
bool weft_prepared_test(const weft_prepared *prepared);
void weft_prepared_release(weft_prepared *prepared);
/* Calls `open` of the memory, or `open_on` where the arrays are on a device. */
void *weft_memory_open(const weft_memory *memory, MPI_Comm comm, size_t bytes, weft_device *device);

#endif
