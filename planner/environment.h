/* SPDX-License-Identifier: BSD-3-Clause */
/* Where is planned: what the machine looks like to a communicator. Collective, the same on all
 * ranks; false and an error when it cannot be known. */
#ifndef WEFT_WHERE_H
#define WEFT_WHERE_H

#include "planner/wisdom/decision.h"
#include "planner/search/model.h"

bool weft_environment_find(MPI_Comm comm, const char *precision, weft_environment *environment,
                           weft_machine *machine);

#endif
