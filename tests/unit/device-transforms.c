/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms on a device, against serial FFTW. */
#include <fftw3.h>
#include <math.h>
#include <string.h>
#include "tests/unit/copies.h"
#include "tests/unit/device.h"

typedef struct {
    int axes;
    ptrdiff_t size[3], batch;
    bool interleaved;   /* the batch is the fastest axis */
    ptrdiff_t capacity; /* more in the rows than there need be */
} transform_case;

static const transform_case transform_cases[] = {
    {1, {8}, 1, false, 0},       {1, {7}, 3, false, 0},      {1, {12}, 5, true, 0},
    {1, {1}, 4, false, 0},       {1, {9}, 2, false, 3},      {2, {4, 6}, 1, false, 0},
    {2, {5, 3}, 2, false, 2},    {2, {4, 5}, 3, true, 0},    {3, {3, 4, 2}, 1, false, 0},
    {3, {2, 3, 5}, 2, false, 1}, {3, {4, 2, 6}, 2, true, 2},
};
enum { TRANSFORM_CASES = sizeof transform_cases / sizeof *transform_cases };
/* c2c forward, c2c backward, r2c, c2r; double, float; out of place, in place */
enum { KINDS = 4, WAYS = KINDS * 4 };

enum { MOST = 4000 }; /* numbers of an array, all of them real */
static const double UNSET = 12345;

static void lay_out(const transform_case *its, bool half, bool real_side, bool in_place,
                    ptrdiff_t *embed, ptrdiff_t *stride, ptrdiff_t *distance)
{
    ptrdiff_t all = 1;
    for (int k = its->axes - 1; k >= 0; k--) {
        embed[k] = its->size[k];
        if (k == its->axes - 1 && half)
            embed[k] = its->size[k] / 2 + 1;
        embed[k] += its->capacity;
        if (k == its->axes - 1 && real_side && in_place)
            embed[k] = 2 * (its->size[k] / 2 + 1 + its->capacity);
        all *= embed[k];
    }
    *stride = its->interleaved ? its->batch : 1;
    *distance = its->interleaved ? 1 : all;
}

static weft_device_spec spec_of(const transform_case *its, int way)
{
    static const weft_device_kind kinds[KINDS] = {WEFT_DEVICE_C2C, WEFT_DEVICE_C2C, WEFT_DEVICE_R2C,
                                                  WEFT_DEVICE_C2R};
    int kind = way % KINDS;
    weft_device_spec spec = {.kind = kinds[kind], .sign = kind % 2 ? 1 : -1, .axes = its->axes};
    bool in_place = way / (2 * KINDS);
    spec.single = way / KINDS % 2;
    spec.in_place = in_place;
    spec.batch = its->batch;
    memcpy(spec.size, its->size, sizeof its->size);
    lay_out(its, kind == 3, kind == 2, in_place, spec.in_embed, &spec.in_stride, &spec.in_distance);
    lay_out(its, kind == 2, kind == 3, in_place, spec.out_embed, &spec.out_stride,
            &spec.out_distance);
    return spec;
}

/* FFTW's transforms of that kind; r2c for a c2r spec goes from its output's layout to its input's.
 */
static void by_fftw(const weft_device_spec *of, weft_device_kind kind, double *in, double *out)
{
    const bool turned = kind != of->kind;
    int n[3], embed[2][3];
    for (int k = 0; k < of->axes; k++) {
        n[k] = (int)of->size[k];
        embed[turned][k] = (int)of->in_embed[k];
        embed[!turned][k] = (int)of->out_embed[k];
    }
    const ptrdiff_t stride[2] = {of->in_stride, of->out_stride},
                    distance[2] = {of->in_distance, of->out_distance};
    fftw_complex *from = (fftw_complex *)in, *to = (fftw_complex *)out;
#define LAYOUT(side) embed[side], (int)stride[(side) ^ turned], (int)distance[(side) ^ turned]
    fftw_plan plan = kind == WEFT_DEVICE_C2C
                         ? fftw_plan_many_dft(of->axes, n, (int)of->batch, from, LAYOUT(0), to,
                                              LAYOUT(1), of->sign, FFTW_ESTIMATE)
                     : kind == WEFT_DEVICE_R2C
                         ? fftw_plan_many_dft_r2c(of->axes, n, (int)of->batch, in, LAYOUT(0), to,
                                                  LAYOUT(1), FFTW_ESTIMATE)
                         : fftw_plan_many_dft_c2r(of->axes, n, (int)of->batch, from, LAYOUT(0), out,
                                                  LAYOUT(1), FFTW_ESTIMATE);
#undef LAYOUT
    ck_assert_ptr_nonnull(plan);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
}

/* An array of double or float, there and back. */
static void *put(const double *array, bool single)
{
    float narrow[MOST];
    for (int i = 0; i < MOST; i++)
        narrow[i] = (float)array[i];
    return single ? on_device(narrow, sizeof narrow) : on_device(array, MOST * sizeof *array);
}

static void take(double *array, const void *memory, bool single)
{
    float narrow[MOST];
    get(single ? (void *)narrow : array, memory, MOST * (single ? sizeof *narrow : sizeof *array));
    for (int i = 0; single && i < MOST; i++)
        array[i] = narrow[i];
}

TEST(transforms_are_those_of_fftw, .to = TRANSFORM_CASES * WAYS, ON_DEVICE)
{
    static double in[MOST], copy[MOST], out[MOST], expected[MOST];
    const transform_case *its = &transform_cases[_i % TRANSFORM_CASES];
    const weft_device_spec spec = spec_of(its, _i / TRANSFORM_CASES);
    int compared = 0, wrong = 0;
    size_t area_bytes;
#ifndef WEFT_HAVE_FLOAT
    if (spec.single)
        return;
#endif
    if (spec.in_place && its->interleaved && spec.kind != WEFT_DEVICE_C2C)
        return; /* not for cuFFT */
    copies_state = 1 + (uint64_t)_i;
    for (int i = 0; i < MOST; i++) {
        copy[i] = in[i] = (double)copies_below(1000) / 512 - 1;
        expected[i] = UNSET;
    }
    if (spec.kind == WEFT_DEVICE_C2R) /* a spectrum of real numbers */
        by_fftw(&spec, WEFT_DEVICE_R2C, copy, in);
    for (int i = 0; i < MOST; i++)
        copy[i] = in[i] = spec.single ? (float)in[i] : in[i];
    by_fftw(&spec, spec.kind, copy, expected);
    void *from = put(in, spec.single);
    void *to = spec.in_place ? from : device->allocate(sizeof in);
    weft_device_transform *transform = device->transform_create(&spec, &area_bytes);
    ck_assert(transform != NULL);
    void *area = device->allocate(area_bytes + 1); /* the work area is memory, even of 0 bytes */
    ck_assert(device->transform_run(transform, from, to, area, queue));
    device->transform_destroy(transform);
    take(out, to, spec.single);
    for (int i = 0; i < MOST; i++) {
        const bool is = expected[i] < UNSET || expected[i] > UNSET;
        wrong += is && !(fabs(out[i] - expected[i]) < (spec.single ? 1e-4 : 1e-12)); /* or NaN */
        compared += is;
    }
    ck_assert_msg(wrong == 0, "%d numbers of %d are wrong", wrong, compared);
    ck_assert_int_gt(compared, 0);
    if (!spec.in_place) { /* the input is as it was, unless it must not be used again */
        take(out, from, spec.single);
        const bool spoilt = spec.kind == WEFT_DEVICE_C2R && its->axes > 1;
        ck_assert((!standin && spoilt) || (memcmp(out, in, sizeof in) != 0) == spoilt);
        device->release(to);
    }
    device->release(from);
    device->release(area);
}

/* A transform that cuFFT cannot do is refused when it is made, with a sentence, by every library.
 */
TEST(transforms_that_cannot_be, .to = 9, ON_DEVICE)
{
    static const struct {
        const char *says;
        weft_device_spec spec;
    } cases[] = {
        {"1 to 3 axes", {.sign = 1, .size = {2}, .batch = 1}},
        {"at least 1", {.axes = 1, .sign = 1, .size = {4}, .in_stride = 1, .out_stride = 1}},
        {"strides", {.axes = 1, .sign = 1, .size = {1}, .batch = 1, .out_stride = 1}},
        {"r2c is forward",
         {.kind = WEFT_DEVICE_R2C,
          .axes = 1,
          .sign = 1,
          .size = {4},
          .batch = 1,
          .in_stride = 1,
          .out_stride = 1}},
        {"share an address", /* the batch has no distance */
         {.axes = 1,
          .sign = 1,
          .size = {4},
          .batch = 2,
          .in_stride = 1,
          .in_distance = 4,
          .out_stride = 1}},
        {"share an address", /* one transform begins inside the one before */
         {.axes = 1,
          .sign = 1,
          .size = {4},
          .batch = 2,
          .in_stride = 1,
          .in_distance = 3,
          .out_stride = 1,
          .out_distance = 4}},
        {"share an address", /* rows are longer than their distance */
         {.axes = 2,
          .sign = 1,
          .size = {3, 4},
          .batch = 1,
          .in_embed = {3, 3},
          .in_stride = 1,
          .out_embed = {3, 4},
          .out_stride = 1}},
        {"same layout",
         {.in_place = true,
          .axes = 1,
          .sign = 1,
          .size = {4},
          .batch = 3,
          .in_stride = 1,
          .in_distance = 4,
          .out_stride = 3,
          .out_distance = 1}},
        {"same layout", /* real rows are not padded */
         {.kind = WEFT_DEVICE_R2C,
          .in_place = true,
          .axes = 1,
          .sign = -1,
          .size = {4},
          .batch = 3,
          .in_stride = 1,
          .in_distance = 4,
          .out_stride = 1,
          .out_distance = 3}},
    };
    size_t bytes;
    ck_assert_ptr_null(device->transform_create(&cases[_i].spec, &bytes));
    ck_assert_msg(strstr(device->why(), cases[_i].says), "%s", device->why());
}
