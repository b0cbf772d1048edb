/* SPDX-License-Identifier: BSD-3-Clause */
/* FFTW's part in a tile: which plans, how much planning each is worth, and running them. Compiled
 * once a precision. */
#ifndef WEFT_PASS_FFT_H
#define WEFT_PASS_FFT_H

#include "kernels/pass/sweep.h"

/* groups.c: which plans, from where to where. What cannot be done without a buffer gets one, and
 * the choice then says so. */
void weft_groups_choose(weft_sweep *sweep);
/* The axis of a kind that only one can have; negative: none has it. */
int weft_axis_of_kind(int axes, const weft_kind *kind, weft_kind wanted);

/* Whether all lines are powers of two that FFTW transforms in one piece: of these the first way
 * that it thinks of is about the best. */
bool weft_groups_are_short(const weft_sweep *sweep);

/* fft.c: what transforms a tile of this shape. False: FFTW has no plan, or no memory. */
bool weft_transforms_make(const weft_sweep *sweep, weft_program *program, const weft_tile *tile);
void weft_transforms_free(const weft_sweep *sweep, weft_program *program);
/* transform.c: a loop more along which rows are transformed, in steps of bytes. */
void weft_transform_add_loop(weft_transform *transform, ptrdiff_t count, ptrdiff_t from_step,
                             ptrdiff_t to_step);
/* Whether all rows lie as the first one does. */
bool weft_transform_aligned(const weft_transform *transform);
/* How many rows in halves, of so many of this length, one plan is for. */
ptrdiff_t weft_transform_batch(ptrdiff_t rows, ptrdiff_t length);
void weft_transform_run(const weft_transform *transform, weft_kind kind, void *from, void *to);
/* Floating-point operations of one tile. */
double weft_transforms_flops(const weft_sweep *sweep, const weft_program *program);
/* Whether FFTW finds what lies so many bytes from aligned memory aligned, too. */
bool weft_fft_aligned(ptrdiff_t bytes);
/* effort.c: FFTW's flags for a group; of tiles that are `seldom` run it only estimates. */
unsigned weft_fft_effort(const weft_sweep *sweep, const weft_group *group, bool seldom);
/* Whether FFTW, when it is to be quick, needs no more than to time a few ways. */
bool weft_fft_pruned_well(const weft_sweep *sweep);
/* Whether it estimates. */
bool weft_fft_is_estimated(const weft_sweep *sweep);
/* Whether with MEASURE all effort would find nothing else than quick plans. */
bool weft_fft_quick_is_all(const weft_sweep *sweep);
/* Whether it is to be quick. */
bool weft_fft_is_quick(const weft_sweep *sweep);
/* Whether what FFTW takes without timing is about as fast as what it takes by timing (first.c);
 * true, too, where that is not known and `now` says that there is no time to find out. */
bool weft_fft_first_will_do(bool now);
/* As if that had been found out: for tests. */
void weft_fft_first_tell(bool will_do);

#endif
