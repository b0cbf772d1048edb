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

/* The backend for an exchange, the which-th of its plan, and the value of its parameter. NULL and
 * an error when the one named does not exist or does not apply. Local; the same on all ranks. */
const weft_backend *weft_settings_backend(const weft_settings *settings,
                                          const weft_exchange *exchange, int which, int *value);

#endif
