/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations that the files of libweft-cuda share. libweft-hip is the same files, compiled with
 * WEFT_HIP. */
#ifndef WEFT_CUDA_INSIDE_H
#define WEFT_CUDA_INSIDE_H

/* GPU(Malloc) is cudaMalloc or hipMalloc, GPUFFT(Create) is cufftCreate or hipfftCreate, and
 * GPUFFT_VALUE(C2C) is CUFFT_C2C or HIPFFT_C2C. */
#ifdef WEFT_HIP
#include "kernels/cuda/hip.h"
#define GPU_PREFIX         "hip"
#define GPU(name)          hip##name
#define GPUFFT_PREFIX      "hipfft"
#define GPUFFT(name)       hipfft##name
#define GPUFFT_VALUE(name) HIPFFT_##name
#else
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cufft.h>
#define GPU_PREFIX         "cuda"
#define GPU(name)          cuda##name
#define GPUFFT_PREFIX      "cufft"
#define GPUFFT(name)       cufft##name
#define GPUFFT_VALUE(name) CUFFT_##name
#endif
#include "kernels/cuda/kernels.h"

/* TRY(Free, memory) calls GPU(Free) and returns true if there was no error. Otherwise it stores the
 * function's name and the reason. */
#define TRY(name, ...) weft_cuda_check(GPU(name)(__VA_ARGS__), GPU_PREFIX #name)

#ifdef __cplusplus
extern "C" {
#endif

/* memory.c: stores the reason of an error for this thread; returns false. */
bool weft_cuda_set_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns true if there was no error. Otherwise stores the reason and clears CUDA's last error, so
 * that no later call reports it again. */
bool weft_cuda_check(GPU(Error_t) error, const char *call);
/* The reason that was stored last. */
const char *weft_cuda_why(void);

/* kernels.cu: functions that start kernels in a stream. */
GPU(Error_t)
weft_cuda_start_copy(const weft_cuda_sweep *sweep, const void *from, void *to,
                     GPU(Stream_t) stream);
GPU(Error_t) weft_cuda_start_factors(const weft_turns *turns, void *array, GPU(Stream_t) stream);
/* Whether the kernels have code for the current device. */
GPU(Error_t) weft_cuda_kernels_fit(void);

/* memory.c: functions of the table. */
int weft_cuda_where(const void *array);
void *weft_cuda_allocate(size_t bytes);
void weft_cuda_release(void *memory);
void *weft_cuda_allocate_pinned(size_t bytes);
void weft_cuda_release_pinned(void *memory);
bool weft_cuda_memory_export(void *memory, char handle[WEFT_DEVICE_HANDLE]);
void *weft_cuda_memory_import(const char handle[WEFT_DEVICE_HANDLE]);
void weft_cuda_memory_close(void *imported);

#ifdef __cplusplus
}
#endif

#endif
