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
/* Runs a pass. Each side may be in any number of arrays: a rank's own block is not among the send
 * blocks, and on one node a pass reads blocks where other ranks have written them. The function
 * reads only those entries of `in` and `out` that blocks of the views refer to. The arrays are
 * aligned, unless the pass was made with FFTW_UNALIGNED. */
void weft_pass_run(const weft_pass *pass, const void *const *in, void *const *out, void *workspace);
/* Says that the first done / of of the elements of every target block have been written. */
typedef void weft_pass_complete(void *context, ptrdiff_t done, ptrdiff_t of);
bool weft_pass_array_aligned(const void *array);
void weft_pass_destroy(weft_pass *pass);

/* These functions as a table: passes run on the host or on a device. */
typedef struct {
    weft_pass *(*create)(const weft_pass_spec *spec);
    void (*run)(const weft_pass *pass, const void *const *in, void *const *out, void *workspace);
    /* Runs a pass with in_order > 0. Calls `complete` several times, the last time with done == of.
     * NULL: no pass has in_order > 0. */
    void (*run_in_order)(const weft_pass *pass, const void *const *in, void *const *out,
                         void *workspace, weft_pass_complete *complete, void *context);
    /* Writes the variant that uses streaming stores where this pass does not, and the reverse.
     * Which of the two is faster depends on the memory where the pass runs. Returns false if the
     * arrays are so small or so large that the answer is known. NULL: there are no other variants.
     */
    bool (*other_variant)(const weft_pass *pass, char *text, size_t capacity);
    void (*destroy)(weft_pass *pass);
} weft_pass_functions;
extern const weft_pass_functions weft_pass_on_host, weft_pass_on_device;
/* Checks a specification and makes both sides, which the caller frees. Returns false, with an
 * error, on failure. */
bool weft_pass_sides(const weft_pass_spec *spec, weft_side *source, weft_side *target);

#endif
