/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sequence: random calls of the public interface from a seed, the same on all ranks. Every result
 * is checked. Every step has its own random state, so that leaving out steps does not change the
 * others.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "tests/mpi/problems.h"
#include "tests/unit/harness.h"

enum { FUZZ_TEXT = 2000, FUZZ_COMMS = 6, FUZZ_STEPS = 40 };

/* The first error, with its step; "" if there is none. */
extern char fuzz_wrong[FUZZ_TEXT];
void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Number and name of the current step. */
extern int fuzz_step;
extern const char *fuzz_step_name;
/* Whether plans run in several threads at once. */
extern bool fuzz_threads;
/* Whether no run is in halves. */
extern bool fuzz_whole;
/* Number of runs that this rank compared. */
extern long fuzz_runs;
/* Whether each step is printed, and output is not caught. */
extern bool fuzz_loud;

/* Returns the options that repeat a sequence. */
const char *fuzz_replay(unsigned seed);

/* A process that crashes, hangs or is killed in a sequence prints its seed (deaths.c). */
void fuzz_watch_deaths(void);
/* Called at the begin of a sequence, which may take so many seconds, and at its end. */
void fuzz_begin_seed(unsigned seed, unsigned limit);
void fuzz_end_seed(void);

/* Runs the sequence of a seed without the steps in `leave_out`; collective over MPI_COMM_WORLD. */
void fuzz_sequence(unsigned seed, const bool leave_out[FUZZ_STEPS]);

/* Communicators: all ranks, this rank, and others that steps make and free. MPI_COMM_NULL: this
 * rank is not in it, or there is none. */
typedef struct {
    MPI_Comm comm;
    unsigned number; /* unique */
} fuzz_comm;
extern fuzz_comm fuzz_comms[FUZZ_COMMS];
void fuzz_comms_begin(void);
void fuzz_comms_end(void);
void fuzz_change_comms(unsigned *state);

/* The effect of the current settings on planning, as far as it is certain. */
typedef enum { SETTINGS_FIT, SETTINGS_MAY_FAIL, SETTINGS_FAIL } fuzz_fit;
fuzz_fit fuzz_settings_fit(void);
bool fuzz_settings_print(void); /* whether Weft may print something */
void fuzz_change_settings(unsigned *state);
void fuzz_force_backend(unsigned *state);
void fuzz_clear_settings(void);

void fuzz_change_wisdom(unsigned *state);

#endif
