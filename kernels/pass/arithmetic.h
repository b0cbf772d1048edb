/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of a pass on a tile besides FFTW's transforms: multiplying by twiddle factors
 * (factors.c), folding rows of real numbers, and changing the length of spectra (spectra.c).
 * Compiled once per precision.
 */
#ifndef WEFT_PASS_ARITHMETIC_H
#define WEFT_PASS_ARITHMETIC_H

#include "kernels/base/precision.h"
#include "kernels/pass/spec.h"

/* Compiles a function for AVX2 with FMA; the caller checks whether the processor has them. */
#if defined(__x86_64__) && defined(__GNUC__)
#define WEFT_AVX2     __attribute__((target("avx2,fma")))
#define WEFT_HAS_AVX2 (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#endif

/* Sets `value` to exp(sign 2 pi i k / n), for 0 <= k < n. */
void weft_root(ptrdiff_t k, ptrdiff_t n, int sign, weft_complex value);

typedef struct weft_factors weft_factors;

/* The caller frees the factors. NULL, with an error: no memory. */
weft_factors *weft_factors_make(const weft_twiddle *twiddle);
/* Multiplies each number of a box by its factor; `start` has the box's first indices. */
void weft_factors_apply(const weft_factors *factors, int axes, const ptrdiff_t *start,
                        const ptrdiff_t *count, const ptrdiff_t *stride, weft_complex *at);

/* Whether complex transforms of half the length are faster for rows of n real numbers. */
bool weft_halves_pay(ptrdiff_t n);
/* Returns the factors for folding rows of length n; the caller frees them. NULL, with an error: no
 * memory. */
weft_real *weft_halves_table(ptrdiff_t n, bool backward);
/* Folds a row. Forward: computes the n / 2 + 1 numbers of the spectrum from the n / 2 numbers of a
 * transformed row. Backward: computes the n / 2 numbers to be transformed from the n / 2 + 1
 * numbers of the spectrum. `from` and `to` may be the same. */
void weft_halves_fold(ptrdiff_t n, bool backward, const weft_real *table, const void *from,
                      void *to);

/* A change of the length of a spectrum in a buffer, along one axis. Steps are in bytes. */
typedef struct {
    ptrdiff_t from, to; /* numbers of modes; if they are equal, weft_resize_run does nothing */
    bool halved;        /* the axis is the axis of r2c or c2r */
    ptrdiff_t step;     /* distance between modes */
    ptrdiff_t width;    /* contiguous numbers at each mode */
    int loops;
    ptrdiff_t count[WEFT_MAX_AXES], jump[WEFT_MAX_AXES];
} weft_resize;

/* Sets step, width and loops for a box of complex numbers in which the length of `axis` changes. */
void weft_resize_make(weft_resize *resize, int axes, const ptrdiff_t *count,
                      const ptrdiff_t *stride, int axis);
void weft_resize_run(const weft_resize *resize, void *buffer);

#endif
