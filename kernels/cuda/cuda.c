/* SPDX-License-Identifier: BSD-3-Clause */
/* libweft-cuda and libweft-hip: a device library (kernels/device/device.h) with CUDA's runtime and
 * cuFFT, or with HIP's and hipFFT. This file has its table and its devices. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "kernels/cuda/inside.h"
#include "kernels/cuda/sweep.h"

#ifdef WEFT_HIP
static const char maker[] = "HIP", asks_mpi[] = "MPIX_Query_hip_support";
#else /* Open MPI, MPICH and MPICH's relatives all have this function. */
static const char maker[] = "CUDA", asks_mpi[] = "MPIX_Query_cuda_support";
#endif

/* Devices. */

static int count(void)
{
    int devices = 0;
    return weft_cuda_check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount") ? devices : 0;
}

static int current(void)
{
    int device = -1;
    return weft_cuda_check(cudaGetDevice(&device), "cudaGetDevice") ? device : -1;
}

static bool use(int device)
{
    return weft_cuda_check(cudaSetDevice(device), "cudaSetDevice");
}

enum { NAMED = 64, NAME = 256 };

/* Gets the name of a device; the caller keeps it, because getting the properties of a device is
 * slow. */
static bool name_of(int device, char name[NAME])
{
    struct cudaDeviceProp properties;
    if (!weft_cuda_check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties"))
        return false;
    snprintf(name, NAME, "%s", properties.name);
    for (char *at = name; (at = strpbrk(at, ",;\"'\n")) != NULL;)
        *at = ' ';
    return true;
}

static const char *describe(int device)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char names[NAMED][NAME];
    if (device < 0 || device >= NAMED)
        return "GPU";
    pthread_mutex_lock(&lock);
    bool known = names[device][0] || name_of(device, names[device]);
    pthread_mutex_unlock(&lock);
    return known ? names[device] : "GPU";
}

/* A driver runs programs that were built for its own major release or for an earlier one. */
static bool driver_is_new_enough(void)
{
    int driver = 0, runtime = 0;
    if (!weft_cuda_check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion") ||
        !weft_cuda_check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion"))
        return false;
    if (driver == 0)
        return weft_cuda_set_error("there is no driver for %s on this machine", maker);
    return driver / 1000 >= runtime / 1000 ||
           weft_cuda_set_error(
               "the driver is too old: it is for %s %d.%d, and Weft's device library needs "
               "one for %d.0 or newer",
               maker, driver / 1000, driver % 1000 / 10, runtime / 1000);
}

static bool kernels_fit(int device)
{
    int before = current();
    if (before < 0 || !use(device))
        return false;
    cudaError_t error = weft_cuda_kernels_fit();
    if (before != device)
        use(before);
    if (error == cudaErrorNoKernelImageForDevice || error == cudaErrorUnsupportedPtxVersion) {
        cudaGetLastError();
        return weft_cuda_set_error(
            "Weft's device library was built without code for this device (%s): build it "
            "again with NVCCFLAGS=-arch=native, or HIPCCFLAGS=--offload-arch=native",
            describe(device));
    }
    return weft_cuda_check(error, "cudaFuncGetAttributes");
}

static bool usable(int device)
{
    if (!driver_is_new_enough())
        return false;
    int devices = count();
    if (device < 0 || device >= devices)
        return weft_cuda_set_error("there is no device %d", device);
    return kernels_fit(device);
}

static bool mpi_reaches(void *(*function)(const char *name))
{
    int (*ask)(void) = (int (*)(void))function(asks_mpi);
    return ask && ask() == 1;
}

/* Copies and kernels. */

static bool copy(void *to, const void *from, size_t bytes, weft_queue *queue)
{
    return bytes == 0 ||
           weft_cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, queue->stream),
                           "cudaMemcpyAsync");
}

static bool copy_strided(const weft_strided_copy *its, const void *from, void *to,
                         weft_queue *queue)
{
    weft_cuda_sweep sweep = weft_sweep_of_copy(its, from, to);
    return sweep.unit == 0 || weft_cuda_check(weft_cuda_start_copy(&sweep, from, to, queue->stream),
                                              "a kernel that moves");
}

static bool factors(const weft_device_factors *its, void *array, weft_queue *queue)
{
    weft_turns turns = weft_turns_of_factors(its);
    return turns.length == 0 ||
           weft_cuda_check(weft_cuda_start_factors(&turns, array, queue->stream),
                           "a kernel that multiplies");
}

static char name[32];

__attribute__((constructor)) static void start(void)
{
    snprintf(name, sizeof name, "%s %d.%d", maker, CUDART_VERSION / 1000,
             CUDART_VERSION % 1000 / 10);
}

/* The symbol is set with __asm__ because its name is that of a C type. */
extern const weft_device_library weft_cuda_library __asm__(WEFT_DEVICE_SYMBOL);

__attribute__((visibility("default"))) const weft_device_library weft_cuda_library = {
    .version = WEFT_DEVICE_VERSION,
    .name = name,
    .why = weft_cuda_why,
    .count = count,
    .current = current,
    .use = use,
    .describe = describe,
    .usable = usable,
    .mpi_reaches = mpi_reaches,
    .where = weft_cuda_where,
    .allocate = weft_cuda_allocate,
    .release = weft_cuda_release,
    .allocate_pinned = weft_cuda_allocate_pinned,
    .release_pinned = weft_cuda_release_pinned,
    .queue_create = weft_cuda_queue_create,
    .queue_adopt = weft_cuda_queue_adopt,
    .queue_stream = weft_cuda_queue_stream,
    .queue_destroy = weft_cuda_queue_destroy,
    .queue_wait = weft_cuda_queue_wait,
    .event_create = weft_cuda_event_create,
    .event_destroy = weft_cuda_event_destroy,
    .event_record = weft_cuda_event_record,
    .event_wait_for = weft_cuda_event_wait_for,
    .event_await = weft_cuda_event_await,
    .copy = copy,
    .copy_strided = copy_strided,
    .factors = factors,
    .transform_create = weft_cuda_transform_create,
    .transform_run = weft_cuda_transform_run,
    .transform_destroy = weft_cuda_transform_destroy,
    .memory_export = weft_cuda_memory_export,
    .memory_import = weft_cuda_memory_import,
    .memory_close = weft_cuda_memory_close,
    .event_export = weft_cuda_event_export,
    .event_import = weft_cuda_event_import,
};
