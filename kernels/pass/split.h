/* SPDX-License-Identifier: BSD-3-Clause */
/* A pass and its division into sweeps. Compiled once a precision. */
#ifndef WEFT_PASS_SPLIT_H
#define WEFT_PASS_SPLIT_H

#include "kernels/pass/sweep.h"

struct weft_pass {
    int sweeps;
    weft_sweep *sweep;
    weft_factors *factors; /* NULL, or what one of the sweeps uses */
    size_t between;        /* bytes of workspace for a whole array between sweeps */
    size_t buffers;        /* bytes of workspace for the buffers of one thread */
    int threads;
    char text[256], variant[121];
};

/* pass.c: with caches of these sizes. */
weft_pass *weft_pass_create_limited(const weft_pass_spec *spec, const weft_pass_limits *limits);

/* Makes the sweeps of a pass and the text of its variant: with more rigor than ESTIMATE the
 * division into sweeps that is the fastest. False, with an error. */
bool weft_sweeps_make(weft_pass *pass, const weft_pass_spec *spec, const weft_side *source,
                      const weft_side *target, const weft_pass_limits *limits);
void weft_sweeps_free(weft_pass *pass);

/* The variant as a text, or the other one that is worth trying. False: there is none, or it gets
 * too long. */
bool weft_sweeps_write_variant(const weft_pass *pass, bool other, char *text, size_t room);

#endif
