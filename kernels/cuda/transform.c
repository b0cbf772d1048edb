/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms of libweft-cuda: cuFFT plans with a work area of the caller's. */
#include <pthread.h>
#include <stdlib.h>
#include "kernels/cuda/inside.h"

struct weft_device_transform {
    cufftHandle plan;
    weft_device_kind kind;
    bool single;
    int sign;
};

/* Serializes runs, because the stream and the work area of a cuFFT plan are set for each run. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *text_of(cufftResult result)
{
    switch ((int)result) {
    case CUFFT_INVALID_PLAN:
        return "no valid plan";
    case CUFFT_ALLOC_FAILED:
        return "out of memory";
    case CUFFT_INVALID_TYPE:
    case CUFFT_INVALID_VALUE:
        return "a value that it does not take";
    case CUFFT_INTERNAL_ERROR:
        return "the driver failed";
    case CUFFT_EXEC_FAILED:
        return "it could not run";
    case CUFFT_SETUP_FAILED:
        return "it could not be set up";
    case CUFFT_INVALID_SIZE:
        return "a size that it does not take";
    case CUFFT_UNALIGNED_DATA:
        return "data that is not aligned";
    case CUFFT_INVALID_DEVICE:
        return "another device";
    case CUFFT_NOT_SUPPORTED:
        return "not supported";
    default:
        return "failed";
    }
}

static bool check(cufftResult result, const char *call)
{
    if (result == CUFFT_SUCCESS)
        return true;
    cudaGetLastError();
    return weft_cuda_set_error("%s: %s (%d)", call, text_of(result), (int)result);
}

static cufftType type_of(const weft_device_spec *spec)
{
    switch (spec->kind) {
    case WEFT_DEVICE_R2C:
        return spec->single ? CUFFT_R2C : CUFFT_D2Z;
    case WEFT_DEVICE_C2R:
        return spec->single ? CUFFT_C2R : CUFFT_Z2D;
    default:
        return spec->single ? CUFFT_C2C : CUFFT_Z2Z;
    }
}

static bool make(cufftHandle plan, const weft_device_spec *spec, size_t *work)
{
    long long size[3], in[3], out[3];
    for (int k = 0; k < spec->axes; k++) {
        size[k] = spec->size[k];
        in[k] = spec->in_embed[k];
        out[k] = spec->out_embed[k];
    }
    return check(cufftSetAutoAllocation(plan, 0), "cufftSetAutoAllocation") &&
           check(cufftMakePlanMany64(plan, spec->axes, size, in, spec->in_stride, spec->in_distance,
                                     out, spec->out_stride, spec->out_distance, type_of(spec),
                                     spec->batch, work),
                 "cufftMakePlanMany64");
}

weft_device_transform *weft_cuda_transform_create(const weft_device_spec *spec, size_t *work)
{
    weft_device_transform *it = malloc(sizeof *it);
    if (!it) {
        weft_cuda_set_error("no memory");
        return NULL;
    }
    *it = (weft_device_transform){0, spec->kind, spec->single, spec->sign};
    *work = 0;
    if (!check(cufftCreate(&it->plan), "cufftCreate")) {
        free(it);
        return NULL;
    }
    if (make(it->plan, spec, work))
        return it;
    cufftDestroy(it->plan);
    free(it);
    return NULL;
}

static cufftResult execute(const weft_device_transform *it, void *in, void *out)
{
    int direction = it->sign < 0 ? CUFFT_FORWARD : CUFFT_INVERSE;
    switch (it->kind) {
    case WEFT_DEVICE_R2C:
        return it->single ? cufftExecR2C(it->plan, in, out) : cufftExecD2Z(it->plan, in, out);
    case WEFT_DEVICE_C2R:
        return it->single ? cufftExecC2R(it->plan, in, out) : cufftExecZ2D(it->plan, in, out);
    default:
        return it->single ? cufftExecC2C(it->plan, in, out, direction)
                          : cufftExecZ2Z(it->plan, in, out, direction);
    }
}

bool weft_cuda_transform_run(weft_device_transform *transform, const void *in, void *out,
                             void *work, weft_queue *queue)
{
    pthread_mutex_lock(&lock);
    bool fine = check(cufftSetStream(transform->plan, queue->stream), "cufftSetStream") &&
                check(cufftSetWorkArea(transform->plan, work), "cufftSetWorkArea") &&
                check(execute(transform, (void *)in, out), "cufftExec");
    pthread_mutex_unlock(&lock);
    return fine;
}

void weft_cuda_transform_destroy(weft_device_transform *transform)
{
    if (transform)
        cufftDestroy(transform->plan);
    free(transform);
}
