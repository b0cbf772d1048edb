/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_LIMITS_H
#define WEFT_LIMITS_H

/* The largest number of axes of an array, including the axis of `howmany`. weft-backend.h repeats
 * this line, because plug-ins use that header alone. */
#define WEFT_MAX_AXES 32

#endif
