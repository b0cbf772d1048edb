/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decisions: what is known of a schedule once it has been chosen, as wisdom keeps it, and the key
 * of the problem that it was chosen for.
 */
#ifndef WEFT_DECISION_H
#define WEFT_DECISION_H

#include "planner/environment.h"
#include "planner/method.h"
#include "planner/path/path.h"
#include "planner/problem.h"

enum { WEFT_DECISION_TEXT = 2048, WEFT_KEY_TEXT = 1024, WEFT_PASSES_TEXT = 1024 };

typedef struct {
    int path; /* its way: its place among the problem's candidates, and as many if it is plain */
    int exchanges;
    weft_method method[WEFT_MAX_STAGES];
    char passes[WEFT_PASSES_TEXT]; /* how each is done, "" when not known */
    double seconds;                /* of a run; 0: not timed */
} weft_decision;

void weft_decision_write(const weft_decision *decision, char text[WEFT_DECISION_TEXT]);
/* False when the text cannot be understood, as when it names a plug-in that is not there. */
bool weft_decision_read(const char *text, weft_decision *decision);

/* FFTW's rigor flags: 0 ESTIMATE to 3 EXHAUSTIVE. */
int weft_rigor(unsigned flags);
const char *weft_rigor_name(int rigor);
/* The key of a problem planned with so much rigor; it begins with the problem's name and ends with
 * the rigor. The same on all ranks, but for the processor. */
void weft_problem_key(const weft_problem *problem, const weft_environment *environment, int rigor,
                      char text[WEFT_KEY_TEXT]);
/* Makes a key that for another rigor. */
void weft_key_change_rigor(char text[WEFT_KEY_TEXT], int rigor);
/* "c2c 256x256x256 transposed-out": what the problem is, without where. */
void weft_problem_name(const weft_problem *problem, char *text, size_t room);
/* "slab-8-through-4x2", "grid-4x2-through-8", "grid-4x2:column-major": how the array is divided,
 * and the grid that it goes through where that is another (axes 0: none). */
void weft_problem_shape(const weft_problem *problem, const weft_process_grid *through, char *text,
                        size_t room);

#endif
