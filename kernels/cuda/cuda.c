/* SPDX-License-Identifier: BSD-3-Clause */
/* libweft-cuda and libweft-hip: a device library (kernels/device/device.h) with CUDA's runtime and
 * cuFFT, or with HIP's and hipFFT. Memory is in memory.c, kernels are in kernels.cu. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/cuda/inside.h"

#ifdef WEFT_HIP
static const char maker[] = "HIP", asks_mpi[] = "MPIX_Query_hip_support";
#else /* Open MPI, MPICH and MPICH's relatives all have this function. */
static const char maker[] = "CUDA", asks_mpi[] = "MPIX_Query_cuda_support";
#endif

/* Devices. */

static int count(void)
{
    int devices = 0;
    return TRY(GetDeviceCount, &devices) ? devices : 0;
}

static int current(void)
{
    int device = -1;
    return TRY(GetDevice, &device) ? device : -1;
}

static bool use(int device)
{
    return TRY(SetDevice, device);
}

enum { NAMED = 64, NAME = 256 };

/* Gets the name of a device; the caller keeps it, because getting the properties of a device is
 * slow. */
static bool name_of(int device, char name[NAME])
{
    struct GPU(DeviceProp) properties;
    if (!TRY(GetDeviceProperties, &properties, device))
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
    if (!TRY(DriverGetVersion, &driver) || !TRY(RuntimeGetVersion, &runtime))
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
    GPU(Error_t) error = weft_cuda_kernels_fit();
    if (before != device)
        use(before);
    if (error == GPU(ErrorNoKernelImageForDevice) || error == GPU(ErrorUnsupportedPtxVersion)) {
        GPU(GetLastError)();
        return weft_cuda_set_error(
            "Weft's device library was built without code for this device (%s): build it "
            "again with NVCCFLAGS=-arch=native, or HIPCCFLAGS=--offload-arch=native",
            describe(device));
    }
    return weft_cuda_check(error, GPU_PREFIX "FuncGetAttributes");
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

/* Queues: CUDA streams. A stream of Weft's synchronizes with the default stream, because the
 * program's kernels that write and read its arrays mostly run there. */

struct weft_queue {
    GPU(Stream_t) stream;
    bool adopted;
};

static weft_queue *queue_of(GPU(Stream_t) stream, bool adopted)
{
    weft_queue *queue = malloc(sizeof *queue);
    if (queue)
        *queue = (weft_queue){stream, adopted};
    else
        weft_cuda_set_error("no memory");
    return queue;
}

static weft_queue *queue_create(void)
{
    GPU(Stream_t) stream;
    if (!TRY(StreamCreateWithFlags, &stream, GPU(StreamDefault)))
        return NULL;
    weft_queue *queue = queue_of(stream, false);
    if (!queue)
        GPU(StreamDestroy)(stream);
    return queue;
}

/* Reports an invalid stream now, if CUDA detects it. */
static weft_queue *queue_adopt(void *stream)
{
    unsigned flags;
    if (!weft_cuda_check(GPU(StreamGetFlags)(stream, &flags), "the stream"))
        return NULL;
    return queue_of(stream, true);
}

static void *queue_stream(weft_queue *queue)
{
    return queue->stream;
}

static void queue_destroy(weft_queue *queue)
{
    if (queue && !queue->adopted)
        TRY(StreamDestroy, queue->stream);
    free(queue);
}

static bool queue_wait(weft_queue *queue)
{
    return TRY(StreamSynchronize, queue->stream);
}

/* Events. A weft_device_event is a GPU(Event_t). */

static weft_device_event *event_create(bool between_processes)
{
    GPU(Event_t) event;
    unsigned flags = between_processes ? GPU(EventInterprocess) | GPU(EventDisableTiming)
                                       : (unsigned)GPU(EventDefault);
    return TRY(EventCreateWithFlags, &event, flags) ? (weft_device_event *)event : NULL;
}

static void event_destroy(weft_device_event *event)
{
    if (event)
        TRY(EventDestroy, (GPU(Event_t))event);
}

static bool event_record(weft_device_event *event, weft_queue *queue)
{
    return TRY(EventRecord, (GPU(Event_t))event, queue->stream);
}

static bool event_wait_for(weft_device_event *event, weft_queue *queue)
{
    return TRY(StreamWaitEvent, queue->stream, (GPU(Event_t))event, 0);
}

static bool event_await(weft_device_event *event)
{
    return TRY(EventSynchronize, (GPU(Event_t))event);
}

_Static_assert(sizeof(GPU(IpcEventHandle_t)) <= WEFT_DEVICE_HANDLE, "a handle of an event fits");

static bool event_export(weft_device_event *event, char handle[WEFT_DEVICE_HANDLE])
{
    GPU(IpcEventHandle_t) its;
    if (!TRY(IpcGetEventHandle, &its, (GPU(Event_t))event))
        return false;
    memset(handle, 0, WEFT_DEVICE_HANDLE);
    memcpy(handle, &its, sizeof its);
    return true;
}

static weft_device_event *event_import(const char handle[WEFT_DEVICE_HANDLE])
{
    GPU(IpcEventHandle_t) its;
    GPU(Event_t) event;
    memcpy(&its, handle, sizeof its);
    return TRY(IpcOpenEventHandle, &event, its) ? (weft_device_event *)event : NULL;
}

/* Copies and kernels. */

static bool copy(void *to, const void *from, size_t bytes, weft_queue *queue)
{
    return bytes == 0 || TRY(MemcpyAsync, to, from, bytes, GPU(MemcpyDefault), queue->stream);
}

static bool copy_strided(size_t unit, int axes, const weft_copy_axis *axis, const void *from,
                         void *to, weft_queue *queue)
{
    weft_cuda_sweep sweep = weft_sweep_of_copy(unit, axes, axis, from, to);
    return weft_cuda_check(weft_cuda_start_copy(&sweep, from, to, queue->stream),
                           "a kernel that moves");
}

static bool factors(const weft_device_factors *its, void *array, weft_queue *queue)
{
    weft_turns turns = weft_turns_of_factors(its);
    return turns.length == 0 ||
           weft_cuda_check(weft_cuda_start_factors(&turns, array, queue->stream),
                           "a kernel that multiplies");
}

/* Transforms: cuFFT plans with a work area of the caller's. */

struct weft_device_transform {
    GPUFFT(Handle) plan;
    weft_device_spec spec;
};

/* Serializes runs, because the stream and the work area of a cuFFT plan are set for each run. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool check_fft(GPUFFT(Result) result, const char *call)
{
    if (result == GPUFFT_VALUE(SUCCESS))
        return true;
    GPU(GetLastError)();
    return weft_cuda_set_error("%s: the FFT library failed with error %d", call, (int)result);
}

#define TRY_FFT(name, ...) check_fft(GPUFFT(name)(__VA_ARGS__), GPUFFT_PREFIX #name)

static GPUFFT(Type) type_of(const weft_device_spec *spec)
{
    switch (spec->kind) {
    case WEFT_DEVICE_R2C:
        return spec->single ? GPUFFT_VALUE(R2C) : GPUFFT_VALUE(D2Z);
    case WEFT_DEVICE_C2R:
        return spec->single ? GPUFFT_VALUE(C2R) : GPUFFT_VALUE(Z2D);
    default:
        return spec->single ? GPUFFT_VALUE(C2C) : GPUFFT_VALUE(Z2Z);
    }
}

static bool make_plan(GPUFFT(Handle) plan, const weft_device_spec *spec, size_t *work)
{
    long long size[3], in[3], out[3];
    for (int k = 0; k < spec->axes; k++) {
        size[k] = spec->size[k];
        in[k] = spec->in_embed[k];
        out[k] = spec->out_embed[k];
    }
    return TRY_FFT(SetAutoAllocation, plan, 0) &&
           TRY_FFT(MakePlanMany64, plan, spec->axes, size, in, spec->in_stride, spec->in_distance,
                   out, spec->out_stride, spec->out_distance, type_of(spec), spec->batch, work);
}

static weft_device_transform *transform_create(const weft_device_spec *spec, size_t *work)
{
    const char *refused = weft_cuda_why_refused(spec);
    weft_device_transform *it = refused ? NULL : malloc(sizeof *it);
    if (!it)
        weft_cuda_set_error("%s", refused ? refused : "no memory");
    if (!it || !TRY_FFT(Create, &it->plan))
        goto fail;
    it->spec = *spec;
    *work = 0;
    if (make_plan(it->plan, spec, work))
        return it;
    GPUFFT(Destroy)(it->plan);
fail:
    free(it);
    return NULL;
}

static GPUFFT(Result) execute(const weft_device_transform *it, void *in, void *out)
{
    const int direction = it->spec.sign < 0 ? GPUFFT_VALUE(FORWARD) : GPUFFT_VALUE(INVERSE);
    const bool single = it->spec.single;
    switch (it->spec.kind) {
    case WEFT_DEVICE_R2C:
        return single ? GPUFFT(ExecR2C)(it->plan, in, out) : GPUFFT(ExecD2Z)(it->plan, in, out);
    case WEFT_DEVICE_C2R:
        return single ? GPUFFT(ExecC2R)(it->plan, in, out) : GPUFFT(ExecZ2D)(it->plan, in, out);
    default:
        return single ? GPUFFT(ExecC2C)(it->plan, in, out, direction)
                      : GPUFFT(ExecZ2Z)(it->plan, in, out, direction);
    }
}

static bool transform_run(weft_device_transform *transform, const void *in, void *out, void *work,
                          weft_queue *queue)
{
    pthread_mutex_lock(&lock);
    bool fine = TRY_FFT(SetStream, transform->plan, queue->stream) &&
                TRY_FFT(SetWorkArea, transform->plan, work) &&
                check_fft(execute(transform, (void *)in, out), GPUFFT_PREFIX "Exec");
    pthread_mutex_unlock(&lock);
    return fine;
}

static void transform_destroy(weft_device_transform *transform)
{
    if (transform)
        GPUFFT(Destroy)(transform->plan);
    free(transform);
}

static char name[32];

__attribute__((constructor)) static void start(void)
{
    snprintf(name, sizeof name, "%s %d.%d", maker, CUDART_VERSION / 1000,
             CUDART_VERSION % 1000 / 10);
}

/* The symbol is set with __asm__ because a C type has the same name. */
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
    .queue_create = queue_create,
    .queue_adopt = queue_adopt,
    .queue_stream = queue_stream,
    .queue_destroy = queue_destroy,
    .queue_wait = queue_wait,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_wait_for = event_wait_for,
    .event_await = event_await,
    .copy = copy,
    .copy_strided = copy_strided,
    .factors = factors,
    .transform_create = transform_create,
    .transform_run = transform_run,
    .transform_destroy = transform_destroy,
    .memory_export = weft_cuda_memory_export,
    .memory_import = weft_cuda_memory_import,
    .memory_close = weft_cuda_memory_close,
    .event_export = event_export,
    .event_import = event_import,
};
