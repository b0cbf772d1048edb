/* SPDX-License-Identifier: BSD-3-Clause */
/* HIP and hipFFT, and what differs from CUDA by more than the prefix. */
#ifndef WEFT_CUDA_HIP_H
#define WEFT_CUDA_HIP_H

#include <hip/hip_runtime.h>
#include <hipfft/hipfft.h>

#define CUDART_VERSION                 (HIP_VERSION_MAJOR * 1000 + HIP_VERSION_MINOR * 10)
#define hipDeviceProp                  hipDeviceProp_t
#define hipErrorNoKernelImageForDevice hipErrorNoBinaryForGpu
#define hipErrorUnsupportedPtxVersion  hipErrorSharedObjectInitFailed
#define hipFreeHost                    hipHostFree
#define hipHostAlloc                   hipHostMalloc
#define hipHostAllocPortable           hipHostMallocPortable
#define HIPFFT_INVERSE                 HIPFFT_BACKWARD

#endif
