/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations that the files of libweft-cuda share. libweft-hip is the same files, compiled with
 * WEFT_HIP. */
#ifndef WEFT_CUDA_INSIDE_H
#define WEFT_CUDA_INSIDE_H

#ifdef WEFT_HIP
#include "kernels/cuda/hip.h"
#else
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cufft.h>
#endif
#include "kernels/cuda/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Stores the reason of an error for this thread; returns false. */
bool weft_cuda_set_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns true if there was no error. Otherwise stores the reason and clears CUDA's last error, so
 * that no later call reports it again. */
bool weft_cuda_check(cudaError_t error, const char *call);
/* The reason that was stored last. */
const char *weft_cuda_why(void);

struct weft_queue {
    cudaStream_t stream;
    bool adopted;
};

/* kernels.cu: functions that start kernels in a stream. */
cudaError_t weft_cuda_start_copy(const weft_cuda_sweep *sweep, const void *from, void *to,
                                 cudaStream_t stream);
cudaError_t weft_cuda_start_factors(const weft_turns *turns, void *array, cudaStream_t stream);
/* Whether the kernels have code for the current device. */
cudaError_t weft_cuda_kernels_fit(void);

/* The functions of the table, by file. */
int weft_cuda_where(const void *array);
void *weft_cuda_allocate(size_t bytes);
void weft_cuda_release(void *memory);
void *weft_cuda_allocate_pinned(size_t bytes);
void weft_cuda_release_pinned(void *memory);
bool weft_cuda_memory_export(void *memory, char handle[WEFT_DEVICE_HANDLE]);
void *weft_cuda_memory_import(const char handle[WEFT_DEVICE_HANDLE]);
void weft_cuda_memory_close(void *imported);

weft_queue *weft_cuda_queue_create(void);
weft_queue *weft_cuda_queue_adopt(void *stream);
void *weft_cuda_queue_stream(weft_queue *queue);
void weft_cuda_queue_destroy(weft_queue *queue);
bool weft_cuda_queue_wait(weft_queue *queue);
weft_device_event *weft_cuda_event_create(bool between_processes);
void weft_cuda_event_destroy(weft_device_event *event);
bool weft_cuda_event_record(weft_device_event *event, weft_queue *queue);
bool weft_cuda_event_wait_for(weft_device_event *event, weft_queue *queue);
bool weft_cuda_event_await(weft_device_event *event);
bool weft_cuda_event_export(weft_device_event *event, char handle[WEFT_DEVICE_HANDLE]);
weft_device_event *weft_cuda_event_import(const char handle[WEFT_DEVICE_HANDLE]);

weft_device_transform *weft_cuda_transform_create(const weft_device_spec *spec, size_t *work);
bool weft_cuda_transform_run(weft_device_transform *transform, const void *in, void *out,
                             void *work, weft_queue *queue);
void weft_cuda_transform_destroy(weft_device_transform *transform);

#ifdef __cplusplus
}
#endif

#endif
