/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A decision describes the schedule that was chosen for a problem, so that wisdom can keep it. A
 * key is text that identifies the problem and its environment.
 */
#ifndef WEFT_DECISION_H
#define WEFT_DECISION_H

#include "planner/settings.h"
#include "planner/path/path.h"
#include "planner/problem.h"
#include "planner/search/model.h"

/* The environment of a plan: the library versions, the machine and the placement of the ranks.
 * Decisions depend on it as well as on the problem. */
typedef struct {
    const char *precision;
    char mpi[64];       /* MPI library and its version */
    char fftw[96];      /* FFTW's version and instruction sets */
    char processor[96]; /* this rank's model, or the user's WEFT_MACHINE; "" when unknown */
    uint64_t placement; /* how ranks are placed on nodes: weft_nodes_placement */
    weft_machine machine;
    /* WEFT_GRID: the process grid for pencils between slabs; 0 axes: none */
    weft_process_grid between;
} weft_environment;

/* Fills the environment. Collective; all ranks return the same value, false with an error when the
 * environment cannot be found. The name of the processor is replaced by `machine`, the value of
 * WEFT_MACHINE, if not NULL, or by the device that has the problem's arrays. */
bool weft_environment_find(const weft_problem *problem, const char *precision, const char *fftw,
                           const char *machine, weft_environment *environment);
/* Turns a name or a version into one word for a key: reads up to the first comma or line end and
 * replaces blanks and other special characters by hyphens. */
void weft_plain_word(const char *name, char *text, size_t capacity);
/* Appends the value of a line of /proc/cpuinfo to `text` if the line describes the processor's
 * model. */
void weft_processor_add(const char *line, char *text, size_t capacity);

enum { WEFT_DECISION_TEXT = 2048, WEFT_PASSES_TEXT = 1024 };
enum { WEFT_KEY_TEXT = WEFT_PROBLEM_TEXT + 1024 };

typedef struct {
    int path; /* the index of the schedule's path (weft_search.chosen) */
    int exchanges;
    weft_method method[WEFT_MAX_STAGES];
    char passes[WEFT_PASSES_TEXT]; /* the variant of each pass; "" when unknown */
    double seconds;                /* seconds of one run; 0: not timed */
} weft_decision;

void weft_decision_write(const weft_decision *decision, char text[WEFT_DECISION_TEXT]);
/* False when the text is damaged or names a backend that is not loaded. */
bool weft_decision_read(const char *text, weft_decision *decision);

/* The rigor in FFTW's flags, from 0 ESTIMATE to 3 EXHAUSTIVE. */
int weft_rigor(unsigned flags);
extern const char *const weft_rigor_name[];
/* Writes the key of a problem planned with this rigor. The key begins with the problem's text and
 * ends with the rigor. It is the same on all ranks except for the processor. */
void weft_problem_key(const weft_problem *problem, const weft_environment *environment, int rigor,
                      char text[WEFT_KEY_TEXT]);
/* Changes the rigor in a key. */
void weft_key_change_rigor(char text[WEFT_KEY_TEXT], int rigor);
/* Writes how the array is divided: "slab-8-through-4x2", "grid-4x2-through-8",
 * "grid-4x2:column-major". `through` is the grid in the middle of the path if it differs (0 axes:
 * none). */
void weft_problem_shape(const weft_problem *problem, const weft_process_grid *through, char *text,
                        size_t capacity);

#endif
