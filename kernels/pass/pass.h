/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passes: one sweep over local memory that transforms along some axes while it moves the data from
 * one view of memory to another. Compiled once a precision.
 */
#ifndef WEFT_PASS_H
#define WEFT_PASS_H

#include <stddef.h>
#include "kernels/base/precision.h"
#include "kernels/pass/side.h"
#include "kernels/pass/spec.h"

/* Local. NULL and an error when the views do not cover the axes, a size is
 * not positive, or there is no memory. With more rigor than ESTIMATE, candidates are timed on
 * buffers of its own. */
weft_pass *weft_pass_create(const weft_pass_spec *spec);
/* Bytes that each run must be given, aligned to 64. */
size_t weft_pass_workspace(const weft_pass *pass);
/* Both sides may lie in any number of arrays: a rank's own piece stays out of the send blocks, and
 * on one node pieces are read where the other ranks left them. Only entries of `in` and `out` that
 * pieces name are looked at. They are aligned, unless the pass was made with FFTW_UNALIGNED. */
void weft_pass_run(const weft_pass *pass, const void *const *in, void *const *out, void *workspace);
bool weft_pass_array_aligned(const void *array);
/* Bytes read from and written to memory, and a line that says how a pass is done. */
void weft_pass_cost(const weft_pass *pass, double *read, double *written, double *flops);
const char *weft_pass_text(const weft_pass *pass);
/* Seconds of a run, as timed when the pass was made; negative: not timed. */
double weft_pass_seconds(const weft_pass *pass);
/* How a pass is done as one word of at most 120 characters, without commas and semicolons, for the
 * `variant` of a later pass. */
const char *weft_pass_variant(const weft_pass *pass);
/* The same of the way that may be better in the memory where the pass will run, with what is
 * written left in the caches or not: for arrays that are neither so small nor so large that it is
 * clear. False: there is none. */
bool weft_pass_other_variant(const weft_pass *pass, char *text, size_t room);
void weft_pass_destroy(weft_pass *pass);

/* These functions, for who makes passes on the host or elsewhere. */
typedef struct {
    weft_pass *(*create)(const weft_pass_spec *spec);
    size_t (*workspace)(const weft_pass *pass);
    void (*run)(const weft_pass *pass, const void *const *in, void *const *out, void *workspace);
    void (*cost)(const weft_pass *pass, double *read, double *written, double *flops);
    const char *(*text)(const weft_pass *pass);
    double (*seconds)(const weft_pass *pass);
    const char *(*variant)(const weft_pass *pass);
    bool (*other_variant)(const weft_pass *pass, char *text, size_t room);
    void (*destroy)(weft_pass *pass);
} weft_pass_functions;
extern const weft_pass_functions weft_pass_on_host;
/* Checks what is asked for, and makes both sides of it, to be freed; false and an error. */
bool weft_pass_sides(const weft_pass_spec *spec, weft_side *source, weft_side *target);

#endif
