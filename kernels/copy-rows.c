/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of long units: rows. memcpy is as fast as anything within the caches, but decides call by
 * call whether to stream, so a large copy made of short rows never would.
 */
#include <string.h>
#include "copy-plan.h"
#include "stream.h"

static void ordinary(const weft_copy *copy, const char *from, char *to)
{
    weft_copy_axis axis = copy->axes ? copy->axis[copy->axes - 1] : (weft_copy_axis){.count = 1};
    for (ptrdiff_t i = 0; i < axis.count; i++)
        memcpy(to + i * axis.to, from + i * axis.from, copy->unit);
}

static void streaming(const weft_copy *copy, const char *from, char *to)
{
    weft_copy_axis axis = copy->axes ? copy->axis[copy->axes - 1] : (weft_copy_axis){.count = 1};
    for (ptrdiff_t i = 0; i < axis.count; i++)
        weft_stream_copy(to + i * axis.to, from + i * axis.from, copy->unit);
}

weft_copy_kernel *weft_copy_rows(const weft_copy *copy)
{
    return copy->stream ? streaming : ordinary;
}
