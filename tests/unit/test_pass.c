/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passes against the definition of every transform, summed up in long double. Views are random:
 * axis orders, gaps, reversed axes, pieces of unequal lengths, empty ones, in some arrays. The
 * caches are taken to be tiny, so that small arrays go through every tiling. Whatever lies between
 * the elements of a view must stay as it was. Compiled once a precision.
 */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "error.h"
#include "pass-plan.h"
#include "unit/harness.h"

#if defined(WEFT_SINGLE)
#define EPSILON ((long double)FLT_EPSILON)
#elif defined(WEFT_LONG_DOUBLE)
#define EPSILON LDBL_EPSILON
#else
#define EPSILON ((long double)DBL_EPSILON)
#endif

static const long double turn = 6.28318530717958647692528676655900577L;

/* A small generator, so that cases are the same everywhere. */
static uint64_t state;

static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545F4914F6CDD1DULL >> 16;
}

static int below(int n)
{
    return (int)(any() % (uint64_t)n);
}

static bool one_in(int n)
{
    return below(n) == 0;
}

static weft_real number(void)
{
    return (weft_real)((double)(any() & 0xFFFFFF) / 0x800000 - 1.0);
}

/* The global array, compact, C order: complex in long double, whatever the kinds are. */
typedef struct {
    int axes;
    ptrdiff_t count[WEFT_MAX_AXES];
    long double (*value)[2];
} whole;

static ptrdiff_t elements(int axes, const ptrdiff_t *count)
{
    ptrdiff_t n = 1;
    for (int a = 0; a < axes; a++)
        n *= count[a];
    return n;
}

static whole whole_make(int axes, const ptrdiff_t *count)
{
    whole w = {.axes = axes};
    memcpy(w.count, count, (size_t)axes * sizeof *count);
    w.value = calloc((size_t)elements(axes, count), sizeof *w.value);
    ck_assert_ptr_nonnull(w.value);
    return w;
}

/* What input j contributes to output k of a transform of n numbers (to its imaginary part as well
 * where the kind is complex), as FFTW's manual defines them. c2r is taken care of by its inverse.
 */
static void definition(weft_kind kind, ptrdiff_t n, ptrdiff_t j, ptrdiff_t k, long double w[2])
{
    long double N = (long double)n, J = (long double)j, K = (long double)k, pi = turn / 2;
    long double angle = turn * (long double)(j * k % n) / N;
    w[1] = 0;
    switch (kind) {
    case WEFT_FORWARD:
    case WEFT_R2C:
        w[0] = cosl(angle), w[1] = -sinl(angle);
        return;
    case WEFT_BACKWARD:
    case WEFT_C2R:
        w[0] = cosl(angle), w[1] = sinl(angle);
        return;
    case WEFT_R2HC: /* real parts 0 to n / 2, then imaginary parts backwards */
        w[0] = k <= n / 2 ? cosl(angle) : -sinl(turn * (long double)(j * (n - k) % n) / N);
        return;
    case WEFT_HC2R:
        if (j <= n / 2)
            w[0] = (j == 0 || 2 * j == n ? 1 : 2) * cosl(angle);
        else
            w[0] = -2 * sinl(turn * (long double)((n - j) * k % n) / N);
        return;
    case WEFT_DHT:
        w[0] = cosl(angle) + sinl(angle);
        return;
    case WEFT_REDFT00:
        w[0] = j == 0 || j == n - 1 ? cosl(pi * J * K / (N - 1)) : 2 * cosl(pi * J * K / (N - 1));
        return;
    case WEFT_REDFT10:
        w[0] = 2 * cosl(pi * (J + 0.5L) * K / N);
        return;
    case WEFT_REDFT01:
        w[0] = j == 0 ? 1 : 2 * cosl(pi * J * (K + 0.5L) / N);
        return;
    case WEFT_REDFT11:
        w[0] = 2 * cosl(pi * (J + 0.5L) * (K + 0.5L) / N);
        return;
    case WEFT_RODFT00:
        w[0] = 2 * sinl(pi * (J + 1) * (K + 1) / (N + 1));
        return;
    case WEFT_RODFT10:
        w[0] = 2 * sinl(pi * (J + 0.5L) * (K + 1) / N);
        return;
    case WEFT_RODFT01:
        w[0] = j == n - 1 ? (k % 2 ? -1 : 1) : 2 * sinl(pi * (J + 1) * (K + 0.5L) / N);
        return;
    case WEFT_RODFT11:
        w[0] = 2 * sinl(pi * (J + 0.5L) * (K + 0.5L) / N);
        return;
    default:
        w[0] = j == k;
    }
}

/* Transforms along one axis into `count` outputs. */
static void transform(whole *w, int axis, weft_kind kind, ptrdiff_t count)
{
    ptrdiff_t n = w->count[axis], step = 1, outer = 1;
    whole result = *w;
    for (int a = 0; a < axis; a++)
        outer *= w->count[a];
    for (int a = axis + 1; a < w->axes; a++)
        step *= w->count[a];
    result.count[axis] = count;
    result = whole_make(w->axes, result.count);
    for (ptrdiff_t j = 0; j < n; j++)
        for (ptrdiff_t k = 0; k < count; k++) {
            long double f[2];
            definition(kind, n, j, k, f);
            for (ptrdiff_t o = 0; o < outer; o++)
                for (ptrdiff_t i = 0; i < step; i++) {
                    const long double *x = w->value[(o * n + j) * step + i];
                    long double *y = result.value[(o * count + k) * step + i];
                    y[0] += x[0] * f[0] - x[1] * f[1];
                    y[1] += x[0] * f[1] + x[1] * f[0];
                }
        }
    free(w->value);
    *w = result;
}

static bool index_next(int axes, const ptrdiff_t *count, ptrdiff_t *index)
{
    for (int a = axes - 1; a >= 0; a--) {
        if (++index[a] < count[a])
            return true;
        index[a] = 0;
    }
    return false;
}

enum { ARRAYS = 5 };

/* One side of a case: a view with pieces of its own, and how far each array reaches. */
typedef struct {
    weft_view view;
    weft_view_piece piece[24];
    ptrdiff_t reach[ARRAYS]; /* elements of each array */
    size_t element;
} shape;

static void shuffle(int *order, int n)
{
    for (int k = 0; k < n; k++)
        order[k] = k;
    for (int k = n - 1; k > 0; k--) {
        int other = below(k + 1), swapped = order[k];
        order[k] = order[other];
        order[other] = swapped;
    }
}

/* Lays a piece of these counts behind what the array already holds. */
static void lay_piece(shape *s, weft_view_piece *piece, int axes, const ptrdiff_t *count,
                      const int *order, bool loose)
{
    ptrdiff_t step = loose && one_in(6) ? 2 : 1, back = 0;
    for (int k = axes - 1; k >= 0; k--) {
        int a = order[k];
        piece->stride[a] = step;
        step = step * count[a] + (loose && one_in(3) ? below(4) : 0);
        if (loose && one_in(8)) {
            back += piece->stride[a] * (count[a] - 1);
            piece->stride[a] = -piece->stride[a];
        }
    }
    ptrdiff_t gap = loose ? below(5) : 0;
    piece->offset = s->reach[piece->array] + gap + back;
    s->reach[piece->array] += gap + step;
}

/* A random view. */
static void shape_make(shape *s, int axes, const ptrdiff_t *count, size_t element, int most_pieces)
{
    int order[WEFT_MAX_AXES];
    bool loose = !one_in(3), one_order = one_in(2), interleaved = one_in(3);
    *s = (shape){.element = element};
    s->view.axis = below(axes);
    s->view.pieces = 1 + below(most_pieces);
    ptrdiff_t left = count[s->view.axis];
    shuffle(order, axes);
    weft_view_piece one = {.array = one_in(2) ? 0 : below(ARRAYS)};
    if (interleaved)
        lay_piece(s, &one, axes, count, order, loose);
    for (int p = 0; p < s->view.pieces; p++) {
        weft_view_piece *piece = &s->piece[p];
        ptrdiff_t part[WEFT_MAX_AXES];
        memcpy(part, count, (size_t)axes * sizeof *count);
        ptrdiff_t some = p == s->view.pieces - 1 ? left : one_in(5) ? 0 : below((int)left + 1);
        part[s->view.axis] = some;
        if (interleaved) {
            *piece = one;
            one.offset += some * one.stride[s->view.axis];
        } else {
            piece->array = one_in(2) ? 0 : below(ARRAYS);
            if (!one_order)
                shuffle(order, axes);
            if (some > 0)
                lay_piece(s, piece, axes, part, order, loose);
        }
        piece->count = some;
        left -= some;
    }
}

static ptrdiff_t place_of(const shape *s, int axes, const ptrdiff_t *index, int *array)
{
    ptrdiff_t along = index[s->view.axis];
    int p = 0;
    while (along >= s->piece[p].count)
        along -= s->piece[p++].count;
    ptrdiff_t place = s->piece[p].offset;
    for (int a = 0; a < axes; a++)
        place += (a == s->view.axis ? along : index[a]) * s->piece[p].stride[a];
    *array = s->piece[p].array;
    return place;
}

enum { GUARD = 8 }; /* numbers before and after every array */

/* Memory of a side: its arrays, each amid guards. */
typedef struct {
    size_t bytes[ARRAYS];
    weft_real *base[ARRAYS];
    void *first[ARRAYS]; /* as a pass is given them */
} memory;

static memory memory_make(const shape *a, const shape *b, int misaligned)
{
    memory m;
    for (int k = 0; k < ARRAYS; k++) {
        size_t one = (size_t)a->reach[k] * a->element,
               two = b ? (size_t)b->reach[k] * b->element : 0;
        m.bytes[k] = (one > two ? one : two) + (2 * GUARD + 4) * sizeof(weft_real);
        m.base[k] = FFTW(malloc)(m.bytes[k]);
        ck_assert_ptr_nonnull(m.base[k]);
        for (size_t i = 0; i < m.bytes[k] / sizeof(weft_real); i++)
            m.base[k][i] = number();
        m.first[k] = m.base[k] + GUARD + misaligned;
    }
    return m;
}

static memory memory_copy(const memory *from)
{
    memory m = *from;
    for (int k = 0; k < ARRAYS; k++) {
        m.base[k] = FFTW(malloc)(m.bytes[k]);
        ck_assert_ptr_nonnull(m.base[k]);
        memcpy(m.base[k], from->base[k], m.bytes[k]);
        m.first[k] = m.base[k] + ((weft_real *)from->first[k] - from->base[k]);
    }
    return m;
}

static void memory_free(memory *m)
{
    for (int k = 0; k < ARRAYS; k++)
        FFTW(free)(m->base[k]);
}

static weft_real *element_at(const memory *m, const shape *s, int axes, const ptrdiff_t *index)
{
    int array;
    ptrdiff_t place = place_of(s, axes, index, &array);
    return (weft_real *)m->first[array] + place * (ptrdiff_t)(s->element / sizeof(weft_real));
}

typedef enum {
    C2C,
    REAL_TO_COMPLEX,
    COMPLEX_TO_REAL,
    R2R,
    COPY_REAL,
    COPY_COMPLEX,
    FAMILIES
} pass_family;

typedef struct {
    weft_pass_spec spec;
    shape source, target;
    ptrdiff_t source_count[WEFT_MAX_AXES], target_count[WEFT_MAX_AXES];
    weft_pass_limits limits;
    int misaligned;
} test_case;

static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 20, 25, 31, 32, 37};

/* Kinds of each axis; some are kept. */
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

static void choose_sizes(test_case *c)
{
    weft_pass_spec *spec = &c->spec;
    int rank = 1 + below(4), most = 1500;
    static const int howmany[] = {1, 2, 5};
    for (int a = 0; a < rank; a++) {
        int size;
        do
            size = sizes[below((int)(sizeof sizes / sizeof *sizes))];
        while (size > most);
        most /= size;
        spec->size[a] = size;
    }
    spec->axes = rank + 1;
    spec->size[rank] = howmany[below(3)];
}

/* Rows of 2 (n / 2 + 1) numbers on the real side, the same memory on both. */
static void same_rows(test_case *c, int halved)
{
    ptrdiff_t step = 1;
    shape *s[] = {&c->source, &c->target};
    int order[WEFT_MAX_AXES], axes = c->spec.axes;
    ptrdiff_t count[WEFT_MAX_AXES];
    bool first_real = c->source.element < c->target.element;
    shuffle(order, axes);
    for (int k = 0; k < axes; k++) /* the halved axis last */
        if (order[k] == halved) {
            order[k] = order[axes - 1];
            order[axes - 1] = halved;
        }
    for (int a = 0; a < axes; a++)
        count[a] = a == halved ? c->spec.size[a] / 2 + 1 : c->spec.size[a];
    for (int k = 0; k < 2; k++) {
        size_t element = s[k]->element;
        *s[k] = (shape){.element = element, .view = {.axis = halved, .pieces = 1}};
        s[k]->piece[0].count = k ? c->target_count[halved] : c->source_count[halved];
    }
    for (int k = axes - 1; k >= 0; k--) {
        int a = order[k];
        ptrdiff_t real = a == halved ? 1 : 2 * step;
        s[0]->piece[0].stride[a] = first_real ? real : step;
        s[1]->piece[0].stride[a] = first_real ? step : real;
        step *= count[a];
    }
    s[0]->reach[0] = first_real ? 2 * step : step;
    s[1]->reach[0] = first_real ? step : 2 * step;
}

static void choose_views(test_case *c, pass_family family)
{
    weft_pass_spec *spec = &c->spec;
    int axes = spec->axes, halved = -1;
    size_t real = sizeof(weft_real), complex = sizeof(weft_complex);
    for (int a = 0; a < axes; a++) {
        c->source_count[a] = c->target_count[a] = spec->size[a];
        if (spec->kind[a] == WEFT_R2C)
            c->target_count[halved = a] = spec->size[a] / 2 + 1;
        if (spec->kind[a] == WEFT_C2R)
            c->source_count[halved = a] = spec->size[a] / 2 + 1;
    }
    spec->real = family == R2R || family == COPY_REAL;
    int pieces = one_in(3) ? 1 : 9;
    shape_make(&c->source, axes, c->source_count,
               spec->real || family == REAL_TO_COMPLEX ? real : complex, pieces);
    pieces = one_in(3) ? 1 : 9;
    shape_make(&c->target, axes, c->target_count,
               spec->real || family == COMPLEX_TO_REAL ? real : complex, pieces);
    spec->in_place = one_in(3);
    if (spec->in_place && !one_in(3)) {
        if (halved >= 0)
            same_rows(c, halved);
        else
            c->target = c->source;
    }
}

static void case_make(test_case *c, int number, pass_family family)
{
    static const size_t level2[] = {64, 512, 4096, 1 << 20}, last[] = {256, 16384, 1 << 25};
    state = 0x9E3779B97F4A7C15ULL + (uint64_t)number * 0xD1B54A32D192ED03ULL;
    for (int k = 0; k < 8; k++)
        any();
    *c = (test_case){0};
    weft_pass_spec *spec = &c->spec;
    choose_sizes(c);
    choose_kinds(c, family);
    choose_views(c, family);
    if ((family == C2C || family == COPY_COMPLEX || family == REAL_TO_COMPLEX) && one_in(3))
        spec->twiddle = (weft_twiddle){
            .n = 1 + below(one_in(2) ? 50 : 100000000),
            .sign = one_in(2) ? 1 : -1,
            .axis = {0, 1},
            .start = {below(1000), below(1000)},
        };
    spec->may_destroy = one_in(3);
    spec->threads = one_in(3) ? 2 + below(2) : 1;
    spec->fftw_flags = FFTW_ESTIMATE | (one_in(6) ? FFTW_UNALIGNED : 0);
    if (one_in(40) && spec->axes < 4)
        spec->fftw_flags &= ~FFTW_ESTIMATE;
    c->limits = (weft_pass_limits){.level2 = level2[below(4)], .last = last[below(3)]};
    c->misaligned = one_in(3);
}

/* Fills the source with random numbers (for c2r with what has a real result) and works out what
 * must come. */
static whole expected(const test_case *c, const memory *in)
{
    const weft_pass_spec *spec = &c->spec;
    bool backwards = false;
    long double scale = 1;
    for (int a = 0; a < spec->axes; a++)
        backwards = backwards || spec->kind[a] == WEFT_C2R;
    whole given = whole_make(spec->axes, backwards ? c->target_count : c->source_count);
    ptrdiff_t n = elements(spec->axes, given.count);
    for (ptrdiff_t i = 0; i < n; i++) {
        given.value[i][0] = number();
        given.value[i][1] = c->source.element == sizeof(weft_real) || backwards ? 0 : number();
    }
    whole result = whole_make(spec->axes, given.count);
    memcpy(result.value, given.value, (size_t)n * sizeof *given.value);
    for (int a = 0; backwards && a < spec->axes; a++) {
        static const weft_kind inverse[] = {WEFT_KEEP, WEFT_BACKWARD, WEFT_FORWARD, 0, WEFT_R2C};
        if (spec->kind[a] == WEFT_KEEP)
            continue;
        transform(&given, a, inverse[spec->kind[a]], c->source_count[a]);
        scale *= (long double)spec->size[a];
    }
    ptrdiff_t index[WEFT_MAX_AXES] = {0}, i = 0;
    do {
        weft_real *x = element_at(in, &c->source, spec->axes, index);
        x[0] = (weft_real)given.value[i][0];
        if (c->source.element == sizeof(weft_complex))
            x[1] = (weft_real)given.value[i][1];
        i++;
    } while (index_next(spec->axes, c->source_count, index));
    free(given.value);
    for (i = 0; backwards && i < n; i++)
        result.value[i][0] *= scale;
    for (int a = 0; !backwards && a < spec->axes; a++)
        if (spec->kind[a] != WEFT_KEEP)
            transform(&result, a, spec->kind[a], c->target_count[a]);
    i = 0;
    const weft_twiddle *t = &spec->twiddle;
    if (t->n)
        do {
            ptrdiff_t power = (t->start[0] + index[t->axis[0]]) * (t->start[1] + index[t->axis[1]]);
            long double angle = t->sign * turn * (long double)(power % t->n) / (long double)t->n;
            long double *y = result.value[i++], re = y[0];
            y[0] = re * cosl(angle) - y[1] * sinl(angle);
            y[1] = re * sinl(angle) + y[1] * cosl(angle);
        } while (index_next(spec->axes, c->target_count, index));
    return result;
}

/* Compares and, where elements belong, puts back what was there before, so that the rest can be
 * compared. */
static long double relative_error(const test_case *c, const whole *right, memory *out,
                                  const memory *before)
{
    long double difference = 0, size = 0;
    ptrdiff_t index[WEFT_MAX_AXES] = {0}, i = 0;
    int parts = c->target.element == sizeof(weft_complex) ? 2 : 1;
    do {
        weft_real *y = element_at(out, &c->target, c->spec.axes, index);
        weft_real *was = element_at(before, &c->target, c->spec.axes, index);
        for (int k = 0; k < parts; k++) {
            long double d = (long double)y[k] - right->value[i][k];
            difference += d * d;
            size += right->value[i][k] * right->value[i][k];
            y[k] = was[k];
        }
        i++;
    } while (index_next(c->spec.axes, c->target_count, index));
    return size > 0 ? sqrtl(difference / size) : sqrtl(difference);
}

/* Also puts back what a pass in place, or one that may destroy, was free to overwrite. */
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

/* Bytes between values: padding of long double may differ where the values do not. */
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

/* NULL, or what went wrong. */
static const char *run_case(test_case *c)
{
    static char text[300];
    const char *wrong = NULL;
    weft_pass_spec *spec = &c->spec;
    c->source.view.piece = c->source.piece;
    c->target.view.piece = c->target.piece;
    spec->source = c->source.view;
    spec->target = c->target.view;
    weft_error_clear();
    WEFT(pass) *pass = WEFT(pass_create_limited)(spec, &c->limits);
    if (!pass)
        return weft_error_text();
    memory in = memory_make(&c->source, spec->in_place ? &c->target : NULL, c->misaligned);
    whole right = expected(c, &in);
    memory out = spec->in_place ? in : memory_make(&c->target, NULL, c->misaligned);
    size_t bytes = WEFT(pass_workspace)(pass);
    unsigned char *work = aligned_alloc(64, bytes + 64);
    memset(work + bytes, 0x5A, 64);
    for (int run = 0; run < 2 && !wrong; run++) {
        clear_padding(&in);
        clear_padding(&out);
        memory in_before = memory_copy(&in), out_before = memory_copy(&out);
        WEFT(pass_run)
        (pass, (const void *const *)in.first, (void *const *)out.first, work);
        long double error = relative_error(c, &right, &out, &out_before);
        clear_padding(&in);
        clear_padding(&out);
        if (spec->in_place || spec->may_destroy)
            restore(c, &in, &in_before, &c->source, c->source_count);
        if (!(error <= tolerance(c))) {
            snprintf(text, sizeof text, "error %Lg in run %d of: %s", error, run,
                     WEFT(pass_text)(pass));
            wrong = text;
        } else if (!unchanged(&out, &out_before)) {
            snprintf(text, sizeof text, "writes beyond the target: %s", WEFT(pass_text)(pass));
            wrong = text;
        } else if (!unchanged(&in, &in_before)) {
            snprintf(text, sizeof text, "changes the source: %s", WEFT(pass_text)(pass));
            wrong = text;
        }
        for (int k = 0; k < 64; k++)
            if (work[bytes + (size_t)k] != 0x5A)
                wrong = "writes beyond the workspace";
        memory_free(&in_before);
        memory_free(&out_before);
    }
    free(work);
    free(right.value);
    memory_free(&in);
    if (!spec->in_place)
        memory_free(&out);
    WEFT(pass_destroy)(pass);
    return wrong;
}

enum { CASES = 500 };

START_TEST(every_pass_does_what_its_definition_says)
{
    for (int n = 0; n < CASES; n++) {
        test_case c;
        case_make(&c, n * FAMILIES + _i, _i);
        const char *wrong = run_case(&c);
        if (wrong)
            ck_abort_msg("case %d of family %d: %s", n, _i, wrong);
    }
}
END_TEST

/* A pass that is fine, of [6][5] to two pieces of 4 and 2 rows; each case spoils something. */
typedef struct {
    weft_pass_spec spec;
    weft_view_piece source[1], target[2];
} sound;

static void sound_make(sound *s)
{
    *s = (sound){
        .spec = {.axes = 2, .size = {6, 5}, .kind = {WEFT_KEEP, WEFT_FORWARD}, .threads = 1},
        .source = {{.count = 6, .stride = {5, 1}}},
        .target = {{.count = 4, .stride = {5, 1}}, {.count = 2, .offset = 20, .stride = {5, 1}}},
    };
    s->spec.fftw_flags = FFTW_ESTIMATE;
    s->spec.source = (weft_view){.axis = 0, .pieces = 1, .piece = s->source};
    s->spec.target = (weft_view){.axis = 0, .pieces = 2, .piece = s->target};
}

static const char *spoil(sound *s, int how)
{
    weft_pass_spec *spec = &s->spec;
    switch (how) {
    case 0:
        spec->size[1] = 0;
        return "size";
    case 1:
        spec->size[0] = -1;
        return "size";
    case 2:
        spec->axes = WEFT_MAX_AXES + 1;
        return "axes";
    case 3:
        spec->axes = 0;
        return "axes";
    case 4:
        s->source[0].count = 5;
        return "cover";
    case 5:
        s->target[1].count = 3;
        return "left";
    case 6:
        s->target[0].count = -1;
        return "piece 0";
    case 7:
        s->target[1].offset = 19;
        return "overlap";
    case 8:
        s->target[0].stride[0] = 4;
        return "overlap";
    case 9:
        s->target[0].stride[1] = 0;
        return "overlap";
    case 10:
        s->target[1].offset = 1;
        s->target[1].stride[0] = 3;
        s->target[1].stride[1] = 7;
        return "overlap";
    case 11:
        spec->source.axis = 2;
        return "axis 2";
    case 12:
        spec->target.axis = -1;
        return "axis -1";
    case 13:
        s->source[0].array = -1;
        return "array";
    case 14:
        s->source[0].stride[0] = PTRDIFF_MAX / 4;
        return "address";
    case 15:
        s->target[0].offset = PTRDIFF_MIN;
        return "address";
    case 16:
        spec->kind[0] = WEFT_REDFT00;
        spec->size[0] = 1;
        return "size";
    case 17:
        spec->kind[0] = WEFT_R2C;
        spec->kind[1] = WEFT_C2R;
        return "r2c or c2r";
    case 18:
        spec->kind[0] = WEFT_DHT;
        return "mixed";
    case 19:
        spec->kind[0] = (weft_kind)99;
        return "kind 99";
    case 20:
        spec->twiddle = (weft_twiddle){.n = 30, .sign = 1, .axis = {1, 1}};
        return "twiddle";
    case 21:
        spec->twiddle = (weft_twiddle){.n = -30, .sign = 1, .axis = {0, 1}};
        return "twiddle";
    case 22:
        spec->twiddle = (weft_twiddle){.n = 30, .sign = 1, .axis = {0, 1}, .start = {-1, 0}};
        return "twiddle";
    case 23:
        spec->kind[1] = WEFT_KEEP;
        spec->real = true;
        spec->twiddle = (weft_twiddle){.n = 30, .sign = 1, .axis = {0, 1}};
        return "twiddle";
    default:
        return NULL;
    }
}

enum { SPOILT = 24 };

START_TEST(what_makes_no_sense_is_refused_with_a_sentence)
{
    sound s;
    sound_make(&s);
    WEFT(pass) *pass = WEFT(pass_create)(&s.spec);
    ck_assert_ptr_nonnull(pass);
    WEFT(pass_destroy)(pass);
    sound_make(&s);
    const char *word = spoil(&s, _i);
    weft_error_clear();
    ck_assert_ptr_null(WEFT(pass_create)(&s.spec));
    ck_assert_msg(strstr(weft_error_text(), word) != NULL, "'%s' in: %s", word, weft_error_text());
}
END_TEST

START_TEST(pieces_may_lie_between_one_another)
{
    /* Rows of two arrays, one behind the other, in every order that does not collide. */
    sound s;
    sound_make(&s);
    s.target[0] = (weft_view_piece){.count = 4, .offset = 0, .stride = {11, 2}};
    s.target[1] = (weft_view_piece){.count = 2, .offset = 1, .stride = {22, 2}};
    WEFT(pass) *pass = WEFT(pass_create)(&s.spec);
    ck_assert_msg(pass != NULL, "%s", weft_error_text());
    WEFT(pass_destroy)(pass);
    s.target[1].offset = 11;
    ck_assert_ptr_null(WEFT(pass_create)(&s.spec));
}
END_TEST

/* Twice the same: a pass that was searched for, and one that is told what was found. */
START_TEST(a_variant_makes_the_same_pass_again)
{
    int repeated = 0;
    for (int n = 0; n < 60; n++) {
        test_case c;
        case_make(&c, 7 * n, (pass_family)(n % FAMILIES));
        c.source.view.piece = c.source.piece;
        c.target.view.piece = c.target.piece;
        c.spec.source = c.source.view;
        c.spec.target = c.target.view;
        c.spec.fftw_flags = n % 3 ? FFTW_MEASURE : FFTW_ESTIMATE;
        WEFT(pass) *pass = WEFT(pass_create_limited)(&c.spec, &c.limits);
        ck_assert_ptr_nonnull(pass);
        ck_assert_ptr_null(strpbrk(WEFT(pass_variant)(pass), " ,;"));
        c.spec.variant = WEFT(pass_variant)(pass);
        WEFT(pass) *again = WEFT(pass_create_limited)(&c.spec, &c.limits);
        ck_assert_ptr_nonnull(again);
        ck_assert_str_eq(WEFT(pass_text)(again), WEFT(pass_text)(pass));
        ck_assert_str_eq(WEFT(pass_variant)(again), WEFT(pass_variant)(pass));
        c.spec.variant = NULL;
        c.spec.fftw_flags = FFTW_ESTIMATE;
        WEFT(pass) *rule = WEFT(pass_create_limited)(&c.spec, &c.limits);
        ck_assert_ptr_nonnull(rule);
        repeated += strcmp(WEFT(pass_text)(rule), WEFT(pass_text)(pass)) != 0;
        WEFT(pass_destroy)(rule);
        WEFT(pass_destroy)(again);
        WEFT(pass_destroy)(pass);
    }
    ck_assert_int_gt(repeated, 0); /* some were not what the rule makes anyway */
}
END_TEST

static const char *const no_variants[] = {
    "",
    "2",
    "2.gs-----",
    "2.gs-----:",
    "2.gs-----:x",
    "2.gs---:9",
    "zebra",
    "2.gs-----:9/",
    "1.gs-----:9",
    "2.gs-----:9/1.gs-----:9",
    "3.gs-----:9",
    "0.gs-----:9",
    "2.gs-----:9 and more",
    "2.gs-----:9/2.gs-----:9",
    "2.gs-----:9/0.gs-----:9",
    "FFFFFFFFFFFFFFFFFFFF.gs-----:9",
};

START_TEST(a_variant_that_does_not_fit_is_as_none)
{
    sound s;
    sound_make(&s);
    WEFT(pass) *pass = WEFT(pass_create)(&s.spec);
    ck_assert_ptr_nonnull(pass);
    s.spec.variant = no_variants[_i];
    WEFT(pass) *other = WEFT(pass_create)(&s.spec);
    ck_assert_ptr_nonnull(other);
    ck_assert_str_eq(WEFT(pass_variant)(other), WEFT(pass_variant)(pass));
    WEFT(pass_destroy)(other);
    WEFT(pass_destroy)(pass);
}
END_TEST

START_TEST(when_time_is_over_a_pass_is_made_by_rule)
{
    test_case c;
    case_make(&c, 9, C2C);
    c.source.view.piece = c.source.piece;
    c.target.view.piece = c.target.piece;
    c.spec.source = c.source.view;
    c.spec.target = c.target.view;
    c.spec.fftw_flags = FFTW_ESTIMATE;
    WEFT(pass) *rule = WEFT(pass_create_limited)(&c.spec, &c.limits);
    ck_assert_ptr_nonnull(rule);
    c.spec.fftw_flags = FFTW_PATIENT;
    c.spec.until = 1e-9;
    WEFT(pass) *pass = WEFT(pass_create_limited)(&c.spec, &c.limits);
    ck_assert_ptr_nonnull(pass);
    ck_assert_str_eq(WEFT(pass_text)(pass), WEFT(pass_text)(rule));
    WEFT(pass_destroy)(rule);
    WEFT(pass_destroy)(pass);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pass" WEFT_LETTER);
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, every_pass_does_what_its_definition_says, 0, FAMILIES);
    tcase_add_loop_test(tests, what_makes_no_sense_is_refused_with_a_sentence, 0, SPOILT);
    tcase_add_test(tests, pieces_may_lie_between_one_another);
    tcase_add_test(tests, a_variant_makes_the_same_pass_again);
    tcase_add_loop_test(tests, a_variant_that_does_not_fit_is_as_none, 0,
                        (int)(sizeof no_variants / sizeof *no_variants));
    tcase_add_test(tests, when_time_is_over_a_pass_is_made_by_rule);
    suite_add_tcase(suite, tests);
    return run_unit(suite);
}
