/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a pass does to the numbers of a tile beside FFTW's transforms: multiplying by twiddle
 * factors (factors.c), folding rows of real numbers and changing the length of spectra (spectra.c).
 * Compiled once a precision.
 */
#ifndef WEFT_PASS_ARITHMETIC_H
#define WEFT_PASS_ARITHMETIC_H

#include "kernels/base/precision.h"
#include "kernels/pass/spec.h"

/* Compiles a function for AVX2 with FMA; the caller asks whether the processor has them. */
#if defined(__x86_64__) && defined(__GNUC__)
#define WEFT_AVX2     __attribute__((target("avx2,fma")))
#define WEFT_HAS_AVX2 (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#endif

/* exp(sign 2 pi i k / n) for 0 <= k < n. */
void weft_root(ptrdiff_t k, ptrdiff_t n, int sign, weft_complex value);

typedef struct weft_factors weft_factors;

/* NULL, with an error: n is too large to compute with, or there is no memory. */
weft_factors *weft_factors_make(const weft_twiddle *twiddle);
void weft_factors_free(weft_factors *factors);
/* Multiplies a box of numbers whose first index is `start`. */
void weft_factors_apply(const weft_factors *factors, int axes, const ptrdiff_t *start,
                        const ptrdiff_t *count, const ptrdiff_t *stride, weft_complex *at);

/* Whether rows of n real numbers are faster by complex transforms of half the length. */
bool weft_halves_pay(ptrdiff_t n);
/* The factors for folding rows of n, to be freed. NULL, with an error: no memory. */
weft_real *weft_halves_table(ptrdiff_t n, bool backward);
/* Forward: turns the n / 2 numbers of a transformed row into n / 2 + 1. Backward: turns n / 2 + 1
 * numbers into the n / 2 that are to be transformed. A row may be folded in place. */
void weft_halves_fold(ptrdiff_t n, bool backward, const weft_real *table, const void *from,
                      void *to);

/* A change of the length of a spectrum in a buffer, along one axis. Steps are in bytes. */
typedef struct {
    ptrdiff_t from, to; /* modes; equal: nothing is done */
    bool halved;        /* along the axis of r2c or c2r */
    ptrdiff_t step;     /* between modes */
    ptrdiff_t width;    /* how many numbers lie together at each mode */
    int loops;
    ptrdiff_t count[WEFT_MAX_AXES], jump[WEFT_MAX_AXES];
} weft_resize;

/* Fills in step, width and loops for a box of complex numbers in which `axis` changes its length.
 */
void weft_resize_make(weft_resize *resize, int axes, const ptrdiff_t *count,
                      const ptrdiff_t *stride, int axis);
void weft_resize_run(const weft_resize *resize, void *buffer);

#endif
