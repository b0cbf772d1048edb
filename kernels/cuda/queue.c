/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues and events of libweft-cuda: CUDA streams and events. A stream of Weft's synchronizes with
 * the default stream, because the program's kernels that write and read its arrays mostly run
 * there.
 */
#include <stdlib.h>
#include <string.h>
#include "kernels/cuda/inside.h"

struct weft_device_event {
    cudaEvent_t event;
};

/* Queues. */

static weft_queue *queue_of(cudaStream_t stream, bool adopted)
{
    weft_queue *queue = malloc(sizeof *queue);
    if (queue)
        *queue = (weft_queue){stream, adopted};
    else
        weft_cuda_set_error("no memory");
    return queue;
}

weft_queue *weft_cuda_queue_create(void)
{
    cudaStream_t stream;
    if (!weft_cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamDefault),
                         "cudaStreamCreateWithFlags"))
        return NULL;
    weft_queue *queue = queue_of(stream, false);
    if (!queue)
        cudaStreamDestroy(stream);
    return queue;
}

/* Reports an invalid stream now, if CUDA detects it. */
weft_queue *weft_cuda_queue_adopt(void *stream)
{
    unsigned flags;
    if (!weft_cuda_check(cudaStreamGetFlags(stream, &flags), "the stream"))
        return NULL;
    return queue_of(stream, true);
}

void *weft_cuda_queue_stream(weft_queue *queue)
{
    return queue->stream;
}

void weft_cuda_queue_destroy(weft_queue *queue)
{
    if (queue && !queue->adopted)
        weft_cuda_check(cudaStreamDestroy(queue->stream), "cudaStreamDestroy");
    free(queue);
}

bool weft_cuda_queue_wait(weft_queue *queue)
{
    return weft_cuda_check(cudaStreamSynchronize(queue->stream), "cudaStreamSynchronize");
}

/* Events. */

static weft_device_event *event_of(cudaEvent_t event)
{
    weft_device_event *it = malloc(sizeof *it);
    if (it) {
        *it = (weft_device_event){event};
        return it;
    }
    cudaEventDestroy(event);
    weft_cuda_set_error("no memory");
    return NULL;
}

weft_device_event *weft_cuda_event_create(bool between_processes)
{
    cudaEvent_t event;
    unsigned flags = between_processes ? cudaEventInterprocess | cudaEventDisableTiming
                                       : (unsigned)cudaEventDefault;
    return weft_cuda_check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags")
               ? event_of(event)
               : NULL;
}

void weft_cuda_event_destroy(weft_device_event *it)
{
    if (it)
        weft_cuda_check(cudaEventDestroy(it->event), "cudaEventDestroy");
    free(it);
}

bool weft_cuda_event_record(weft_device_event *it, weft_queue *queue)
{
    return weft_cuda_check(cudaEventRecord(it->event, queue->stream), "cudaEventRecord");
}

bool weft_cuda_event_wait_for(weft_device_event *it, weft_queue *queue)
{
    return weft_cuda_check(cudaStreamWaitEvent(queue->stream, it->event, 0), "cudaStreamWaitEvent");
}

bool weft_cuda_event_await(weft_device_event *it)
{
    return weft_cuda_check(cudaEventSynchronize(it->event), "cudaEventSynchronize");
}

/* Between processes. */

_Static_assert(sizeof(cudaIpcEventHandle_t) <= WEFT_DEVICE_HANDLE, "a handle of an event fits");

bool weft_cuda_event_export(weft_device_event *it, char handle[WEFT_DEVICE_HANDLE])
{
    cudaIpcEventHandle_t its;
    if (!weft_cuda_check(cudaIpcGetEventHandle(&its, it->event), "cudaIpcGetEventHandle"))
        return false;
    memset(handle, 0, WEFT_DEVICE_HANDLE);
    memcpy(handle, &its, sizeof its);
    return true;
}

weft_device_event *weft_cuda_event_import(const char handle[WEFT_DEVICE_HANDLE])
{
    cudaIpcEventHandle_t its;
    cudaEvent_t event;
    memcpy(&its, handle, sizeof its);
    return weft_cuda_check(cudaIpcOpenEventHandle(&event, its), "cudaIpcOpenEventHandle")
               ? event_of(event)
               : NULL;
}
