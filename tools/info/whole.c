/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every array is computed as complex numbers with all frequencies, for all kinds, and is cut
 * to the form of its side at the end. The input of c2r has to be the transform of real numbers, so
 * it is made of some.
 */
#include "tools/info/whole.h"

#include <stdlib.h>
#include <string.h>
#include "api/weft.h"

static ptrdiff_t points(const whole_problem *it, const ptrdiff_t *length)
{
    ptrdiff_t count = it->howmany;
    for (int axis = 0; axis < it->axes; axis++)
        count *= length[axis];
    return count;
}

ptrdiff_t whole_numbers(const whole_array *array, int side)
{
    ptrdiff_t numbers = array->tuple[side];
    for (int axis = 0; axis < array->of.axes; axis++)
        numbers *= array->length[side][axis];
    return numbers;
}

/* Numbers that lie after one another along an axis, and how many such rows there are. */
static void around(const whole_problem *it, const ptrdiff_t *length, int axis, ptrdiff_t *outer,
                   ptrdiff_t *inner)
{
    *outer = 1;
    *inner = it->howmany;
    for (int a = 0; a < it->axes; a++)
        *(a < axis ? outer : inner) *= a == axis ? 1 : length[a];
}

/* Transforms one axis in place; r2r kinds transform both parts of complex numbers. */
static void along(const whole_problem *it, const ptrdiff_t *length, int axis, int kind,
                  weft_real *numbers)
{
    const int sign =
        kind == WEFT_DFT_FORWARD || kind == WEFT_DFT_R2C ? FFTW_FORWARD : FFTW_BACKWARD;
    FFTW(complex) *both_parts = (FFTW(complex) *)numbers;
    FFTW(r2r_kind) real_kind = (FFTW(r2r_kind))kind;
    FFTW(iodim64) dim = {length[axis], 0, 0}, rest[2];
    ptrdiff_t outer, inner;
    if (kind == WEFT_NONE || it->howmany == 0)
        return;
    around(it, length, axis, &outer, &inner);
    inner *= kind < WEFT_NONE ? 2 : 1;
    dim.is = dim.os = inner;
    rest[0] = (FFTW(iodim64)){outer, dim.n * inner, dim.n * inner};
    rest[1] = (FFTW(iodim64)){inner, 1, 1};
    FFTW(plan)
    plan =
        kind < WEFT_NONE
            ? FFTW(plan_guru64_r2r)(1, &dim, 2, rest, numbers, numbers, &real_kind, FFTW_ESTIMATE)
            : FFTW(plan_guru64_dft)(1, &dim, 2, rest, both_parts, both_parts, sign, FFTW_ESTIMATE);
    FFTW(execute)(plan);
    FFTW(destroy_plan)(plan);
}

/* How much of mode j of `from` is in mode k of `to`. */
static weft_real share(ptrdiff_t from, ptrdiff_t to, ptrdiff_t j, ptrdiff_t k)
{
    weft_real sum = 0;
    /* an even number's highest mode is two frequencies, of one half each where it is extended */
    for (int a = 0; a < (2 * j == from ? 2 : 1); a++)
        for (int b = 0; b < (2 * k == to ? 2 : 1); b++) {
            const ptrdiff_t x = 2 * j > from || a ? j - from : j, y = 2 * k > to || b ? k - to : k;
            sum += x != y ? 0 : 2 * j == from ? (weft_real)0.5 : 1;
        }
    return from == to ? j == k : sum;
}

/* The array with another number of modes along one axis, in place of the old one. */
static weft_real *resized(const whole_problem *it, ptrdiff_t *length, int axis, ptrdiff_t to,
                          weft_real *x)
{
    const ptrdiff_t from = length[axis];
    ptrdiff_t outer, inner;
    if (from == to || !x)
        return x;
    around(it, length, axis, &outer, &inner);
    length[axis] = to;
    weft_real *y = FFTW(malloc)(sizeof *y * 2 * (size_t)points(it, length));
    for (ptrdiff_t i = 0; y && i < 2 * outer * inner * to; i++) {
        const ptrdiff_t at = i % (2 * inner), k = i / (2 * inner) % to, o = i / (2 * inner * to);
        y[i] = 0;
        for (ptrdiff_t j = 0; j < from; j++)
            y[i] += share(from, to, j, k) * x[(o * from + j) * 2 * inner + at];
    }
    FFTW(free)(x);
    return y;
}

static weft_real *noise(ptrdiff_t numbers, int only_real)
{
    weft_real *made = FFTW(malloc)(sizeof *made * (size_t)(numbers + 1));
    unsigned state = 17;
    for (ptrdiff_t i = 0; made && i < numbers; i++) {
        state = state * 1664525u + 1013904223u;
        made[i] = only_real && i % 2 ? 0 : (weft_real)((state >> 8) % 20001) / 10000 - 1;
    }
    return made;
}

/* The kind that undoes a kind, but for a factor. */
static int undoing(int kind)
{
    return kind == WEFT_DFT_FORWARD || kind == WEFT_DFT_R2C    ? WEFT_DFT_BACKWARD
           : kind == WEFT_DFT_BACKWARD || kind == WEFT_DFT_C2R ? WEFT_DFT_FORWARD
           : kind == FFTW_R2HC                                 ? (int)FFTW_HC2R
           : kind == FFTW_HC2R                                 ? (int)FFTW_R2HC
           : kind == FFTW_REDFT01                              ? (int)FFTW_REDFT10
           : kind == FFTW_REDFT10                              ? (int)FFTW_REDFT01
           : kind == FFTW_RODFT01                              ? (int)FFTW_RODFT10
           : kind == FFTW_RODFT10                              ? (int)FFTW_RODFT01
                                                               : kind;
}

void whole_factor(const whole_problem *it, const ptrdiff_t *index, weft_real factor[2])
{
    const ptrdiff_t *spectrum = it->modes[0] > 0 ? it->modes : it->n;
    const int last = it->kind[it->axes - 1], real = last == WEFT_DFT_R2C || last == WEFT_DFT_C2R;
    int fourier = 0;
    factor[0] = 2;
    for (int axis = 0; axis < it->axes; axis++) {
        const ptrdiff_t i = index[axis], opposite = spectrum[axis] - i;
        const int folds = real && it->kind[axis] > WEFT_NONE && opposite < i;
        fourier |= it->kind[axis] > WEFT_NONE;
        factor[0] += (weft_real)(axis + 1) * (weft_real)(folds ? opposite : i) / 16;
    }
    factor[1] = fourier && !real ? 1 - factor[0] / 4 : 0;
}

/* Multiplies the spectrum, which has these lengths, by its factors. */
static void operate(const whole_problem *it, const ptrdiff_t *length, weft_real *x)
{
    for (ptrdiff_t i = 0; i < points(it, length); i++) {
        ptrdiff_t index[WHOLE_AXES], rest = i / it->howmany;
        weft_real factor[2], re = x[2 * i], im = x[2 * i + 1];
        for (int axis = it->axes - 1; axis >= 0; axis--) {
            index[axis] = rest % length[axis];
            rest /= length[axis];
        }
        whole_factor(it, index, factor);
        x[2 * i] = re * factor[0] - im * factor[1];
        x[2 * i + 1] = re * factor[1] + im * factor[0];
    }
}

/* Makes the output's fields of the input's. */
static weft_real *spread(const whole_problem *it, const ptrdiff_t *length, weft_real *x)
{
    const ptrdiff_t places = it->howmany > 0 ? points(it, length) / it->howmany : 0;
    weft_real *y = FFTW(malloc)(sizeof *y * (size_t)(2 * places * it->fields + 1));
    for (ptrdiff_t i = 0; y && i < places * it->fields; i++)
        for (int part = 0; part < 2; part++) {
            const ptrdiff_t f = i % it->fields;
            y[2 * i + part] =
                x[2 * (i / it->fields * it->howmany + f % it->howmany) + part] * (weft_real)(f + 1);
        }
    FFTW(free)(x);
    return y;
}

static int goes_back(int kind)
{
    return kind == WEFT_DFT_BACKWARD || kind == WEFT_DFT_C2R;
}

/* Transforms all axes; `now` are the lengths before. */
static weft_real *transformed(const whole_problem *it, const ptrdiff_t *spectrum, ptrdiff_t *now,
                              weft_real *x)
{
    for (int axis = 0; x && axis < it->axes; axis++) {
        const int kind = it->kind[axis], back = goes_back(kind);
        if (back)
            x = resized(it, now, axis, it->n[axis], x);
        if (x)
            along(it, now, axis, kind, x);
        if (x && it->there_and_back)
            along(it, now, axis, WEFT_DFT_BACKWARD, x);
        if (!back)
            x = resized(it, now, axis, spectrum[axis], x);
    }
    if (!x || !it->operates)
        return x;
    whole_problem output = *it;
    operate(it, now, x);
    if (it->fields > 0) {
        output.howmany = it->fields;
        x = spread(it, now, x);
    }
    for (int axis = 0; x && axis < it->axes; axis++) {
        const int back = goes_back(it->kind[axis]);
        if (!back)
            x = resized(&output, now, axis, it->n[axis], x);
        if (x)
            along(&output, now, axis, undoing(it->kind[axis]), x);
        if (back)
            x = resized(&output, now, axis, spectrum[axis], x);
    }
    return x;
}

/* Cuts the numbers to the form of a side, in place. */
static void cut_to_form(const whole_problem *it, ptrdiff_t *length, int half, int real,
                        weft_real *x)
{
    const ptrdiff_t whole = length[it->axes - 1];
    if (half)
        length[it->axes - 1] = whole / 2 + 1;
    const ptrdiff_t count = points(it, length), row = length[it->axes - 1] * it->howmany;
    for (ptrdiff_t i = 0; i < count; i++) {
        const ptrdiff_t place = i / row * whole * it->howmany + i % row;
        x[real ? i : 2 * i] = x[2 * place];
        if (!real)
            x[2 * i + 1] = x[2 * place + 1];
    }
}

/* What the kinds say of the sides. */
static void find_forms(const whole_problem *it, int *real, int *half)
{
    const int last = it->kind[it->axes - 1];
    int only_real = 1;
    for (int axis = 0; axis < it->axes; axis++)
        only_real &= it->kind[axis] <= WEFT_NONE;
    real[0] = only_real || last == WEFT_DFT_R2C;
    real[1] = only_real || last == WEFT_DFT_C2R;
    half[0] = last == WEFT_DFT_C2R;
    half[1] = last == WEFT_DFT_R2C;
    if (it->operates) {
        real[1] = real[0];
        half[1] = half[0];
    }
}

int whole_compute(const whole_problem *it, whole_array *array)
{
    int real[2], half[2], back = 0;
    ptrdiff_t now[WHOLE_AXES];
    const ptrdiff_t *spectrum = it->modes[0] > 0 ? it->modes : it->n;
    *array = (whole_array){.of = *it};
    find_forms(it, real, half);
    for (int axis = 0; axis < it->axes; axis++)
        back |= goes_back(it->kind[axis]);
    memcpy(array->length[!back], spectrum, sizeof it->n);
    memcpy(array->length[back], it->n, sizeof it->n);
    if (it->operates)
        memcpy(array->length[1], array->length[0], sizeof it->n);
    const size_t numbers = 2 * (size_t)points(it, array->length[0]);
    weft_real *in = noise((ptrdiff_t)numbers, real[0] || half[0]),
              *out = FFTW(malloc)(sizeof *out * (numbers + 1));
    for (int axis = 0; in && half[0] && axis < it->axes; axis++)
        if (it->kind[axis] > WEFT_NONE) /* of real numbers */
            along(it, array->length[0], axis, WEFT_DFT_FORWARD, in);
    if (in && out)
        memcpy(out, in, sizeof *out * numbers);
    memcpy(now, array->length[0], sizeof now);
    array->number[0] = in;
    array->number[1] = in ? transformed(it, spectrum, now, out) : out;
    for (int side = 0; side < 2; side++) {
        whole_problem of = *it;
        of.howmany = side && it->fields > 0 ? it->fields : it->howmany;
        array->tuple[side] = of.howmany * (real[side] ? 1 : 2);
        if (in && array->number[1])
            cut_to_form(&of, array->length[side], half[side], real[side], array->number[side]);
    }
    if (!in || !array->number[1]) {
        whole_free(array);
        return 0;
    }
    for (ptrdiff_t i = 0; i < whole_numbers(array, 1); i++) {
        const weft_real x = array->number[1][i], size = x < 0 ? -x : x;
        array->largest = size > array->largest ? size : array->largest;
    }
    return 1;
}

void whole_free(whole_array *array)
{
    for (int side = 0; side < 2; side++) {
        FFTW(free)(array->number[side]);
        array->number[side] = NULL;
    }
}
