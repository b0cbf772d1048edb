/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passes, compared with the definition of every transform. Views are random; memory between the
 * elements of a view must not change. Compiled once per precision.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "kernels/pass/division.h"
#include "kernels/pass/libfftw3.h"
#include "tests/unit/harness.h"
#include "tests/unit/passes.h"

/* Returns the whole array of a side with random numbers, real or complex. */
static whole random_whole(int axes, const ptrdiff_t *count, bool real)
{
    whole w = whole_make(axes, count);
    ptrdiff_t n = elements(axes, count);
    for (ptrdiff_t i = 0; i < n; i++) {
        w.value[i][0] = number();
        w.value[i][1] = real ? 0 : number();
    }
    return w;
}

static void put(const test_case *c, const memory *in, const whole *given)
{
    ptrdiff_t index[WEFT_MAX_AXES] = {0}, i = 0;
    do {
        weft_real *x = element_at(in, &c->source, c->spec.axes, index);
        x[0] = (weft_real)given->value[i][0];
        if (c->source.element == sizeof(weft_complex))
            x[1] = (weft_real)given->value[i][1];
        i++;
    } while (index_next(c->spec.axes, c->source_count, index));
}

static void twist(const test_case *c, whole *w)
{
    const weft_twiddle *t = &c->spec.twiddle;
    ptrdiff_t index[WEFT_MAX_AXES] = {0}, i = 0;
    if (!t->n)
        return;
    do {
        ptrdiff_t second = t->start[1] + index[t->axis[1]];
        if (t->weight)
            second += t->weight * index[t->more];
        ptrdiff_t power = (t->start[0] + index[t->axis[0]]) * second;
        long double angle = t->sign * TURN * (long double)(power % t->n) / (long double)t->n;
        long double *y = w->value[i++], re = y[0];
        y[0] = re * cosl(angle) - y[1] * sinl(angle);
        y[1] = re * sinl(angle) + y[1] * cosl(angle);
    } while (index_next(c->spec.axes, c->target_count, index));
}

static void transform_modes(const weft_pass_spec *spec, whole *w, int a)
{
    const weft_kind kind = spec->kind[a];
    const ptrdiff_t n = spec->size[a], modes = spec->modes[a] ? spec->modes[a] : n;
    if (kind == WEFT_BACKWARD || kind == WEFT_C2R)
        resize(w, a, kind == WEFT_C2R, modes, n);
    if (kind == WEFT_C2R)
        transform_c2r(w, a, n);
    else if (kind != WEFT_KEEP)
        transform(w, a, kind, kind == WEFT_R2C ? n / 2 + 1 : n);
    if (kind == WEFT_FORWARD || kind == WEFT_R2C)
        resize(w, a, kind == WEFT_R2C, n, modes);
}

/* Fills the source with random numbers and computes the expected target: r2c first, c2r last. */
static whole expected(const test_case *c, const memory *in)
{
    const weft_pass_spec *spec = &c->spec;
    whole w = random_whole(spec->axes, c->source_count, c->source.element == sizeof(weft_real));
    put(c, in, &w);
    for (int turn = 0; turn < 3; turn++)
        for (int a = 0; a < spec->axes; a++)
            if (turn == (spec->kind[a] == WEFT_R2C ? 0 : spec->kind[a] == WEFT_C2R ? 2 : 1))
                transform_modes(spec, &w, a);
    twist(c, &w);
    return w;
}

static long double relative_error(const test_case *c, const whole *right, const memory *out)
{
    long double difference = 0, size = 0;
    ptrdiff_t index[WEFT_MAX_AXES] = {0}, i = 0;
    int parts = c->target.element == sizeof(weft_complex) ? 2 : 1;
    do {
        const weft_real *y = element_at(out, &c->target, c->spec.axes, index);
        for (int k = 0; k < parts; k++) {
            long double d = (long double)y[k] - right->value[i][k];
            difference += d * d;
            size += right->value[i][k] * right->value[i][k];
        }
        i++;
    } while (index_next(c->spec.axes, c->target_count, index));
    return size > 0 ? sqrtl(difference / size) : sqrtl(difference);
}

/* Restores the elements that a pass may overwrite, so that the rest can be compared. */
static void restore(const test_case *c, memory *m, const memory *before, const shape *s,
                    const ptrdiff_t *count)
{
    ptrdiff_t index[WEFT_MAX_AXES] = {0};
    do {
        weft_real *x = element_at(m, s, c->spec.axes, index);
        memcpy(x, element_at(before, s, c->spec.axes, index), s->element);
    } while (index_next(c->spec.axes, count, index));
}

static bool unchanged(const memory *m, const memory *before)
{
    for (int k = 0; k < ARRAYS; k++)
        if (memcmp(m->base[k], before->base[k], m->bytes[k]) != 0)
            return false;
    return true;
}

/* Clears padding bytes of long double, which may differ between equal values. */
static void clear_padding(memory *m)
{
    for (int k = 0; k < ARRAYS; k++)
        for (size_t i = 0; i < m->bytes[k] / sizeof(weft_real); i++) {
            weft_real value = m->base[k][i];
            memset(&m->base[k][i], 0, sizeof value);
#if defined(WEFT_LONG_DOUBLE)
            memcpy(&m->base[k][i], &value, LDBL_MANT_DIG == 64 ? 10 : sizeof value);
#else
            m->base[k][i] = value;
#endif
        }
}

static long double tolerance(const test_case *c)
{
    long double points = 1;
    for (int a = 0; a < c->spec.axes; a++)
        if (c->spec.kind[a] != WEFT_KEEP)
            points *= (long double)c->spec.size[a];
    return 10 * EPSILON * (1 + log2l(points));
}

/* Runs a pass for the first or second time. */
static void check_run(const test_case *c, weft_pass *pass, int run, const whole *right, memory *in,
                      memory *out, unsigned char *work)
{
    clear_padding(in);
    clear_padding(out);
    memory in_before = memory_copy(in), out_before = memory_copy(out);
    weft_pass_run(pass, (const void *const *)in->first, (void *const *)out->first, work);
    const long double error = relative_error(c, right, out);
    restore(c, out, &out_before, &c->target, c->target_count);
    clear_padding(in);
    clear_padding(out);
    if (c->spec.in_place || c->spec.may_destroy)
        restore(c, in, &in_before, &c->source, c->source_count);
    ck_assert_msg(error <= tolerance(c), "%s: error %Lg in run %d of: %s", c->name, error, run,
                  pass->text);
    ck_assert_msg(unchanged(out, &out_before), "%s: writes beyond the target: %s", c->name,
                  pass->text);
    ck_assert_msg(unchanged(in, &in_before), "%s: changes the source: %s", c->name, pass->text);
    memory_free(&in_before);
    memory_free(&out_before);
}

/* Runs a case twice. */
static void check_case(const test_case *c)
{
    enum { BEHIND = 64 };
    const weft_pass_spec *spec = &c->spec;
    weft_pass *pass = weft_pass_create_limited(spec, &c->limits);
    ck_assert_msg(pass, "%s: %s", c->name, weft_error_text());
    memory in = memory_make(&c->source, spec->in_place ? &c->target : NULL, c->misaligned);
    whole right = expected(c, &in);
    memory out = spec->in_place ? in : memory_make(&c->target, NULL, c->misaligned);
    size_t bytes = pass->workspace;
    unsigned char *work = aligned_alloc(64, bytes + BEHIND);
    memset(work + bytes, 0x5A, BEHIND);
    for (int run = 0; run < 2; run++) {
        check_run(c, pass, run, &right, &in, &out, work);
        for (int k = 0; k < BEHIND; k++)
            if (work[bytes + (size_t)k] != 0x5A)
                ck_abort_msg("%s: writes beyond the workspace", c->name);
    }
    free(work);
    free(right.value);
    memory_free(&in);
    if (!spec->in_place)
        memory_free(&out);
    weft_pass_destroy(pass);
}

/* Fewer cases in the other precisions, which have the same source. */
enum { CASES = sizeof(weft_real) == sizeof(double) ? 500 : 150 };

TEST(every_pass_does_what_its_definition_says, .to = FAMILIES)
{
    for (int n = 0; n < CASES; n++) {
        test_case c;
        weft_effort_set_first_plan_is_good(n % 2);
        case_make(&c, n * FAMILIES + _i, _i);
        check_case(&c);
    }
}

/* Makes a transform of rows that are `row` complex numbers apart in the target; the caller says
 * where the blocks of the source are. */
static void rows_make(test_case *c, weft_kind kind, ptrdiff_t rows, ptrdiff_t length, int blocks,
                      ptrdiff_t source_reach, ptrdiff_t row)
{
    const bool real = kind == WEFT_R2C;
    *c = (test_case){.source_count = {rows, length},
                     .target_count = {rows, real ? length / 2 + 1 : length},
                     .limits = {.level2 = 1 << 20, .last = 1 << 24}};
    c->source = (shape){.view = {0, blocks, c->source.block},
                        .reach = {source_reach},
                        .element = real ? sizeof(weft_real) : sizeof(weft_complex)};
    c->target = (shape){.view = {0, 1, c->target.block},
                        .block = {{.count = rows, .stride = {row, 1}}},
                        .reach = {rows * row},
                        .element = sizeof(weft_complex)};
    c->spec = pass_of_two_axes(rows, length, WEFT_KEEP, kind, c->source.block, c->target.block);
    c->spec.source.blocks = blocks;
    snprintf(c->name, sizeof c->name, "rows of %td", length);
}

/* Four rows; only their distance shows that every second one is not aligned. If FFTW transforms the
 * rows directly, there is also a plan for rows that are not aligned, even if this processor does
 * not need it. */
TEST(rows_at_odd_distances_are_not_taken_for_aligned)
{
    enum { ROWS = 4 };
    static const weft_kind kinds[] = {WEFT_FORWARD, WEFT_R2C};
    for (ptrdiff_t length = 8; length <= 256; length *= 2)
        for (int k = 0; k < 2; k++) {
            test_case c;
            rows_make(&c, kinds[k], ROWS, length, ROWS, ROWS * (length + 1),
                      k ? length / 2 + 1 : length);
            for (int row = 0; row < ROWS; row++)
                c.source.block[row] =
                    (weft_view_block){.count = 1, .offset = row * (length + 1), .stride = {2, 1}};
            check_case(&c);
            weft_pass *pass = pass_made(&c.spec, &c.limits);
            const weft_pass_sweep *sweep = &((const weft_host_pass *)pass)->sweep[0];
            const bool aligned = weft_fft_aligned((length + 1) * (ptrdiff_t)c.source.element);
            ck_assert(aligned || sweep->variant.gather || sweep->work[0].transform[0].any);
            weft_pass_destroy(pass);
        }
}

/* Columns of the source become rows of the target, an odd number of numbers apart. In single
 * precision FFTW 3.3.10 ends the program for such rows, if it can use AVX. */
TEST(columns_become_rows_at_odd_distances)
{
    enum { ROWS = 20, COLUMN = 22 };
    for (ptrdiff_t length = 4; length <= 16; length++) {
        test_case c;
        rows_make(&c, WEFT_FORWARD, ROWS, length, 1, COLUMN * length, length | 1);
        c.source.block[0] = (weft_view_block){.count = ROWS, .stride = {1, COLUMN}};
        check_case(&c);
    }
}

TEST(the_first_way_is_judged_once)
{
    ck_assert(weft_effort_first_plan_is_good(false)); /* no time to measure */
    const bool found = weft_effort_first_plan_is_good(true);
    ck_assert_int_eq(weft_effort_first_plan_is_good(false), found);
    weft_effort_set_first_plan_is_good(!found);
    ck_assert_int_eq(weft_effort_first_plan_is_good(true), !found);
}
