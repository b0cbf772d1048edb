/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings, from the environment or from functions of weft.h, which come first. They are read on
 * rank 0 of the communicator that plans and sent to the others, so that ranks never disagree.
 */
#ifndef WEFT_SETTINGS_H
#define WEFT_SETTINGS_H

#include <mpi.h>
#include <stdbool.h>
#include "planner/method.h"

typedef struct {
    char *backend; /* WEFT_BACKEND: what to use for each exchange in turn, or ^ and what not to use
                    * for any; NULL: the planner chooses */
    char *wisdom;  /* WEFT_WISDOM: a file; NULL: none */
    char *trace;   /* WEFT_TRACE: a file; NULL: none */
    char *machine; /* WEFT_MACHINE: what it is taken for; NULL: what it is */
    double limit;  /* WEFT_TIMELIMIT, FFTW's: seconds for planning; negative: none */
    int verbose;   /* WEFT_VERBOSE */
    int overlap;   /* WEFT_OVERLAP: parts that exchanges are cut into; 0: the planner chooses */
} weft_settings;

/* Collective. Loads the plug-ins that WEFT_PLUGINS names, too. `limit` is the program's, negative
 * when there is none; of two the smaller counts. False on all ranks, with an error, when a setting
 * cannot be used on any of them, or one is not `ok`: it has failed before, with an error. */
bool weft_settings_read(MPI_Comm comm, bool ok, double limit, weft_settings *settings);
void weft_settings_free(weft_settings *settings);

/* How an exchange, the which-th of its plan, is to be carried out as the user said; backend NULL:
 * he left it to the planner. False and an error when the backend named does not exist or does not
 * apply. Local; the same on all ranks. */
bool weft_settings_choose(const weft_settings *settings, const weft_exchange *exchange, int which,
                          weft_method *method);

/* Whether the user left the choice to the planner but for some backends; and whether this is one of
 * those. */
bool weft_settings_narrow(const weft_settings *settings);
bool weft_settings_leave_out(const weft_settings *settings, const weft_backend *backend);

/* Whether the user lets every exchange of a plan go through shared memory. */
bool weft_settings_share(const weft_settings *settings);

/* In place of WEFT_BACKEND and WEFT_TIMELIMIT, from now on; NULL: what the environment says. False
 * and an error: no memory. */
bool weft_settings_set_backend(const char *backend);
void weft_settings_set_limit(double seconds);

#endif
