/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sequence: calls of the public interface drawn from a seed, the same on all ranks, each result
 * of which is checked. Every step draws from a state of its own, so that the others stay what they
 * are when some are left out.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "tests/mpi/problems.h"

enum { FUZZ_TEXT = 2000, FUZZ_COMMS = 6, FUZZ_STEPS = 40 };

/* What is wrong, with the step; the first thing counts. "" so far. */
extern char fuzz_wrong[FUZZ_TEXT];
void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Which step is being taken, and what it is called. */
extern int fuzz_step;
extern const char *fuzz_step_name;
/* Whether plans run in several threads at once, which MPI allows. */
extern bool fuzz_threads;
/* Whether no run is in halves. */
extern bool fuzz_whole;
/* Runs of plans that were compared, on this rank. */
extern long fuzz_runs;
/* Whether steps are told, and what is printed is not caught. */
extern bool fuzz_loud;

/* How to see a sequence again, in a line. */
const char *fuzz_replay(unsigned seed);

/* Runs the sequence of a seed but for the steps left out; collective over MPI_COMM_WORLD. */
void fuzz_sequence(unsigned seed, const bool leave_out[FUZZ_STEPS]);

/* Communicators: all ranks, this one, and others that come and go. MPI_COMM_NULL: this rank is not
 * in it, or there is none. */
typedef struct {
    MPI_Comm comm;
    unsigned number; /* not twice the same */
} fuzz_comm;
extern fuzz_comm fuzz_comms[FUZZ_COMMS];
void fuzz_comms_begin(void);
void fuzz_comms_end(void);
void fuzz_change_comms(unsigned *state);

/* Settings: what they mean for plans, so far as that is certain. */
typedef enum { SETTINGS_FIT, SETTINGS_MAY_FAIL, SETTINGS_FAIL } fuzz_fit;
fuzz_fit fuzz_settings_fit(void);
bool fuzz_settings_print(void); /* something may be printed */
void fuzz_change_settings(unsigned *state);
void fuzz_force_backend(unsigned *state);
void fuzz_clear_settings(void);

void fuzz_change_wisdom(unsigned *state);

/* Changes an argument of a problem to one that cannot be; the result names the argument. NULL: this
 * problem has no such argument. */
const char *problem_spoil(problem *it, unsigned *state, MPI_Comm comm);

/* From the first call to the second, which counts the bytes, what goes to stderr is caught. What
 * was when the process dies is shown by fuzz_released. */
void fuzz_catch(void);
long fuzz_caught(char *text, size_t capacity);
void fuzz_release(void);

#endif
