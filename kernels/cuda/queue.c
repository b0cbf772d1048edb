/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues and events of libweft-cuda: CUDA streams and events. A stream of Weft's synchronizes with
 * the default stream, because the program's kernels that write and read its arrays mostly run
 * there.
 */
#include <stdlib.h>
#include <string.h>
#include "kernels/cuda/inside.h"

struct weft_mark {
    cudaEvent_t event;
};

/* Queues. */

static weft_queue *queue_of(cudaStream_t stream, bool adopted)
{
    weft_queue *queue = malloc(sizeof *queue);
    if (queue)
        *queue = (weft_queue){stream, adopted};
    else
        weft_cuda_fails("no memory");
    return queue;
}

weft_queue *weft_cuda_queue_create(void)
{
    cudaStream_t stream;
    if (!weft_cuda_went(cudaStreamCreateWithFlags(&stream, cudaStreamDefault),
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
    if (!weft_cuda_went(cudaStreamGetFlags(stream, &flags), "the stream"))
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
        weft_cuda_went(cudaStreamDestroy(queue->stream), "cudaStreamDestroy");
    free(queue);
}

bool weft_cuda_queue_wait(weft_queue *queue)
{
    return weft_cuda_went(cudaStreamSynchronize(queue->stream), "cudaStreamSynchronize");
}

/* Marks. */

static weft_mark *mark_of(cudaEvent_t event)
{
    weft_mark *mark = malloc(sizeof *mark);
    if (mark) {
        *mark = (weft_mark){event};
        return mark;
    }
    cudaEventDestroy(event);
    weft_cuda_fails("no memory");
    return NULL;
}

weft_mark *weft_cuda_mark_create(bool between_processes)
{
    cudaEvent_t event;
    unsigned flags = between_processes ? cudaEventInterprocess | cudaEventDisableTiming
                                       : (unsigned)cudaEventDefault;
    return weft_cuda_went(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags")
               ? mark_of(event)
               : NULL;
}

void weft_cuda_mark_destroy(weft_mark *mark)
{
    if (mark)
        weft_cuda_went(cudaEventDestroy(mark->event), "cudaEventDestroy");
    free(mark);
}

bool weft_cuda_mark_set(weft_mark *mark, weft_queue *queue)
{
    return weft_cuda_went(cudaEventRecord(mark->event, queue->stream), "cudaEventRecord");
}

bool weft_cuda_mark_wait_for(weft_mark *mark, weft_queue *queue)
{
    return weft_cuda_went(cudaStreamWaitEvent(queue->stream, mark->event, 0),
                          "cudaStreamWaitEvent");
}

bool weft_cuda_mark_await(weft_mark *mark)
{
    return weft_cuda_went(cudaEventSynchronize(mark->event), "cudaEventSynchronize");
}

/* Between processes. */

_Static_assert(sizeof(cudaIpcEventHandle_t) <= WEFT_DEVICE_HANDLE, "a handle of an event fits");

bool weft_cuda_mark_export(weft_mark *mark, char handle[WEFT_DEVICE_HANDLE])
{
    cudaIpcEventHandle_t its;
    if (!weft_cuda_went(cudaIpcGetEventHandle(&its, mark->event), "cudaIpcGetEventHandle"))
        return false;
    memset(handle, 0, WEFT_DEVICE_HANDLE);
    memcpy(handle, &its, sizeof its);
    return true;
}

weft_mark *weft_cuda_mark_import(const char handle[WEFT_DEVICE_HANDLE])
{
    cudaIpcEventHandle_t its;
    cudaEvent_t event;
    memcpy(&its, handle, sizeof its);
    return weft_cuda_went(cudaIpcOpenEventHandle(&event, its), "cudaIpcOpenEventHandle")
               ? mark_of(event)
               : NULL;
}
