/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passes: one sweep over local memory that transforms along some axes while it moves the data from
 * one view of memory to another. Compiled once a precision.
 */
#ifndef WEFT_PASS_H
#define WEFT_PASS_H

#include "kernels/base/precision.h"
#include "kernels/pass/spec.h"

/* Makes a pass; local to this rank. With more rigor than ESTIMATE it times candidates on its own
 * buffers. NULL, with an error: the views do not cover the axes, a size is not positive, FFTW has
 * no plan, or there is no memory. */
weft_pass *weft_pass_create(const weft_pass_spec *spec);
/* For tests: the same with caches of these sizes. */
weft_pass *weft_pass_create_limited(const weft_pass_spec *spec, const weft_pass_limits *limits);
/* Bytes of workspace, aligned to 64, that each run needs. */
size_t weft_pass_workspace(const weft_pass *pass);
/* Runs a pass. Each side may lie in any number of arrays: a rank's own piece is not in the send
 * blocks, and on one node a pass reads pieces where the other ranks left them. Only the entries of
 * `in` and `out` that pieces name are read. The arrays are aligned, unless the pass was made with
 * FFTW_UNALIGNED. */
void weft_pass_run(const weft_pass *pass, const void *const *in, void *const *out, void *workspace);
bool weft_pass_array_aligned(const void *array);
/* Bytes that a run reads from memory and writes to it, and its floating-point operations. */
void weft_pass_cost(const weft_pass *pass, double *read, double *written, double *flops);
/* A line that says how a pass is done. */
const char *weft_pass_text(const weft_pass *pass);
/* Seconds of a run, as timed when the pass was made; negative: not timed. */
double weft_pass_seconds(const weft_pass *pass);
/* How a pass is done as one word of at most 120 characters without commas and semicolons, for the
 * `variant` of a later pass. */
const char *weft_pass_variant(const weft_pass *pass);
/* The variant that writes with streaming stores where this one does not, and the reverse. Which of
 * them is faster depends on the memory where the pass runs. False: the arrays are so small or so
 * large that it is clear. */
bool weft_pass_other_variant(const weft_pass *pass, char *text, size_t room);
void weft_pass_destroy(weft_pass *pass);

/* These functions as a table: passes run on the host or on a device. */
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
/* Checks a specification and makes both sides, which the caller frees. False, with an error. */
bool weft_pass_sides(const weft_pass_spec *spec, weft_side *source, weft_side *target);

#endif
