/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cost model: about how long an exchange takes in a certain way. It orders candidates; what is
 * close is left to timing. All its constants are in model.c; what messages between nodes take is
 * measured.
 */
#ifndef WEFT_MODEL_H
#define WEFT_MODEL_H

#include <stdbool.h>
#include "backends/exchange/nodes.h"
#include "planner/path/path.h"
#include "planner/settings.h"

/* What the machine looks like to a communicator. */
typedef struct {
    int per_node;         /* ranks on a node, of the node with the most of them */
    int cores;            /* of a node */
    weft_network network; /* as measured; all 0: it was not */
} weft_machine;

/* What a rank has to do in an exchange: to send or to receive, whichever is more. */
typedef struct {
    int peers;             /* other ranks it sends to, or receives from */
    int ranks;             /* that talk with one another */
    int nodes, near;       /* where they are, and how many of them are on this rank's */
    double bytes;          /* that it sends them, or receives */
    double own_bytes;      /* it keeps */
    bool packed, unpacked; /* pieces do not lie in one run: somebody has to pack, or to unpack */
    bool on_device;        /* messages go by way of the host, but for those of backends for it */
    const double *piece;   /* what weft_model_pieces says; NULL: as if each went to all others */
} weft_load;

/* Without its pieces. */
weft_load weft_model_load(const weft_exchange *exchange);
/* The bytes of each: sent to the rank so many further on, then received from so many before. To be
 * freed; NULL: no memory. */
double *weft_model_pieces(const weft_exchange *exchange);
/* Seconds. */
double weft_model_time(const weft_machine *machine, const weft_load *load,
                       const weft_backend *backend, int value);
/* Of what a rank transforms along a path. */
double weft_model_transforms(const weft_path *path, int rank);

#endif
