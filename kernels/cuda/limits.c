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
    const bool c2r = spec->kind == WEFT_DEVICE_C2R, c2c = spec->kind == WEFT_DEVICE_C2C;
    const ptrdiff_t *real = c2r ? spec->out_embed : spec->in_embed;
    const ptrdiff_t *complex = c2r ? spec->in_embed : spec->out_embed;
    const ptrdiff_t real_distance = c2r ? spec->out_distance : spec->in_distance;
    const ptrdiff_t complex_distance = c2r ? spec->in_distance : spec->out_distance;
    if (spec->in_stride != spec->out_stride || (!c2c && spec->in_stride != 1))
        return false;
    for (int k = 1; k < spec->axes; k++)
        if (real[k] != (k == spec->axes - 1 && !c2c ? 2 : 1) * complex[k])
            return false;
    return spec->batch == 1 || real_distance == (c2c ? 1 : 2) * complex_distance;
}

const char *weft_cuda_why_refused(const weft_device_spec *spec)
{
    if (spec->axes < 1 || spec->axes > 3)
        return "a transform has 1 to 3 axes";
    for (int k = 0; k < spec->axes; k++)
        if (spec->size[k] < 1 || spec->batch < 1)
            return "sizes and batches are at least 1";
    if (spec->kind != WEFT_DEVICE_C2C && spec->sign != (spec->kind == WEFT_DEVICE_C2R ? 1 : -1))
        return "r2c is forward and c2r is backward";
    if (spec->in_stride < 1 || spec->out_stride < 1)
        return "strides are at least 1";
    if (overlaps(spec, false) || overlaps(spec, true))
        return "numbers of an array share an address";
    if (spec->in_place && !fits_in_place(spec))
        return "in place, the input and the output must have the same layout";
    return NULL;
}
