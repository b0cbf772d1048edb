/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cost model: an estimate of how long an exchange takes with each method. The model orders the
 * candidates; timing decides among close ones. model.c has all constants. The cost of messages
 * between nodes is measured.
 */
#ifndef WEFT_MODEL_H
#define WEFT_MODEL_H

#include <stdbool.h>
#include "backends/exchange/nodes.h"
#include "planner/path/path.h"
#include "planner/settings.h"

/* The part of the machine that a communicator uses. */
typedef struct {
    int per_node;         /* ranks on the node that has the most ranks */
    int cores;            /* cores of a node */
    weft_network network; /* measured costs; all 0: not measured */
} weft_machine;

/* Whether ranks share cores. */
static inline bool weft_machine_is_crowded(const weft_machine *machine)
{
    return machine->per_node > machine->cores;
}

/* Whether hardly any timing is undisturbed: ranks share cores, or messages leave the node. */
static inline bool weft_timings_are_disturbed(const weft_machine *machine, bool within_nodes)
{
    return weft_machine_is_crowded(machine) || !within_nodes;
}

/* The work of one rank in an exchange. Where sending and receiving differ, the larger counts. */
typedef struct {
    int peers;        /* other ranks it sends to, or receives from */
    int ranks;        /* ranks in the exchange */
    int nodes, near;  /* number of their nodes; number of them on this rank's node */
    bool consecutive; /* every node has `near` consecutive ranks */
    double bytes;     /* bytes sent to others, or received */
    double own_bytes; /* bytes that stay on this rank */
    bool packed,
        unpacked;   /* blocks are not contiguous, so they are packed before sending, or unpacked */
    bool on_device; /* the arrays are on a device; messages go through host memory unless the
                       backend is on_device */
} weft_load;

/* The load of this rank. */
weft_load weft_model_load(const weft_exchange *exchange);
/* The model's time, in seconds, of an exchange with a backend and its parameter `value`. */
double weft_model_time(const weft_machine *machine, const weft_load *load,
                       const weft_backend *backend, int value);
/* The model's time, in seconds, of all transforms of a rank along a path. */
double weft_model_transforms(const weft_path *path, int rank);

#endif
