/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spectra with fewer or more modes than the grid has points: the whole arrays before and after, by
 * serial FFTW on the whole grid and a loop that cuts or extends the whole spectrum, which is
 * complex here, and of all frequencies, also for r2c and c2r.
 */
#ifndef MODES_H
#define MODES_H

#include "tests/mpi/grids-parts.h"

typedef struct {
    grids_case it;
    ptrdiff_t modes[GRIDS_RANK]; /* that of axes without a Fourier transform is n */
} modes_case;

/* The side of the spectrum: the output, or the input. */
int modes_spectral_side(const modes_case *c);
/* Whether the numbers of a side are real. */
bool modes_real(const modes_case *c, int side);
/* Real numbers in the whole array of a side, whose axes are so long. */
ptrdiff_t modes_whole(const modes_case *c, int side, const ptrdiff_t *length);
/* How long the axes of a side are. */
void modes_lengths(const modes_case *c, int side, ptrdiff_t *length);
/* Both whole arrays, to be freed with FFTW(free). */
void modes_compute(const modes_case *c, weft_real *all[2]);

#endif
