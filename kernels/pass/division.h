/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pass as a sequence of sweeps: which sweep transforms which axes, where the data is between
 * sweeps, and the text that describes this division. Compiled once per precision.
 */
#ifndef WEFT_PASS_DIVISION_H
#define WEFT_PASS_DIVISION_H

#include "kernels/pass/sweep.h"

/* A pass on the host. */
typedef struct {
    weft_pass pass;
    weft_pass_spec spec; /* with the flags that passes know, and with at least one thread */
    weft_side source, target;
    int sweeps;
    weft_pass_sweep *sweep;
    weft_factors *factors; /* one of the sweeps applies them; NULL: none */
    size_t between;        /* bytes of workspace for a whole array between sweeps */
    size_t buffers;        /* bytes of workspace for the buffers of one thread */
    int ordered_axis;      /* with pass.in_order: the slowest axis of tiles and of target blocks */
} weft_host_pass;

/* Each sweep transforms one set of axes; a last sweep may only copy. */
typedef struct {
    weft_host_pass *pass;
    const weft_pass_spec *spec;
    const weft_side *source, *target;
    bool match; /* in place, and every tile can be written where it was read */
    int sets;
    int set[WEFT_MAX_AXES];                  /* the set of each axis; -1: the axis is kept */
    weft_variant variant[WEFT_MAX_AXES + 1]; /* the variant of each sweep, as read from a text */
} weft_division;

/* The caller has made the sides of the pass. */
weft_division weft_division_of(weft_host_pass *pass);
/* Puts the transformed axes into sets such that a tile has at most `most` bytes. */
void weft_division_choose(weft_division *division, double most);
/* Reads sets and variants from a text. Returns false if the text does not fit this pass. */
bool weft_division_read(weft_division *division, const char *text);
/* Makes the sweeps of the pass, but not their tiles and plans. Returns false, with an error, if
 * there is no memory. */
bool weft_division_make_sweeps(const weft_division *division);

/* Writes the variants of all sweeps as text. With `other`, writes the other variants that are worth
 * timing. Returns false if there are no other variants or the text is too long. */
bool weft_division_write(const weft_host_pass *pass, bool other, char *text, size_t capacity);

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
