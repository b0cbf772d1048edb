/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes for pieces and for any number of bytes: no count or displacement of theirs overflows an
 * int. */
#ifndef WEFT_TYPES_H
#define WEFT_TYPES_H

#include <stdbool.h>
#include "backends/weft-backend.h"

/* `type`, `count` times, `step` bytes apart. `most` is the largest count of one MPI call. 0:
 * failed. */
int weft_type_repeat(ptrdiff_t count, ptrdiff_t step, MPI_Datatype type, ptrdiff_t most,
                     MPI_Datatype *repeated);
/* See weft_services. */
int weft_type_piece(const weft_exchange *exchange, const weft_piece *piece, MPI_Datatype *type);
int weft_type_bytes(ptrdiff_t bytes, MPI_Datatype *type);

#endif
