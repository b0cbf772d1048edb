/* SPDX-License-Identifier: BSD-3-Clause */
/* Where is planned: what the machine looks like to a communicator. Collective, the same on all
 * ranks; false and an error when it cannot be known. */
#ifndef WEFT_WHERE_H
#define WEFT_WHERE_H

#include "decision.h"
#include "model.h"

bool weft_where_find(MPI_Comm comm, const char *precision, weft_where *where,
                     weft_machine *machine);

#endif
