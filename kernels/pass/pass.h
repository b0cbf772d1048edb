/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pass transforms along some axes in one sweep over local memory, while it moves the data from
 * one view of memory to another. Compiled once per precision.
 */
#ifndef WEFT_PASS_H
#define WEFT_PASS_H

#include "kernels/base/precision.h"
#include "kernels/pass/spec.h"

/* Makes a pass. Local. With more rigor than ESTIMATE the function times candidates on scratch
 * arrays. Returns NULL, with an error, if the views do not cover the axes, a size is not positive,
 * FFTW has no plan, or there is no memory. */
weft_pass *weft_pass_create(const weft_pass_spec *spec);
/* For tests: the same, for a machine with caches of these sizes. */
weft_pass *weft_pass_create_limited(const weft_pass_spec *spec, const weft_pass_limits *limits);
/* Bytes of workspace, aligned to 64, that each run needs. */
size_t weft_pass_workspace(const weft_pass *pass);
/* Runs a pass. Each side may be in any number of arrays: a rank's own block is not among the send
 * blocks, and on one node a pass reads blocks where other ranks have written them. The function
 * reads only those entries of `in` and `out` that blocks of the views refer to. The arrays are
 * aligned, unless the pass was made with FFTW_UNALIGNED. */
void weft_pass_run(const weft_pass *pass, const void *const *in, void *const *out, void *workspace);
bool weft_pass_array_aligned(const void *array);
/* Bytes that a run reads from memory and writes to it, and its floating-point operations. */
void weft_pass_cost(const weft_pass *pass, double *read, double *written, double *flops);
/* A line for reports that describes the pass. */
const char *weft_pass_text(const weft_pass *pass);
/* Seconds of a run, as timed when the pass was made; negative: not timed. */
double weft_pass_seconds(const weft_pass *pass);
/* The variant of a pass as one word of at most 120 characters without commas and semicolons, for
 * the `variant` of a later pass. */
const char *weft_pass_variant(const weft_pass *pass);
/* Writes the variant that uses streaming stores where this pass does not, and the reverse. Which of
 * the two is faster depends on the memory where the pass runs. Returns false if the arrays are so
 * small or so large that the answer is known. */
bool weft_pass_other_variant(const weft_pass *pass, char *text, size_t capacity);
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
    bool (*other_variant)(const weft_pass *pass, char *text, size_t capacity);
    void (*destroy)(weft_pass *pass);
} weft_pass_functions;
extern const weft_pass_functions weft_pass_on_host;
/* Checks a specification and makes both sides, which the caller frees. Returns false, with an
 * error, on failure. */
bool weft_pass_sides(const weft_pass_spec *spec, weft_side *source, weft_side *target);

#endif
