/* SPDX-License-Identifier: BSD-3-Clause */
/* How a rank that talks with nobody carries out its exchange, whatever the backend of the others.
 */
#ifndef WEFT_ALONE_H
#define WEFT_ALONE_H

#include "weft-backend.h"

extern const weft_backend weft_alone;

#endif
