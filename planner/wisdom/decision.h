/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decisions: what is known of a schedule once it has been chosen, and the key of the problem that
 * it was chosen for, as wisdom keeps them. Pure.
 */
#ifndef WEFT_DECISION_H
#define WEFT_DECISION_H

#include "planner/path/path.h"
#include "planner/problem.h"
#include "planner/settings.h"

enum { WEFT_DECISION_TEXT = 2048, WEFT_KEY_TEXT = 1024, WEFT_PASSES_TEXT = 1024 };

typedef struct {
    int path; /* its place among the problem's candidates */
    int exchanges;
    weft_method method[WEFT_MAX_STAGES];
    char passes[WEFT_PASSES_TEXT]; /* how each is done, "" when not known */
    double seconds;                /* of a run; 0: not timed */
} weft_decision;

/* "waitsome/b:32"; in four parts "waitsome/b:32*4". */
void weft_method_write(weft_method method, char *text, size_t room);
/* False and an error when it is none. */
bool weft_method_read(const char *text, weft_method *method);

void weft_decision_write(const weft_decision *decision, char text[WEFT_DECISION_TEXT]);
/* False when it cannot be understood, as when it names a plug-in that is not there. */
bool weft_decision_read(const char *text, weft_decision *decision);

/* Where a problem is planned: what else decisions depend on. */
typedef struct {
    const char *precision;
    char mpi[64];              /* library and version */
    int per_node;              /* ranks on a node */
    weft_process_grid between; /* the user's wish for pencils between slabs */
} weft_environment;

/* FFTW's rigor flags: 0 ESTIMATE to 3 EXHAUSTIVE. */
int weft_rigor(unsigned flags);
const char *weft_rigor_name(int rigor);
/* The key of a problem planned with so much rigor. The same on all ranks. */
void weft_problem_key(const weft_problem *problem, const weft_environment *environment, int rigor,
                      char text[WEFT_KEY_TEXT]);
/* "c2c 256x256x256 transposed-out": what it is, without where. */
void weft_problem_name(const weft_problem *problem, char *text, size_t room);
/* "slab-8-through-4x2", "grid-4x2-through-8": how the array is divided, and the grid that it goes
 * through where that is another (axes 0: none). */
void weft_problem_shape(const weft_problem *problem, const weft_process_grid *through, char *text,
                        size_t room);
/* The first words of what MPI_Get_library_version says, without blanks. */
void weft_mpi_name(const char *version, char *text, size_t room);

#endif
