/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment of a plan: the library versions, the machine and the placement of the ranks.
 * Decisions depend on the environment as well as on the problem, so keys of wisdom contain it. */
#ifndef WEFT_ENVIRONMENT_H
#define WEFT_ENVIRONMENT_H

#include "planner/problem.h"
#include "planner/search/model.h"

typedef struct {
    const char *precision;
    char mpi[64];       /* MPI library and its version */
    char fftw[96];      /* FFTW's version and instruction sets */
    char processor[96]; /* this rank's model, or the user's WEFT_MACHINE; "" when unknown */
    uint64_t placement; /* how ranks lie on nodes: weft_nodes_placement */
    weft_machine machine;
    /* WEFT_GRID: the process grid for pencils between slabs; 0 axes: none */
    weft_process_grid between;
} weft_environment;

/* Fills the environment. Collective; all ranks return the same value, false with an error when the
 * environment cannot be found. `machine` is the value of WEFT_MACHINE, which replaces the name of
 * the processor; NULL: none. */
bool weft_environment_find(MPI_Comm comm, const char *precision, const char *fftw,
                           const char *machine, weft_environment *environment);
/* Replaces the name of the processor by the name of the device, for plans whose arrays lie on a
 * device. */
void weft_environment_on(weft_environment *environment, const weft_device *device);
/* Turns a name or a version into one word for a key: reads up to the first comma or line end and
 * replaces blanks and other special characters by hyphens. */
void weft_plain_word(const char *name, char *text, size_t capacity);
/* Appends the value of a line of /proc/cpuinfo to `text` if the line describes the processor's
 * model. */
void weft_processor_add(const char *line, char *text, size_t capacity);

#endif
