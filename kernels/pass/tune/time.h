/* SPDX-License-Identifier: BSD-3-Clause */
/* Timing a sweep on memory of its own. Compiled once a precision. */
#ifndef WEFT_PASS_TIME_H
#define WEFT_PASS_TIME_H

#include "kernels/pass/sweep.h"

/* Arrays to time a sweep on. */
typedef struct {
    int arrays[2];
    void **array[2]; /* of the source and the target, as given to a run; in place the same */
    char *base;      /* the memory that they all lie in */
    size_t bytes;
    ptrdiff_t spans[WEFT_MAX_AXES]; /* how the tiles that have been touched divide the axes */
    bool whole;                     /* all of them */
    char *buffers;
    size_t buffers_bytes;
    bool careful; /* more runs: FFTW has spent long on what is to be judged */
    char *other;  /* memory to fill the caches with */
    size_t other_bytes;
} weft_scratch;

/* False: no memory. */
bool weft_scratch_make(weft_scratch *scratch, const weft_sweep *sweep);
void weft_scratch_free(weft_scratch *scratch);

/* Seconds of the whole sweep; given up early when it gets clear that it is over `limit` (0: none).
 * Negative: no memory. */
double weft_sweep_time(const weft_sweep *sweep, weft_scratch *scratch,
                       const weft_pass_limits *limits, double limit);

/* Bytes that a sweep reads or writes, those in place once. */
double weft_touched_bytes(const weft_sweep *sweep);
/* Whether these do not stay in the caches from one pass to the next. */
bool weft_is_far(const weft_sweep *sweep, const weft_pass_limits *limits);

/* Touches every line that some tiles have on one side: 0 is the source, 1 the target. False: this
 * processor has no instruction to flush a line. */
typedef enum { WEFT_TOUCH_WRITE, WEFT_TOUCH_READ, WEFT_TOUCH_FLUSH } weft_touch;
bool weft_touch_lines(const weft_sweep *sweep, const weft_scratch *scratch, ptrdiff_t first,
                      ptrdiff_t tiles, int s, weft_touch touch);

#endif
