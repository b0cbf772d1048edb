/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of CUDA's runtime that the example calls, implemented by the stand-in that
 * WEFT_DEVICE names. The example then runs without a GPU and without CUDA. */
#ifndef STANDIN_CUDA_RUNTIME_H
#define STANDIN_CUDA_RUNTIME_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "kernels/device/device.h"

typedef bool cudaError_t; /* whether it failed */
enum { cudaSuccess = false };
enum { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

static const weft_device_library *standin(void)
{
    const char *name = getenv("WEFT_DEVICE");
    void *module = name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
    const weft_device_library *library = module ? dlsym(module, WEFT_DEVICE_SYMBOL) : NULL;
    if (!library) {
        fprintf(stderr, "no stand-in: %s\n", name ? dlerror() : "WEFT_DEVICE is not set");
        exit(EXIT_FAILURE);
    }
    return library;
}

static const char *cudaGetErrorString(cudaError_t error)
{
    return error ? standin()->why() : "no error";
}

static cudaError_t cudaGetDeviceCount(int *devices)
{
    *devices = standin()->count();
    return *devices == 0;
}

static cudaError_t cudaSetDevice(int device)
{
    return !standin()->use(device);
}

static cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    return (*memory = standin()->allocate(bytes)) == NULL;
}

static cudaError_t cudaFree(void *memory)
{
    standin()->release(memory);
    return cudaSuccess;
}

static cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    return (*memory = standin()->allocate_pinned(bytes)) == NULL;
}

static cudaError_t cudaFreeHost(void *memory)
{
    standin()->release_pinned(memory);
    return cudaSuccess;
}

static cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    (void)kind;
    weft_queue *queue = standin()->queue_adopt(NULL);
    bool fine = queue && standin()->copy(to, from, bytes, queue) && standin()->queue_wait(queue);
    standin()->queue_destroy(queue);
    return !fine;
}

#endif
