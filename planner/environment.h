/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a problem is planned: what decisions depend on beside the problem. */
#ifndef WEFT_ENVIRONMENT_H
#define WEFT_ENVIRONMENT_H

#include "planner/problem.h"
#include "planner/search/model.h"

typedef struct {
    const char *precision;
    char mpi[64];       /* library and version */
    char fftw[96];      /* version and instruction sets */
    char processor[96]; /* of this rank, or as the user says; "" when not known */
    uint64_t placement; /* of ranks on nodes: weft_nodes_placement */
    weft_machine machine;
    weft_process_grid between; /* the user's wish for pencils between slabs */
} weft_environment;

/* Collective, and the same on all ranks; false and an error when it cannot be known. `machine` is
 * what the user says of it, or NULL. */
bool weft_environment_find(MPI_Comm comm, const char *precision, const char *fftw,
                           const char *machine, weft_environment *environment);
/* The same where arrays lie on a device: that is what counts, not the processor. */
void weft_environment_on(weft_environment *environment, const weft_device *device);
/* A name or a version up to its first comma or line end, without blanks: a word for a key. */
void weft_plain_word(const char *name, char *text, size_t room);
/* Adds what a line of /proc/cpuinfo says of the processor's model, if it does. */
void weft_processor_add(const char *line, char *text, size_t room);

#endif
