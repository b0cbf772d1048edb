/* SPDX-License-Identifier: BSD-3-Clause */
/* Random cases: kinds, sizes, views, and caches so small that small arrays use every tiling. */
#include <stdio.h>
#include "kernels/base/error.h"
#include "tests/unit/passes.h"

weft_pass *pass_made(const weft_pass_spec *spec, const weft_pass_limits *limits)
{
    weft_pass *pass = limits ? weft_pass_create_limited(spec, limits) : weft_pass_create(spec);
    ck_assert_msg(pass, "%s", weft_error_text());
    return pass;
}

weft_pass_spec pass_of_two_axes(ptrdiff_t n0, ptrdiff_t n1, weft_kind first, weft_kind second,
                                const weft_view_block *source, const weft_view_block *target)
{
    return (weft_pass_spec){.axes = 2,
                            .size = {n0, n1},
                            .kind = {first, second},
                            .source = {0, 1, source},
                            .target = {0, 1, target},
                            .fftw_flags = FFTW_ESTIMATE,
                            .threads = 1};
}

static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 20, 25, 31, 32, 37};

/* Chooses the kind of each axis; some axes are kept. */
static void choose_kinds(test_case *c, pass_family family)
{
    weft_pass_spec *spec = &c->spec;
    int halved = below(spec->axes);
    bool mixed = one_in(3);
    weft_kind sign = one_in(2) ? WEFT_FORWARD : WEFT_BACKWARD;
    if (family == REAL_TO_COMPLEX)
        sign = WEFT_FORWARD;
    if (family == COMPLEX_TO_REAL)
        sign = WEFT_BACKWARD;
    for (int a = 0; a < spec->axes; a++) {
        weft_kind kind = WEFT_KEEP;
        if (family <= COMPLEX_TO_REAL)
            kind = !mixed || one_in(2) ? sign : one_in(2) ? WEFT_FORWARD : WEFT_BACKWARD;
        if (family == R2R)
            kind = (weft_kind)(WEFT_R2HC + below(WEFT_RODFT11 - WEFT_R2HC + 1));
        if (kind == WEFT_REDFT00 && spec->size[a] < 2)
            kind = WEFT_DHT;
        spec->kind[a] = one_in(3) ? WEFT_KEEP : kind;
    }
    if (family == REAL_TO_COMPLEX)
        spec->kind[halved] = WEFT_R2C;
    if (family == COMPLEX_TO_REAL)
        spec->kind[halved] = WEFT_C2R;
}

/* Makes some spectra shorter or longer than the grid. */
static void choose_modes(weft_pass_spec *spec)
{
    for (int a = 0; a < spec->axes; a++) {
        const int most = 2 * (int)spec->size[a];
        if (spec->kind[a] != WEFT_KEEP && !one_in(4))
            spec->modes[a] = 1 + below(most);
    }
}

static void choose_sizes(test_case *c)
{
    weft_pass_spec *spec = &c->spec;
    int rank = 1 + below(4), most = 1500;
    static const int howmany[] = {1, 2, 5};
    for (int a = 0; a < rank; a++) {
        int size;
        do
            size = sizes[below(NUMBER(sizes))];
        while (size > most);
        most /= size;
        spec->size[a] = size;
    }
    spec->axes = rank + 1;
    spec->size[rank] = howmany[below(3)];
}

/* Chooses a length of rows that measured plans transform one by one, or lengths that are split in
 * halves. */
static void choose_rows(weft_pass_spec *spec)
{
    static const int lengths[] = {16, 18, 64, 64, 90, 96, 128, 254};
    for (int a = 0; a < spec->axes; a++)
        if (spec->kind[a] == WEFT_R2C || spec->kind[a] == WEFT_C2R)
            spec->size[a] = lengths[below(NUMBER(lengths))];
        else if (spec->size[a] > 3)
            spec->size[a] = 3;
    if (one_in(2))
        spec->fftw_flags &= ~FFTW_ESTIMATE;
}

/* Makes rows of 2 (n / 2 + 1) numbers on the real side, in the same memory on both sides. */
static void same_rows(test_case *c, int halved)
{
    const bool forward = c->source.element < c->target.element;
    shape *real = forward ? &c->source : &c->target, *complex = forward ? &c->target : &c->source;
    const ptrdiff_t size = c->spec.size[halved], half = size / 2 + 1;
    int order[WEFT_MAX_AXES], axes = c->spec.axes;
    ptrdiff_t step = 1;
    shuffle(order, axes);
    for (int k = 0; k < axes; k++) /* the halved axis last */
        if (order[k] == halved) {
            order[k] = order[axes - 1];
            order[axes - 1] = halved;
        }
    *real = (shape){{halved, 1, NULL}, .block = {{.count = size}}, .element = real->element};
    *complex = (shape){{halved, 1, NULL}, .block = {{.count = half}}, .element = complex->element};
    for (int k = axes - 1; k >= 0; k--) {
        const int a = order[k];
        real->block[0].stride[a] = a == halved ? 1 : 2 * step;
        complex->block[0].stride[a] = step;
        step *= a == halved ? half : c->spec.size[a];
    }
    real->reach[0] = 2 * step;
    complex->reach[0] = step;
}

bool case_has_modes(const test_case *c)
{
    for (int a = 0; a < c->spec.axes; a++)
        if (c->spec.modes[a])
            return true;
    return false;
}

static void choose_views(test_case *c, pass_family family)
{
    weft_pass_spec *spec = &c->spec;
    int axes = spec->axes, halved = -1;
    size_t real = sizeof(weft_real), complex = sizeof(weft_complex);
    for (int a = 0; a < axes; a++) {
        const ptrdiff_t modes = spec->modes[a] ? spec->modes[a] : spec->size[a];
        c->source_count[a] = spec->kind[a] == WEFT_BACKWARD ? modes : spec->size[a];
        c->target_count[a] = spec->kind[a] == WEFT_FORWARD ? modes : spec->size[a];
        if (spec->kind[a] == WEFT_R2C)
            c->target_count[halved = a] = modes / 2 + 1;
        if (spec->kind[a] == WEFT_C2R)
            c->source_count[halved = a] = modes / 2 + 1;
    }
    spec->real = family == R2R || family == COPY_REAL;
    int blocks = one_in(3) ? 1 : 9;
    shape_make(&c->source, axes, c->source_count,
               spec->real || family == REAL_TO_COMPLEX ? real : complex, blocks);
    blocks = one_in(3) ? 1 : 9;
    shape_make(&c->target, axes, c->target_count,
               spec->real || family == COMPLEX_TO_REAL ? real : complex, blocks);
    spec->in_place = one_in(3);
    if (spec->in_place && !case_has_modes(c) && !one_in(3)) {
        if (halved >= 0)
            same_rows(c, halved);
        else
            c->target = c->source;
    }
}

void case_make(test_case *c, int number, pass_family family)
{
    static const size_t level2[] = {64, 512, 4096, 1 << 20}, last[] = {256, 16384, 1 << 25};
    seed((uint64_t)number);
    *c = (test_case){0};
    snprintf(c->name, sizeof c->name, "case %d of family %d", number, (int)family);
    weft_pass_spec *spec = &c->spec;
    choose_sizes(c);
    choose_kinds(c, family);
    spec->fftw_flags = FFTW_ESTIMATE | (one_in(2) ? FFTW_UNALIGNED : 0);
    if (one_in(40) && spec->axes < 4)
        spec->fftw_flags &= ~FFTW_ESTIMATE;
    if ((family == REAL_TO_COMPLEX || family == COMPLEX_TO_REAL) && one_in(10))
        choose_rows(spec);
    if (family <= COMPLEX_TO_REAL && one_in(2))
        choose_modes(spec);
    choose_views(c, family);
    if ((family == C2C || family == COPY_COMPLEX || family == REAL_TO_COMPLEX) && one_in(3))
        spec->twiddle = (weft_twiddle){
            .n = 1 + below(one_in(2) ? 50 : 100000000),
            .sign = one_in(2) ? 1 : -1,
            .axis = {0, 1},
            .start = {below(1000), below(1000)},
        };
    if (spec->twiddle.n && spec->axes > 2 && one_in(2)) {
        spec->twiddle.weight = 1 + below(1000);
        spec->twiddle.more = 2;
    }
    spec->may_destroy = one_in(3);
    spec->threads = one_in(3) ? 2 + below(2) : 1;
    c->limits = (weft_pass_limits){.level2 = level2[below(4)], .last = last[below(3)]};
    c->misaligned = (spec->fftw_flags & FFTW_UNALIGNED) && one_in(2);
    c->source.view.block = c->source.block;
    c->target.view.block = c->target.block;
    spec->source = c->source.view;
    spec->target = c->target.view;
}
