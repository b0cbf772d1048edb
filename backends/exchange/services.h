/* SPDX-License-Identifier: BSD-3-Clause */
/* What Weft does for a backend: copies of pieces, datatypes, errors; see weft_services. */
#ifndef WEFT_SERVICES_H
#define WEFT_SERVICES_H

#include "backends/weft-backend.h"

extern const weft_services weft_services_ours;

/* `type`, `count` times, `step` bytes apart. `most` is the largest count of one MPI call. 0:
 * failed. */
int weft_type_repeat(ptrdiff_t count, ptrdiff_t step, MPI_Datatype type, ptrdiff_t most,
                     MPI_Datatype *repeated);

#endif
