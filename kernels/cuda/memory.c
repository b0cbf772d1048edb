/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors and memory of libweft-cuda. The driver, if the program has loaded it, says where an array
 * is. The runtime is not asked, because it would create a context on the device, which takes
 * hundreds of megabytes.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/cuda/inside.h"

/* Errors: the reason of the last one, for each thread. */

static _Thread_local char reason[512];

bool weft_cuda_set_error(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(reason, sizeof reason, format, values);
    va_end(values);
    return false;
}

bool weft_cuda_check(GPU(Error_t) error, const char *call)
{
    if (error == GPU(Success))
        return true;
    GPU(GetLastError)(); /* clears the error if CUDA can clear it */
    return weft_cuda_set_error("%s: %s", call, GPU(GetErrorString)(error));
}

const char *weft_cuda_why(void)
{
    return reason;
}

/* Where arrays are. Managed memory counts as device memory: kernels and cuFFT accept it, and
 * programs allocate it for use on the device. */

#ifdef WEFT_HIP

/* libweft loads libweft-hip only after the program has loaded the runtime of HIP. */
int weft_cuda_where(const void *array)
{
    hipPointerAttribute_t its;
    if (!array || hipPointerGetAttributes(&its, array) != hipSuccess) {
        (void)hipGetLastError();
        return WEFT_DEVICE_HOST;
    }
#if HIP_VERSION_MAJOR < 6
    const hipMemoryType type = its.memoryType;
#else
    const hipMemoryType type = its.type;
#endif
    return type == hipMemoryTypeDevice || its.isManaged ? its.device : WEFT_DEVICE_HOST;
}

#else

typedef CUresult CUDAAPI ask_driver(unsigned count, CUpointer_attribute *which, void **values,
                                    CUdeviceptr pointer);

static ask_driver *driver(void)
{
    static const char name[] = "libcuda.so.1";
    void *module = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (!module)
        return NULL;
    ask_driver *ask;
    void *address = dlsym(module, "cuPointerGetAttributes");
    memcpy(&ask, &address, sizeof ask);
    dlclose(module);
    return ask;
}

int weft_cuda_where(const void *array)
{
    enum { ASKED = 3 };
    CUpointer_attribute which[ASKED] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    unsigned type = 0, managed = 0;
    int device = WEFT_DEVICE_HOST;
    void *values[ASKED] = {&type, &managed, &device};
    ask_driver *ask = array ? driver() : NULL;
    if (!ask || ask(ASKED, which, values, (CUdeviceptr)(uintptr_t)array) != CUDA_SUCCESS)
        return WEFT_DEVICE_HOST;
    return (type == CU_MEMORYTYPE_DEVICE || managed) && device >= 0 ? device : WEFT_DEVICE_HOST;
}

#endif

/* Allocation. */

void *weft_cuda_allocate(size_t bytes)
{
    void *memory = NULL;
    GPU(Error_t) error = GPU(Malloc)(&memory, bytes ? bytes : 1);
    if (error == GPU(Success))
        return memory;
    GPU(GetLastError)();
    size_t left = 0, all = 0;
    if (GPU(MemGetInfo)(&left, &all) != GPU(Success))
        GPU(GetLastError)();
    weft_cuda_set_error("no memory of %zu bytes on the device, which has %zu of %zu left: %s",
                        bytes, left, all, GPU(GetErrorString)(error));
    return NULL;
}

void weft_cuda_release(void *memory)
{
    if (memory)
        TRY(Free, memory);
}

void *weft_cuda_allocate_pinned(size_t bytes)
{
    void *memory = NULL;
    return TRY(HostAlloc, &memory, bytes ? bytes : 1, GPU(HostAllocPortable)) ? memory : NULL;
}

void weft_cuda_release_pinned(void *memory)
{
    if (memory)
        TRY(FreeHost, memory);
}

/* Memory of other processes. CUDA opens a handle only once per process, so open handles are kept in
 * a list with the number of their users. */

typedef struct import import;
struct import {
    import *next;
    char handle[WEFT_DEVICE_HANDLE];
    int device, users;
    void *memory;
};

static import *imports;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

_Static_assert(sizeof(GPU(IpcMemHandle_t)) <= WEFT_DEVICE_HANDLE, "a handle of memory fits");

bool weft_cuda_memory_export(void *memory, char handle[WEFT_DEVICE_HANDLE])
{
    GPU(IpcMemHandle_t) its;
    if (!TRY(IpcGetMemHandle, &its, memory))
        return false;
    memset(handle, 0, WEFT_DEVICE_HANDLE);
    memcpy(handle, &its, sizeof its);
    return true;
}

static import *find(const char *handle, int device)
{
    import *it = imports;
    while (it && (it->device != device || memcmp(it->handle, handle, WEFT_DEVICE_HANDLE) != 0))
        it = it->next;
    return it;
}

static import *open_new(const char *handle, int device)
{
    GPU(IpcMemHandle_t) its;
    import *it = calloc(1, sizeof *it);
    memcpy(&its, handle, sizeof its);
    if (!it)
        weft_cuda_set_error("no memory");
    if (!it || !TRY(IpcOpenMemHandle, &it->memory, its, GPU(IpcMemLazyEnablePeerAccess))) {
        free(it);
        return NULL;
    }
    memcpy(it->handle, handle, sizeof it->handle);
    it->device = device;
    it->next = imports;
    return imports = it;
}

void *weft_cuda_memory_import(const char handle[WEFT_DEVICE_HANDLE])
{
    int device;
    if (!TRY(GetDevice, &device))
        return NULL;
    pthread_mutex_lock(&lock);
    import *it = find(handle, device);
    if (!it)
        it = open_new(handle, device);
    if (it)
        it->users++;
    pthread_mutex_unlock(&lock);
    return it ? it->memory : NULL;
}

void weft_cuda_memory_close(void *imported)
{
    pthread_mutex_lock(&lock);
    import **at = &imports;
    while (*at && (*at)->memory != imported)
        at = &(*at)->next;
    import *it = *at;
    if (it && --it->users == 0) {
        TRY(IpcCloseMemHandle, imported);
        *at = it->next;
        free(it);
    }
    pthread_mutex_unlock(&lock);
}
