/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An exchange moves an array from one layout to another. Rank r sends rank s the intersection of
 * r's box in the source layout with s's box in the target layout, so the two layouts determine
 * every message. A weft_exchange says what moves; a weft_backend says how. One exchange can be
 * prepared with several backends, and each prepared exchange can be run.
 */
#ifndef WEFT_EXCHANGE_H
#define WEFT_EXCHANGE_H

#include "backends/exchange/pieces.h"

/* Collective over comm. Returns NULL on every rank, with the same error sentence, when any rank
 * fails. All plans of one communicator share its sub-communicators (communicator.h). */
weft_exchange *weft_exchange_create(const weft_layout *from, const weft_layout *to, size_t element,
                                    unsigned flags, MPI_Comm comm);
weft_exchange *weft_exchange_create_part(const weft_layout *from, const weft_layout *to,
                                         size_t element, unsigned flags, const weft_cut *cut,
                                         int part, MPI_Comm comm);
void weft_exchange_destroy(weft_exchange *exchange);
/* Frees the blocks; the caller must not ask for them afterwards. Local. */
void weft_exchange_forget(weft_exchange *exchange);

/* The local part of weft_exchange_create: computes the blocks and the group of one rank without
 * MPI, as if the communicator had `ranks` ranks. The `comm` of the result is MPI_COMM_NULL. */
weft_exchange *weft_exchange_describe(const weft_layout *from, const weft_layout *to,
                                      size_t element, unsigned flags, int rank, int ranks);
weft_exchange *weft_exchange_describe_part(const weft_layout *from, const weft_layout *to,
                                           size_t element, unsigned flags, const weft_cut *cut,
                                           int part, int rank, int ranks);
/* The ranks of this rank's group, in ascending order, as ranks of the caller's communicator. The
 * array has exchange->ranks entries. The ranks of a group exchange data, directly or through other
 * ranks of the group. */
const int *weft_exchange_group(const weft_exchange *exchange);
/* The number of groups. With 1 the exchange uses the duplicated communicator without splitting it.
 */
int weft_exchange_groups(const weft_exchange *exchange);
/* Whether every group lies within one node. Local; returns the same on all ranks, whatever their
 * group. False for an exchange that was only described. */
bool weft_exchange_within_nodes(const weft_exchange *exchange);
/* weft_exchange_nodes returns, for each rank of the group, the index in the group of the first rank
 * on the same node; NULL for an exchange that was only described. weft_exchange_has_neighbours
 * returns whether some group has two ranks on one node and others elsewhere; the same on all ranks.
 */
const int *weft_exchange_nodes(const weft_exchange *exchange);
bool weft_exchange_has_neighbours(const weft_exchange *exchange);
/* Collective over all ranks of the exchange: creates the communicator exchange->node. Returns false
 * on every rank when any rank fails. */
bool weft_exchange_open_node(const weft_exchange *exchange);
/* The duplicate of the communicator over which the exchange was created. It contains the ranks of
 * all groups. MPI_COMM_NULL for an exchange that was only described. */
MPI_Comm weft_exchange_home(const weft_exchange *exchange);

/* Declares that the arrays of the exchange are in the memory of `device`; with NULL they stay on
 * the host. Returns false with an error when memory runs out. Local; all ranks call this before
 * they prepare the exchange. */
bool weft_exchange_set_device(weft_exchange *exchange, weft_device *device);
/* For arrays on a device: an exchange of the same messages from and to host memory, in which the
 * blocks are contiguous and follow one another. This exchange leaves out the own block (the block
 * that a rank would send to itself). */
const weft_exchange *weft_exchange_packed(const weft_exchange *exchange);

/* An exchange prepared with the backend that carries it out. */
typedef struct weft_prepared weft_prepared;

/* Returns NULL when the backend supports the memory of the arrays (host or device), else the
 * reason. The same on all ranks. */
const char *weft_exchange_unsuited(const weft_exchange *exchange, const weft_backend *backend);
/* Returns NULL when the backend can carry out the exchange with this value, as far as this rank can
 * tell, else the reason. Local; a backend that any rank refuses is used on no rank. */
const char *weft_exchange_refused(const weft_exchange *exchange, const weft_backend *backend,
                                  int value);
/* Whether the arrays are on a device and the messages of the backend go through host memory. */
bool weft_exchange_staged(const weft_exchange *exchange, const weft_backend *backend);
/* Collective. Returns NULL on every rank when any rank fails. The caller must keep the exchange
 * until the prepared exchange is released. */
weft_prepared *weft_prepare(const weft_exchange *exchange, const weft_backend *backend, int value);
size_t weft_prepared_workspace(const weft_prepared *prepared);
/* For arrays on a device the workspace is device memory, and a run may also need pinned host
 * memory. weft_prepared_pinned returns the bytes needed; weft_prepared_pin sets the pinned buffer
 * for all later runs. */
size_t weft_prepared_pinned(const weft_prepared *prepared);
void weft_prepared_pin(weft_prepared *prepared, void *pinned);
/* Bytes of node-shared memory that the prepared exchange holds in addition to its workspace. */
size_t weft_prepared_shared(const weft_prepared *prepared);
void weft_prepared_start(weft_prepared *prepared, const void *in, void *out, void *workspace);
void weft_prepared_finish(weft_prepared *prepared, const void *in, void *out, void *workspace);
/* To be called between start and finish: lets MPI progress, and returns whether all data of this
 * run has arrived. */
bool weft_prepared_test(weft_prepared *prepared);
void weft_prepared_run(weft_prepared *prepared, const void *in, void *out, void *workspace);
const weft_backend *weft_prepared_backend(const weft_prepared *prepared);
int weft_prepared_value(const weft_prepared *prepared);
void weft_prepared_release(weft_prepared *prepared);

#endif
