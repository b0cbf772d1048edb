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

/* One side: the count and stride of each axis; other axes have one index. */
typedef struct {
    ptrdiff_t count[3], stride[3], distance;
    size_t number;    /* bytes of a number */
    ptrdiff_t extent; /* of the whole batch, in numbers */
} side;

static side side_of(const weft_device_spec *spec, bool output)
{
    const ptrdiff_t *embed = output ? spec->out_embed : spec->in_embed;
    side it = {.count = {1, 1, 1}, .distance = output ? spec->out_distance : spec->in_distance};
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
        standin_refuses("transforms") ? "this plan is refused" : weft_cuda_why_refused(spec);
    if (!standin_goes("transform_create") ||
        (refused && !standin_fails("transform_create: %s", refused)))
        return NULL;
    weft_device_transform *it = standin_new(sizeof *it);
    size_t numbers = (size_t)side_of(spec, spec->kind == WEFT_DEVICE_R2C).count[spec->axes - 1];
    /* like cuFFT, which needs no work area for c2c of one axis */
    const bool needs_work = spec->axes > 1 || spec->kind != WEFT_DEVICE_C2C;
    *it = (weft_device_transform){.spec = *spec, .work = needs_work ? 64 + 16 * numbers : 0};
    *work = it->work;
    standin_count[STANDIN_TRANSFORMS]++;
    return it;
}

void standin_transform_destroy(weft_device_transform *transform)
{
    if (!transform)
        return;
    STANDIN_LOCKED;
    standin_count[STANDIN_TRANSFORMS]--;
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
    const side in = side_of(&it->spec, false);
    for (ptrdiff_t b = 0; b < it->spec.batch; b++)
        for (ptrdiff_t i = 0; i < in.count[0]; i++)
            for (ptrdiff_t j = 0; j < in.count[1]; j++)
                for (ptrdiff_t k = 0; k < in.count[2]; k++)
                    memset((char *)it->in + (b * in.distance + i * in.stride[0] + j * in.stride[1] +
                                             k * in.stride[2]) *
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

bool standin_transform_run(weft_device_transform *transform, const void *in, void *out, void *area,
                           weft_queue *queue)
{
    STANDIN_LOCKED;
    if (!standin_goes("transform_run"))
        return false;
    const weft_device_spec *spec = &transform->spec;
    const side from = side_of(spec, false), to = side_of(spec, true);
    transform_work it = {.work = {.run = run, .call = "transform_run"},
                         .spec = *spec,
                         .area_bytes = transform->work};
    if ((in == out) != spec->in_place)
        standin_die("transform_run: %s, but made for the other",
                    in == out ? "in place" : "out of place");
    /* cuFFT 12 refuses to run then, even if the work area has 0 bytes */
    if (area == in || area == out)
        standin_die("transform_run: the work area begins where an array begins");
    it.in = standin_use(&it.work, queue, in, (size_t)from.extent * from.number, "the input");
    it.out = standin_use(&it.work, queue, out, (size_t)to.extent * to.number, "the output");
    it.area =
        standin_use(&it.work, queue, area, transform->work ? transform->work : 1, "the work area");
    standin_traffic.transforms++;
    standin_queue_add(queue, &it.work, sizeof it);
    return true;
}
