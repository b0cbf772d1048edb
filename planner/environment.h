/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a problem is planned: what decisions depend on beside the problem. */
#ifndef WEFT_ENVIRONMENT_H
#define WEFT_ENVIRONMENT_H

#include "planner/problem.h"
#include "planner/search/model.h"

typedef struct {
    const char *precision;
    char mpi[64]; /* library and version */
    weft_machine machine;
    weft_process_grid between; /* the user's wish for pencils between slabs */
} weft_environment;

/* Collective, and the same on all ranks; false and an error when it cannot be known. */
bool weft_environment_find(MPI_Comm comm, const char *precision, weft_environment *environment);
/* The first words of what MPI_Get_library_version says, without blanks. */
void weft_mpi_name(const char *version, char *text, size_t room);

#endif
