/* SPDX-License-Identifier: BSD-3-Clause */
/* The error text of libweft-cuda, one for each thread. */
#include <stdarg.h>
#include <stdio.h>
#include "kernels/cuda/inside.h"

static _Thread_local char reason[512];

bool weft_cuda_set_error(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(reason, sizeof reason, format, values);
    va_end(values);
    return false;
}

bool weft_cuda_check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess)
        return true;
    cudaGetLastError(); /* clears the error if CUDA can clear it */
    return weft_cuda_set_error("%s: %s", call, cudaGetErrorString(error));
}

const char *weft_cuda_why(void)
{
    return reason;
}
