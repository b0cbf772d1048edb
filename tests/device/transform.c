/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transforms of the stand-in, by FFTW, planned when they run, so that fftw_cleanup cannot break
 * them. Like cuFFT, a transform destroys the work area, and a complex-to-real transform of several
 * axes destroys its input.
 */
#include <fftw3.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/cuda/kernels.h"
#include "tests/device/inside.h"

enum { RUBBISH = 0xee };

struct weft_device_transform {
    weft_device_spec spec;
    size_t work;
};

static int transforms;

int standin_transforms_left(void)
{
    return transforms;
}

/* One side: the count and stride of each axis. */
typedef struct {
    ptrdiff_t count[3], stride[3], distance;
    size_t number;    /* bytes of a number */
    ptrdiff_t extent; /* of the whole batch, in numbers */
} side;

static side side_of(const weft_device_spec *spec, bool output)
{
    const ptrdiff_t *embed = output ? spec->out_embed : spec->in_embed;
    side it = {.distance = output ? spec->out_distance : spec->in_distance};
    bool real = spec->kind == (output ? WEFT_DEVICE_C2R : WEFT_DEVICE_R2C);
    it.number = (spec->single ? sizeof(float) : sizeof(double)) * (real ? 1 : 2);
    ptrdiff_t stride = output ? spec->out_stride : spec->in_stride;
    it.extent = 1 + (spec->batch - 1) * it.distance;
    for (int k = spec->axes - 1; k >= 0; k--) {
        bool half = spec->kind != WEFT_DEVICE_C2C && !real && k == spec->axes - 1;
        it.count[k] = half ? spec->size[k] / 2 + 1 : spec->size[k];
        it.stride[k] = stride;
        it.extent += (it.count[k] - 1) * stride;
        stride *= embed[k];
    }
    return it;
}

weft_device_transform *standin_transform_create(const weft_device_spec *spec, size_t *work)
{
#ifndef STANDIN_FLOAT
    if (spec->single)
        standin_die("transform_create: of float, without FFTW's library for it");
#endif
    STANDIN_LOCKED;
    const char *refused =
        standin_is.no_transforms ? "this plan is refused" : weft_cuda_why_refused(spec);
    if (!standin_goes("transform_create") ||
        (refused && !standin_fails("transform_create: %s", refused)))
        return NULL;
    weft_device_transform *it = malloc(sizeof *it);
    if (!it)
        standin_die("no memory for its own account");
    size_t numbers = (size_t)side_of(spec, spec->kind == WEFT_DEVICE_R2C).count[spec->axes - 1];
    /* like cuFFT, which needs no work area for c2c of one axis */
    const bool needs_work = spec->axes > 1 || spec->kind != WEFT_DEVICE_C2C;
    *it = (weft_device_transform){.spec = *spec, .work = needs_work ? 64 + 16 * numbers : 0};
    *work = it->work;
    transforms++;
    return it;
}

void standin_transform_destroy(weft_device_transform *transform)
{
    if (!transform)
        return;
    STANDIN_LOCKED;
    transforms--;
    free(transform);
}

typedef struct {
    standin_work work;
    weft_device_spec spec;
    void *in, *out, *area;
    size_t area_bytes;
} transform_work;

/* Defines run_double and run_single with FFTW's functions of that precision. */
#define RUN_BY(name, letter)                                                                       \
    static void name(const transform_work *it)                                                     \
    {                                                                                              \
        const weft_device_spec *spec = &it->spec;                                                  \
        const side in = side_of(spec, false), out = side_of(spec, true);                           \
        letter##_iodim64 axis[3], batch = {spec->batch, in.distance, out.distance};                \
        for (int k = 0; k < spec->axes; k++)                                                       \
            axis[k] = (letter##_iodim64){spec->size[k], in.stride[k], out.stride[k]};              \
        const unsigned how = FFTW_ESTIMATE | FFTW_UNALIGNED;                                       \
        letter##_plan plan =                                                                       \
            spec->kind == WEFT_DEVICE_C2C                                                          \
                ? letter##_plan_guru64_dft(spec->axes, axis, 1, &batch, it->in, it->out,           \
                                           spec->sign < 0 ? FFTW_FORWARD : FFTW_BACKWARD, how)     \
            : spec->kind == WEFT_DEVICE_R2C                                                        \
                ? letter##_plan_guru64_dft_r2c(spec->axes, axis, 1, &batch, it->in, it->out, how)  \
                : letter##_plan_guru64_dft_c2r(spec->axes, axis, 1, &batch, it->in, it->out,       \
                                               how | (spec->axes > 1 ? 0 : FFTW_PRESERVE_INPUT));  \
        if (!plan)                                                                                 \
            standin_die("FFTW has no plan for a transform");                                       \
        letter##_execute(plan);                                                                    \
        letter##_destroy_plan(plan);                                                               \
    }

RUN_BY(run_double, fftw)
#ifdef STANDIN_FLOAT
RUN_BY(run_single, fftwf)
#else
#define run_single run_double
#endif

/* Destroys all numbers of the input, but nothing between them. */
static void spoil(const transform_work *it)
{
    side in = side_of(&it->spec, false);
    ptrdiff_t count[3] = {1, 1, 1}, stride[3] = {0};
    for (int k = 0; k < it->spec.axes; k++) {
        count[k] = in.count[k];
        stride[k] = in.stride[k];
    }
    for (ptrdiff_t b = 0; b < it->spec.batch; b++)
        for (ptrdiff_t i = 0; i < count[0]; i++)
            for (ptrdiff_t j = 0; j < count[1]; j++)
                for (ptrdiff_t k = 0; k < count[2]; k++)
                    memset((char *)it->in +
                               (b * in.distance + i * stride[0] + j * stride[1] + k * stride[2]) *
                                   (ptrdiff_t)in.number,
                           RUBBISH, in.number);
}

static void run(standin_work *work)
{
    const transform_work *it = (const transform_work *)work;
    memset(it->area, RUBBISH, it->area_bytes);
    if (it->spec.single)
        run_single(it);
    else
        run_double(it);
    if (it->spec.kind == WEFT_DEVICE_C2R && it->spec.axes > 1 && it->in != it->out)
        spoil(it);
}

static standin_memory *memory_of(const void *from, size_t bytes, int device, const char *what)
{
    standin_memory *memory = standin_memory_of(from, bytes, "transform_run", what);
    if (!memory || memory->device == WEFT_DEVICE_HOST)
        standin_die("transform_run: %s, at %p, is no memory of a device", what, from);
    if (memory->device != device && !memory->imported)
        standin_die("transform_run: %s is memory of device %d, the queue of device %d", what,
                    memory->device, device);
    return memory;
}

bool standin_transform_run(weft_device_transform *transform, const void *in, void *out, void *area,
                           weft_queue *queue)
{
    STANDIN_LOCKED;
    if (!standin_goes("transform_run"))
        return false;
    const weft_device_spec *spec = &transform->spec;
    int device = standin_queue_device(queue, "transform_run");
    side from = side_of(spec, false), to = side_of(spec, true);
    transform_work it = {.work = {.run = run}, .spec = *spec, .area_bytes = transform->work};
    if ((in == out) != spec->in_place)
        standin_die("transform_run: %s, but made for the other",
                    in == out ? "in place" : "out of place");
    /* cuFFT 12 refuses to run then, even if the work area has 0 bytes */
    if (area == in || area == out)
        standin_die("transform_run: the work area begins where an array begins");
    it.work.uses[0] = memory_of(in, (size_t)from.extent * from.number, device, "the input");
    it.work.uses[1] = memory_of(out, (size_t)to.extent * to.number, device, "the output");
    it.work.uses[2] =
        memory_of(area, transform->work ? transform->work : 1, device, "the work area");
    it.in = standin_inside(it.work.uses[0], in);
    it.out = standin_inside(it.work.uses[1], out);
    it.area = standin_inside(it.work.uses[2], area);
    standin_traffic.transforms++;
    standin_queue_add(queue, &it.work, sizeof it);
    return true;
}
