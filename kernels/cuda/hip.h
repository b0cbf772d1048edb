/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of CUDA and cuFFT that libweft-hip replaces by the names of HIP and hipFFT. */
#ifndef WEFT_CUDA_HIP_H
#define WEFT_CUDA_HIP_H

#include <hip/hip_runtime.h>
#include <hipfft/hipfft.h>

#define CUDART_VERSION                  (HIP_VERSION_MAJOR * 1000 + HIP_VERSION_MINOR * 10)
#define cudaDeviceProp                  hipDeviceProp_t
#define cudaDriverGetVersion            hipDriverGetVersion
#define cudaError_t                     hipError_t
#define cudaErrorNoKernelImageForDevice hipErrorNoBinaryForGpu
#define cudaErrorUnsupportedPtxVersion  hipErrorSharedObjectInitFailed
#define cudaEventCreateWithFlags        hipEventCreateWithFlags
#define cudaEventDefault                hipEventDefault
#define cudaEventDestroy                hipEventDestroy
#define cudaEventDisableTiming          hipEventDisableTiming
#define cudaEventInterprocess           hipEventInterprocess
#define cudaEventRecord                 hipEventRecord
#define cudaEventSynchronize            hipEventSynchronize
#define cudaEvent_t                     hipEvent_t
#define cudaFree                        hipFree
#define cudaFreeHost                    hipHostFree
#define cudaFuncAttributes              hipFuncAttributes
#define cudaFuncGetAttributes           hipFuncGetAttributes
#define cudaGetDevice                   hipGetDevice
#define cudaGetDeviceCount              hipGetDeviceCount
#define cudaGetDeviceProperties         hipGetDeviceProperties
#define cudaGetErrorString              hipGetErrorString
#define cudaGetLastError                hipGetLastError
#define cudaHostAlloc                   hipHostMalloc
#define cudaHostAllocPortable           hipHostMallocPortable
#define cudaIpcCloseMemHandle           hipIpcCloseMemHandle
#define cudaIpcEventHandle_t            hipIpcEventHandle_t
#define cudaIpcGetEventHandle           hipIpcGetEventHandle
#define cudaIpcGetMemHandle             hipIpcGetMemHandle
#define cudaIpcMemHandle_t              hipIpcMemHandle_t
#define cudaIpcMemLazyEnablePeerAccess  hipIpcMemLazyEnablePeerAccess
#define cudaIpcOpenEventHandle          hipIpcOpenEventHandle
#define cudaIpcOpenMemHandle            hipIpcOpenMemHandle
#define cudaMalloc                      hipMalloc
#define cudaMemGetInfo                  hipMemGetInfo
#define cudaMemcpyAsync                 hipMemcpyAsync
#define cudaMemcpyDefault               hipMemcpyDefault
#define cudaRuntimeGetVersion           hipRuntimeGetVersion
#define cudaSetDevice                   hipSetDevice
#define cudaStreamCreateWithFlags       hipStreamCreateWithFlags
#define cudaStreamDefault               hipStreamDefault
#define cudaStreamDestroy               hipStreamDestroy
#define cudaStreamGetFlags              hipStreamGetFlags
#define cudaStreamSynchronize           hipStreamSynchronize
#define cudaStreamWaitEvent             hipStreamWaitEvent
#define cudaStream_t                    hipStream_t
#define cudaSuccess                     hipSuccess

#define CUFFT_C2C              HIPFFT_C2C
#define CUFFT_C2R              HIPFFT_C2R
#define CUFFT_D2Z              HIPFFT_D2Z
#define CUFFT_FORWARD          HIPFFT_FORWARD
#define CUFFT_INVERSE          HIPFFT_BACKWARD
#define CUFFT_R2C              HIPFFT_R2C
#define CUFFT_SUCCESS          HIPFFT_SUCCESS
#define CUFFT_Z2D              HIPFFT_Z2D
#define CUFFT_Z2Z              HIPFFT_Z2Z
#define cufftCreate            hipfftCreate
#define cufftDestroy           hipfftDestroy
#define cufftExecC2C           hipfftExecC2C
#define cufftExecC2R           hipfftExecC2R
#define cufftExecD2Z           hipfftExecD2Z
#define cufftExecR2C           hipfftExecR2C
#define cufftExecZ2D           hipfftExecZ2D
#define cufftExecZ2Z           hipfftExecZ2Z
#define cufftHandle            hipfftHandle
#define cufftMakePlanMany64    hipfftMakePlanMany64
#define cufftResult            hipfftResult
#define cufftSetAutoAllocation hipfftSetAutoAllocation
#define cufftSetStream         hipfftSetStream
#define cufftSetWorkArea       hipfftSetWorkArea
#define cufftType              hipfftType

#endif
