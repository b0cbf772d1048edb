/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms on a device, against their definition. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
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

enum { MOST = 2000 };

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

static ptrdiff_t at_of(const ptrdiff_t *embed, ptrdiff_t stride, ptrdiff_t distance, ptrdiff_t b,
                       int axes, const ptrdiff_t *index)
{
    ptrdiff_t at = 0;
    for (int k = 0; k < axes; k++)
        at = at * embed[k] + index[k];
    return b * distance + at * stride;
}

static void spread(ptrdiff_t n, int axes, const ptrdiff_t *size, ptrdiff_t *index)
{
    for (int k = axes - 1; k >= 0; k--) {
        index[k] = n % size[k];
        n /= size[k];
    }
}

/* One number of the transform of the input, all of it complex. */
static long double complex number_of(const transform_case *its, const double complex *input,
                                     ptrdiff_t all, int sign, const ptrdiff_t *index)
{
    long double complex sum = 0;
    for (ptrdiff_t n = 0; n < all; n++) {
        ptrdiff_t at[3];
        long double turns = 0;
        spread(n, its->axes, its->size, at);
        for (int k = 0; k < its->axes; k++)
            turns += (long double)(at[k] * index[k] % its->size[k]) / (long double)its->size[k];
        sum += input[n] * cexpl(2 * 3.14159265358979323846264338327950288L * I * sign * turns);
    }
    return sum;
}

static ptrdiff_t numbers_of(const transform_case *its)
{
    ptrdiff_t all = 1;
    for (int k = 0; k < its->axes; k++)
        all *= its->size[k];
    return all;
}

/* The input of one transform of the batch: any numbers, real, or a spectrum of real ones. */
static void make_input(const transform_case *its, weft_device_kind kind, double complex *input)
{
    ptrdiff_t all = numbers_of(its), index[3], mirror[3];
    for (ptrdiff_t n = 0; n < all; n++)
        input[n] = (double)copies_below(1000) / 500.0 - 1 +
                   (kind == WEFT_DEVICE_R2C ? 0 : (double)copies_below(1000) / 500.0) * I;
    for (ptrdiff_t n = 0; kind == WEFT_DEVICE_C2R && n < all; n++) {
        ptrdiff_t other = 0;
        spread(n, its->axes, its->size, index);
        for (int k = 0; k < its->axes; k++) {
            mirror[k] = (its->size[k] - index[k]) % its->size[k];
            other = other * its->size[k] + mirror[k];
        }
        input[other] = other == n ? creal(input[n]) : conj(input[n]);
    }
}

static void set_number(void *array, ptrdiff_t at, bool single, bool real, double complex value)
{
    if (real && single)
        ((float *)array)[at] = (float)creal(value);
    else if (real)
        ((double *)array)[at] = creal(value);
    else if (single)
        ((float complex *)array)[at] = (float complex)value;
    else
        ((double complex *)array)[at] = value;
}

static double complex get_number(const void *array, ptrdiff_t at, bool single, bool real)
{
    if (real)
        return single ? (double)((const float *)array)[at] : ((const double *)array)[at];
    return single ? (double complex)((const float complex *)array)[at]
                  : ((const double complex *)array)[at];
}

/* In or out: sizes of that side. */
static void sizes_of(const transform_case *its, bool half, ptrdiff_t *size)
{
    memcpy(size, its->size, sizeof its->size);
    if (half)
        size[its->axes - 1] = its->size[its->axes - 1] / 2 + 1;
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

/* Puts the input where the spec says; everything else is NaN. */
static void fill(const transform_case *its, const weft_device_spec *spec, void *array,
                 double complex inputs[][120])
{
    ptrdiff_t size[3], index[3];
    sizes_of(its, spec->kind == WEFT_DEVICE_C2R, size);
    for (ptrdiff_t b = 0; b < its->batch; b++) {
        make_input(its, spec->kind, inputs[b]);
        for (ptrdiff_t n = 0; n < numbers_of(its); n++) {
            spread(n, its->axes, its->size, index);
            if (index[its->axes - 1] < size[its->axes - 1])
                set_number(
                    array,
                    at_of(spec->in_embed, spec->in_stride, spec->in_distance, b, its->axes, index),
                    spec->single, spec->kind == WEFT_DEVICE_R2C, inputs[b][n]);
        }
    }
}

static void compare(const transform_case *its, const weft_device_spec *spec, const void *array,
                    double complex inputs[][120])
{
    ptrdiff_t size[3], index[3], all = numbers_of(its);
    sizes_of(its, spec->kind == WEFT_DEVICE_R2C, size);
    for (ptrdiff_t b = 0; b < its->batch; b++)
        for (ptrdiff_t n = 0; n < all; n++) {
            spread(n, its->axes, its->size, index);
            if (index[its->axes - 1] >= size[its->axes - 1])
                continue;
            ptrdiff_t at =
                at_of(spec->out_embed, spec->out_stride, spec->out_distance, b, its->axes, index);
            double complex result =
                get_number(array, at, spec->single, spec->kind == WEFT_DEVICE_C2R);
            double error =
                cabs((double complex)(result - number_of(its, inputs[b], all, spec->sign, index)));
            ck_assert_msg(error < (spec->single ? 1e-4 : 1e-12), "number %td of %td: off by %g", n,
                          b, error);
        }
}

TEST(transforms_are_those_of_the_definition, .to = TRANSFORM_CASES * WAYS, ON_DEVICE)
{
    static double complex inputs[5][120];
    static double complex in[MOST];
    const transform_case *its = &transform_cases[_i % TRANSFORM_CASES];
    int way = _i / TRANSFORM_CASES;
    weft_device_spec spec = spec_of(its, way);
    bool in_place = way / (2 * KINDS), real = spec.kind != WEFT_DEVICE_C2C;
    size_t area_bytes;
#ifndef WEFT_HAVE_FLOAT
    if (spec.single)
        return;
#endif
    if (in_place && its->interleaved && real)
        return; /* not for cuFFT */
    copies_state = 1 + (uint64_t)_i;
    memset(in, 0xff, sizeof in);
    fill(its, &spec, in, inputs);
    void *from = on_device(in, sizeof in);
    void *to = in_place ? from : device->allocate(sizeof in);
    weft_device_transform *transform = device->transform_create(&spec, &area_bytes);
    ck_assert(transform != NULL);
    void *area = device->allocate(area_bytes + 1); /* the work area is memory, even of 0 bytes */
    ck_assert(device->transform_run(transform, from, to, area, queue));
    device->transform_destroy(transform);
    double complex *out = malloc(sizeof in);
    get(out, to, sizeof in);
    compare(its, &spec, out, inputs);
    if (!in_place) { /* the input is as it was, unless it must not be used again */
        get(out, from, sizeof in);
        bool spoilt = spec.kind == WEFT_DEVICE_C2R && its->axes > 1;
        ck_assert((!standin && spoilt) || (memcmp(out, in, sizeof in) != 0) == spoilt);
        device->release(to);
    }
    free(out);
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
