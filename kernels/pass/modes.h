/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spectra of another length than the grid: fewer modes are kept of a transform, or more than there
 * are. In the buffer of a tile a spectrum gets the length of the grid before it is transformed
 * backward, that of its modes after it was transformed forward, so that memory and exchanges see
 * the modes alone. Compiled once a precision.
 */
#ifndef WEFT_PASS_MODES_H
#define WEFT_PASS_MODES_H

#include "kernels/pass/sweep.h"

/* Whether a sweep transforms any axis with other modes than the grid has points. */
bool weft_modes_differ(const weft_sweep *sweep);
/* How many indices of an axis the buffers need: of the first (b 0), or of the second. */
ptrdiff_t weft_modes_room(const weft_sweep *sweep, int b, int axis);
/* Of an axis that is transformed, before it or after: what FFTW sees, the length of the grid. */
ptrdiff_t weft_modes_seen(const weft_sweep *sweep, bool after, int axis);
/* The change of length that belongs to group g, and carries it out. */
void weft_resize_make(const weft_sweep *sweep, const weft_program *program, int g,
                      weft_resize *resize);
void weft_resize_run(const weft_resize *resize, void *buffer);

#endif
