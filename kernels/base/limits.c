/* SPDX-License-Identifier: BSD-3-Clause */
/* The largest value that Weft passes in an int argument of MPI; only tests lower it. */
#include "kernels/base/limits.h"

#include <limits.h>

static ptrdiff_t lowered;

ptrdiff_t weft_limit(void)
{
    return lowered ? lowered : INT_MAX;
}

void weft_limit_set(ptrdiff_t limit)
{
    lowered = limit > 0 && limit < INT_MAX ? limit : 0;
}
