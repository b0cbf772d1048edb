/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges: moving an array from one layout to another. What rank r sends rank s is the
 * intersection of r's box in the one with s's box in the other; nothing else is needed to know it.
 * An exchange (what is moved) may be prepared with any number of backends (how), each of which can
 * then be run.
 */
#ifndef WEFT_EXCHANGE_H
#define WEFT_EXCHANGE_H

#include "backends/exchange/pieces.h"

/* Collective over comm. NULL on every rank when any rank cannot, with the same sentence everywhere.
 * Sub-communicators come from a store that plans of one communicator share (communicator.h). */
weft_exchange *weft_exchange_create(const weft_layout *from, const weft_layout *to, size_t element,
                                    unsigned flags, MPI_Comm comm);
weft_exchange *weft_exchange_create_part(const weft_layout *from, const weft_layout *to,
                                         size_t element, unsigned flags, const weft_cut *cut,
                                         int part, MPI_Comm comm);
void weft_exchange_destroy(weft_exchange *exchange);
/* Nobody is going to ask for its pieces any more: gives their memory back. Local. */
void weft_exchange_forget(weft_exchange *exchange);

/* The arithmetic of it alone, for one rank and without MPI: pieces and group, as if the
 * communicator had `ranks` ranks. `comm` is MPI_COMM_NULL. What create begins with. */
weft_exchange *weft_exchange_describe(const weft_layout *from, const weft_layout *to,
                                      size_t element, unsigned flags, int rank, int ranks);
weft_exchange *weft_exchange_describe_part(const weft_layout *from, const weft_layout *to,
                                           size_t element, unsigned flags, const weft_cut *cut,
                                           int part, int rank, int ranks);
/* The ranks (of the caller's communicator) that talk with one another, in order: exchange->ranks of
 * them. */
const int *weft_exchange_group(const weft_exchange *exchange);
/* How many groups there are: 1 means that the communicator is used as it is. */
int weft_exchange_groups(const weft_exchange *exchange);
/* Whether each of its groups is on one node. Local; the same on all ranks, also of other groups.
 * False when it was only described. */
bool weft_exchange_within_nodes(const weft_exchange *exchange);
/* For each rank of the group, the first rank of the group on its node; NULL: it was only described.
 * And whether in any group some ranks share a node and others do not, the same on all ranks. */
const int *weft_exchange_nodes(const weft_exchange *exchange);
bool weft_exchange_has_neighbours(const weft_exchange *exchange);
/* Collective over all ranks of an exchange: finds exchange->node. False on all when any cannot. */
bool weft_exchange_open_node(const weft_exchange *exchange);
/* Where all ranks of an exchange agree, also those that do not talk with one another: the duplicate
 * of the communicator that it was created over; MPI_COMM_NULL when it was only described. */
MPI_Comm weft_exchange_home(const weft_exchange *exchange);

/* Its arrays lie on a device from now on; NULL: it stays on the host. False and an error: no
 * memory. Local, on all ranks, before anything is prepared. */
bool weft_exchange_set_device(weft_exchange *exchange, weft_device *device);
/* On a device: the same exchange of pieces that lie one after another in memory of the host,
 * without the own piece. */
const weft_exchange *weft_exchange_packed(const weft_exchange *exchange);

/* An exchange together with the backend that carries it out. */
typedef struct weft_prepared weft_prepared;

/* NULL, or why a backend has no memory of the kind that the arrays are. The same on all ranks. */
const char *weft_exchange_unsuited(const weft_exchange *exchange, const weft_backend *backend);
/* NULL, or why a backend cannot carry out an exchange with this value, as far as this rank sees.
 * Local; where one rank has a reason no rank uses it. */
const char *weft_exchange_refused(const weft_exchange *exchange, const weft_backend *backend,
                                  int value);
/* Whether, on a device, its messages go by way of the host. */
bool weft_exchange_staged(const weft_exchange *exchange, const weft_backend *backend);
/* Collective; NULL on every rank when any rank cannot. The exchange must outlive it. */
weft_prepared *weft_prepare(const weft_exchange *exchange, const weft_backend *backend, int value);
size_t weft_prepared_workspace(const weft_prepared *prepared);
/* On a device the workspace is there; bytes of pinned memory of the host that a run takes besides,
 * and which those from now on get. */
size_t weft_prepared_pinned(const weft_prepared *prepared);
void weft_prepared_pin(weft_prepared *prepared, void *pinned);
/* Bytes that it has of memory which ranks of a node share, besides. */
size_t weft_prepared_shared(const weft_prepared *prepared);
void weft_prepared_start(weft_prepared *prepared, const void *in, void *out, void *workspace);
void weft_prepared_finish(weft_prepared *prepared, const void *in, void *out, void *workspace);
/* Between the two: lets MPI go on, and says whether what is under way has arrived. */
bool weft_prepared_test(weft_prepared *prepared);
void weft_prepared_run(weft_prepared *prepared, const void *in, void *out, void *workspace);
const weft_backend *weft_prepared_backend(const weft_prepared *prepared);
int weft_prepared_value(const weft_prepared *prepared);
void weft_prepared_release(weft_prepared *prepared);

#endif
