/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Methods, which are how an exchange is carried out, and the text form in which users and wisdom
 * write a method: the backend, a colon and its parameter.
 *
 * Settings of the user, from environment variables or from functions of weft.h; functions take
 * precedence. Rank 0 of the planning communicator reads the settings and broadcasts them, so ranks
 * never disagree.
 */
#ifndef WEFT_SETTINGS_H
#define WEFT_SETTINGS_H

#include <mpi.h>
#include <stdbool.h>
#include "backends/weft-backend.h"

typedef struct {
    const weft_backend *backend; /* NULL: the planner chooses */
    int value;                   /* value of the backend's parameter */
} weft_method;

/* Writes the method as text: "waitsome/b:32"; without a backend "auto". */
void weft_method_write(weft_method method, char *text, size_t capacity);
/* False with an error when the text is not a method. */
bool weft_method_read(const char *text, weft_method *method);

enum { WEFT_MAX_NAMED = 64 };

typedef struct {
    /* WEFT_BACKEND: the method of each exchange in turn, the last one also of all others, or, if it
     * `narrows`, the backends to exclude; 0 named: the planner chooses among all */
    weft_method method[WEFT_MAX_NAMED];
    int named;
    bool narrows;
    bool share;         /* the user allows every exchange of a plan to use shared memory */
    char *text;         /* contains the next three */
    const char *wisdom; /* WEFT_WISDOM: file name; NULL: none */
    const char *trace;  /* WEFT_TRACE: file name; NULL: none */
    const char
        *machine; /* WEFT_MACHINE: description that replaces the detected machine; NULL: none */
    /* WEFT_TIMELIMIT and fftw_set_timelimit: seconds for planning; negative: no limit */
    double limit;
    int verbose;          /* WEFT_VERBOSE */
    bool as_float;        /* WEFT_WIRE=float: messages carry doubles as floats */
    bool threads_at_once; /* weft_threads_at_once is true on some rank */
} weft_settings;

/* Reads the settings and loads the plug-ins of WEFT_PLUGINS. `limit` is the time limit of the
 * program; negative: none. When the user sets a limit, too, the smaller one counts. Collective.
 * Returns false on all ranks, with an error, when any rank cannot use a setting or passes false as
 * `ok` because an earlier step failed there. The caller frees the settings in any case. */
bool weft_settings_read(MPI_Comm comm, bool ok, double limit, weft_settings *settings);
void weft_settings_free(weft_settings *settings);

/* The user's method for exchange number `which` of a plan; backend NULL: the planner chooses.
 * Returns false with an error when the backend cannot carry out the exchange.
 * Local; the same on all ranks. */
bool weft_settings_choose(const weft_settings *settings, const weft_exchange *exchange, int which,
                          weft_method *method);

/* Reads the value of WEFT_BACKEND. False with an error when it names no backend. */
bool weft_settings_name_backends(const char *text, weft_settings *settings);
/* Whether the user excluded this backend. */
bool weft_settings_leave_out(const weft_settings *settings, const weft_backend *backend);

/* Replace WEFT_BACKEND and WEFT_TIMELIMIT from now on. With NULL as backend, WEFT_BACKEND applies
 * again. False with an error: no memory. */
bool weft_settings_set_backend(const char *backend);
void weft_settings_set_limit(double seconds);

#endif
