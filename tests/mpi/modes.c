/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "tests/mpi/modes.h"

static bool fourier(int kind)
{
    return kind > WEFT_NONE;
}

static bool halved(const modes_case *c)
{
    return grids_sort(&c->it) == WEFT_DFT_R2C || grids_sort(&c->it) == WEFT_DFT_C2R;
}

int modes_spectral_side(const modes_case *c)
{
    const int sort = grids_sort(&c->it);
    return sort == WEFT_DFT_FORWARD || sort == WEFT_DFT_R2C;
}

bool modes_real(const modes_case *c, int side)
{
    const int sort = grids_sort(&c->it);
    return sort == WEFT_R2R || sort == (side ? WEFT_DFT_C2R : WEFT_DFT_R2C);
}

static ptrdiff_t points(const grids_case *it, const ptrdiff_t *length)
{
    ptrdiff_t count = it->howmany;
    for (int axis = 0; axis < it->rank; axis++)
        count *= length[axis];
    return count;
}

ptrdiff_t modes_whole(const modes_case *c, int side, const ptrdiff_t *length)
{
    return points(&c->it, length) * (modes_real(c, side) ? 1 : 2);
}

/* Of all frequencies. */
static const ptrdiff_t *full_lengths(const modes_case *c, int side)
{
    return side == modes_spectral_side(c) ? c->modes : c->it.n;
}

void modes_lengths(const modes_case *c, int side, ptrdiff_t *length)
{
    const int last = c->it.rank - 1;
    memcpy(length, full_lengths(c, side), sizeof *length * (size_t)c->it.rank);
    if (halved(c) && !modes_real(c, side))
        length[last] = length[last] / 2 + 1;
}

/* Numbers that lie after one another along an axis, and how many indices there are before it. */
static void around(const grids_case *it, const ptrdiff_t *length, int axis, ptrdiff_t *outer,
                   ptrdiff_t *inner)
{
    *outer = 1;
    *inner = it->howmany;
    for (int a = 0; a < it->rank; a++)
        *(a < axis ? outer : inner) *= a == axis ? 1 : length[a];
}

/* Kinds of FFTW's transform real and imaginary parts alike. */
static void along(const grids_case *it, const ptrdiff_t *n, int axis, int kind,
                  FFTW(complex) * numbers)
{
    FFTW(iodim64) dim = {n[axis], 0, 0}, both[2] = {{0}, {0, 1, 1}};
    FFTW(r2r_kind) r2r = (FFTW(r2r_kind))kind;
    const int sign =
        kind == WEFT_DFT_FORWARD || kind == WEFT_DFT_R2C ? FFTW_FORWARD : FFTW_BACKWARD;
    if (kind == WEFT_NONE)
        return;
    around(it, n, axis, &both[0].n, &both[1].n);
    both[1].n *= fourier(kind) ? 1 : 2;
    dim.is = dim.os = both[1].n;
    both[0].is = both[0].os = dim.n * dim.is;
    FFTW(plan)
    plan = fourier(kind)
               ? FFTW(plan_guru64_dft)(1, &dim, 2, both, numbers, numbers, sign, FFTW_ESTIMATE)
               : FFTW(plan_guru64_r2r)(1, &dim, 2, both, (weft_real *)numbers, (weft_real *)numbers,
                                       &r2r, FFTW_ESTIMATE);
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
    return sum;
}

/* Another array with another number of modes along one axis, which the length then says. */
static FFTW(complex) *
    resized(const grids_case *it, ptrdiff_t *length, int axis, ptrdiff_t to, FFTW(complex) * old)
{
    const ptrdiff_t from = length[axis];
    ptrdiff_t outer, inner;
    if (from == to)
        return old;
    around(it, length, axis, &outer, &inner);
    length[axis] = to;
    weft_real *x = (weft_real *)old, *y = FFTW(malloc)(sizeof *y * 2 * (size_t)points(it, length));
    for (ptrdiff_t i = 0; i < 2 * outer * inner * to; i++) {
        const ptrdiff_t at = i % (2 * inner), k = i / (2 * inner) % to, o = i / (2 * inner * to);
        y[i] = 0;
        for (ptrdiff_t j = 0; j < from; j++)
            y[i] += share(from, to, j, k) * x[(o * from + j) * 2 * inner + at];
    }
    FFTW(free)(old);
    return (FFTW(complex) *)y;
}

static FFTW(complex) * noise(const modes_case *c, const ptrdiff_t *length, bool real)
{
    const ptrdiff_t numbers = 2 * points(&c->it, length);
    weft_real *made = FFTW(malloc)(sizeof *made * (size_t)numbers);
    arrays_noise(made, numbers);
    for (ptrdiff_t i = 1; real && i < numbers; i += 2)
        made[i] = 0;
    return (FFTW(complex) *)made;
}

/* An array in the form in which it is on a side: real, or halved. */
static weft_real *in_form(const modes_case *c, int side, FFTW(complex) * full)
{
    const grids_case *it = &c->it;
    const int last = it->rank - 1;
    const ptrdiff_t whole = full_lengths(c, side)[last];
    ptrdiff_t length[GRIDS_RANK];
    modes_lengths(c, side, length);
    const ptrdiff_t count = points(it, length), row = length[last] * it->howmany;
    weft_real *made = FFTW(malloc)(sizeof *made * 2 * (size_t)count), *from = (weft_real *)full;
    for (ptrdiff_t i = 0; i < count; i++) {
        const ptrdiff_t place = i / row * whole * it->howmany + i % row;
        if (modes_real(c, side)) {
            made[i] = from[2 * place];
            continue;
        }
        made[2 * i] = from[2 * place];
        made[2 * i + 1] = from[2 * place + 1];
    }
    FFTW(free)(full);
    return made;
}

void modes_compute(const modes_case *c, weft_real *all[2])
{
    const grids_case *it = &c->it;
    const bool forward = modes_spectral_side(c), to_real = grids_sort(it) == WEFT_DFT_C2R;
    FFTW(complex) * full[2];
    ptrdiff_t now[GRIDS_RANK];
    memcpy(now, full_lengths(c, 0), sizeof *now * (size_t)it->rank);
    full[0] = noise(c, now, to_real || modes_real(c, 0));
    for (int axis = 0; to_real && axis < it->rank; axis++) /* the spectrum of real numbers */
        if (fourier(it->kind[axis]))
            along(it, now, axis, WEFT_DFT_FORWARD, full[0]);
    const size_t bytes = sizeof *full[0] * (size_t)points(it, now);
    full[1] = FFTW(malloc)(bytes);
    memcpy(full[1], full[0], bytes);
    for (int axis = 0; axis < it->rank; axis++) {
        if (!forward)
            full[1] = resized(it, now, axis, it->n[axis], full[1]);
        along(it, now, axis, it->kind[axis], full[1]);
        if (forward)
            full[1] = resized(it, now, axis, c->modes[axis], full[1]);
    }
    for (int s = 0; s < 2; s++)
        all[s] = in_form(c, s, full[s]);
}
