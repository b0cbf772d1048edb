/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings from the environment, read on rank 0 of the communicator that plans and sent to the
 * others, so that ranks never disagree.
 */
#ifndef WEFT_SETTINGS_H
#define WEFT_SETTINGS_H

#include <mpi.h>
#include <stdbool.h>
#include "weft-backend.h"

typedef struct {
    char *backend; /* WEFT_BACKEND: what to use for each exchange in turn; NULL: the planner chooses
                    */
    int verbose;   /* WEFT_VERBOSE */
} weft_settings;

/* Collective. Loads the plug-ins that WEFT_PLUGINS names, too. False on all ranks, with an error,
 * when a setting cannot be used on any of them. */
bool weft_settings_read(MPI_Comm comm, weft_settings *settings);
void weft_settings_free(weft_settings *settings);

/* How an exchange is carried out. */
typedef struct {
    const weft_backend *backend; /* NULL: found by rule */
    int value;                   /* of its parameter */
} weft_way;

/* How an exchange, the which-th of its plan, is to be carried out. False and an error when the
 * backend named does not exist or does not apply. Local; the same on all ranks. */
bool weft_settings_choose(const weft_settings *settings, const weft_exchange *exchange, int which,
                          weft_way *way);

#endif
