/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the division and the variants of a pass, by rule or by timing. Compiled once per
 * precision. */
#ifndef WEFT_PASS_TUNING_H
#define WEFT_PASS_TUNING_H

#include "kernels/pass/division.h"

/* tuning.c: divides a pass into sweeps and makes them; with more rigor than ESTIMATE, in the
 * fastest way found. Returns false, with an error, if FFTW has no plan or there is no memory. */
bool weft_tune(weft_division *division, const weft_pass_limits *limits);

/* timing.c: scratch arrays on which a sweep is timed. */
typedef struct {
    int arrays[2];
    void **array[2]; /* arrays of the source and of the target; in place they are the same */
    char *base;      /* the memory of all arrays */
    size_t bytes;
    ptrdiff_t spans[WEFT_MAX_AXES]; /* numbers of spans of the tiling whose tiles were written */
    bool whole;                     /* all tiles were written */
    char *buffers;
    size_t buffers_bytes;
    bool careful; /* time more runs, because FFTW has spent much time on the plans */
    char *other;  /* memory that is read to empty the caches */
    size_t other_bytes;
} weft_scratch;

/* Allocates the scratch arrays. Returns false if there is no memory. */
bool weft_scratch_make(weft_scratch *scratch, const weft_pass_sweep *sweep);
void weft_scratch_free(weft_scratch *scratch);

/* Returns the seconds of the whole sweep; `last` is the size of the last cache. Stops early once
 * the time is clearly above `limit` (0: no limit). Negative: no memory. */
double weft_sweep_time(const weft_pass_sweep *sweep, weft_scratch *scratch, size_t last,
                       double limit);

/* Touches every cache line of some tiles of the source or the target. Returns false if this
 * processor has no instruction to flush a line. */
typedef enum { WEFT_TOUCH_WRITE, WEFT_TOUCH_READ, WEFT_TOUCH_FLUSH } weft_touch;
bool weft_touch_lines(const weft_pass_sweep *sweep, const weft_scratch *scratch, ptrdiff_t first,
                      ptrdiff_t tiles, bool target, weft_touch touch);

#endif
