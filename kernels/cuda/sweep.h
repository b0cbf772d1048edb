/* SPDX-License-Identifier: BSD-3-Clause */
/* Translates a strided copy, or twiddle factors, into the parameters of the kernels, with as few
 * axes and as large units as possible. */
#ifndef WEFT_CUDA_SWEEP_H
#define WEFT_CUDA_SWEEP_H

#include "kernels/cuda/kernels.h"

weft_cuda_sweep weft_sweep_of_copy(const weft_strided_copy *copy, const void *from, const void *to);
weft_turns weft_turns_of_factors(const weft_device_factors *factors);

#endif
