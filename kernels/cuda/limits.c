/* SPDX-License-Identifier: BSD-3-Clause */
/* What cuFFT cannot do. Weft checks it when it makes a transform, because cuFFT reports some of it
 * only when the transform runs, and computes wrong numbers in other cases. */
#include "kernels/cuda/kernels.h"

/* Whether two numbers of a side have the same address. Axes go from the smallest stride to the
 * largest: each stride must exceed the reach of all axes before it. */
static bool overlaps(const weft_device_spec *spec, bool output)
{
    const ptrdiff_t *embed = output ? spec->out_embed : spec->in_embed;
    const bool half = spec->kind == (output ? WEFT_DEVICE_R2C : WEFT_DEVICE_C2R);
    ptrdiff_t count[4] = {spec->batch}, reach = 0;
    ptrdiff_t stride[4] = {output ? spec->out_distance : spec->in_distance};
    ptrdiff_t step = output ? spec->out_stride : spec->in_stride;
    for (int k = spec->axes - 1; k >= 0; step *= embed[k--]) {
        int at = spec->axes - k;
        for (; at > 0 && stride[at - 1] > step; at--) {
            count[at] = count[at - 1];
            stride[at] = stride[at - 1];
        }
        count[at] = half && k == spec->axes - 1 ? spec->size[k] / 2 + 1 : spec->size[k];
        stride[at] = step;
    }
    for (int k = 0; k <= spec->axes; k++) {
        if (count[k] > 1 && stride[k] <= reach)
            return true;
        reach += (count[k] - 1) * stride[k];
    }
    return false;
}

/* Whether both sides have the same layout, with two real numbers in the place of a complex one. */
static bool fits_in_place(const weft_device_spec *spec)
{
    const ptrdiff_t in = spec->kind == WEFT_DEVICE_R2C ? 2 : 1;
    const ptrdiff_t out = spec->kind == WEFT_DEVICE_C2R ? 2 : 1;
    const int last = spec->axes - 1;
    if (spec->in_stride != spec->out_stride || (in != out && spec->in_stride != 1))
        return false;
    for (int k = 1; k < last; k++)
        if (spec->in_embed[k] != spec->out_embed[k])
            return false;
    return (last == 0 || spec->in_embed[last] * out == spec->out_embed[last] * in) &&
           (spec->batch == 1 || spec->in_distance * out == spec->out_distance * in);
}

const char *weft_cuda_why_refused(const weft_device_spec *spec)
{
    if (overlaps(spec, false) || overlaps(spec, true))
        return "numbers of an array share an address";
    if (spec->in_place && !fits_in_place(spec))
        return "in place, the input and the output must have the same layout";
    return NULL;
}
