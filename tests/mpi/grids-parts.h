/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of grids.h share, and the fuzzer's with them. */
#ifndef GRIDS_PARTS_H
#define GRIDS_PARTS_H

#include "tests/mpi/grids.h"

/* Real numbers in the whole array of a side. */
ptrdiff_t grids_whole(const grids_case *it, bool out);
/* The whole input, of noise, and the output that belongs to it. */
void grids_compute(const grids_case *it, weft_real *in, weft_real *out);
/* What a rank of the grid holds of a side. */
arrays_part grids_part(const grids_case *it, bool out, int process);
/* In rows (grids-rows.c): the range of points as along axis 0, the order of the axes, reversed or
 * not; the map of such a part; and whether local_boxes says the same. */
void grids_take_rows(const grids_case *it, bool reversed, int process, arrays_part *part);
arrays_map grids_rows_map(const arrays_part *part);
void grids_check_boxes(const grids_case *it, weft_grid grid, const arrays_map side[2], int process,
                       char *text);
/* Whether local_size says the same, or else in the text why not; and how many numbers it says. */
void grids_check_sizes(const grids_case *it, weft_grid grid, const arrays_part part[2], int process,
                       ptrdiff_t *numbers, char *text);
/* Whether a run leaves the input as it was. */
bool grids_preserves(const grids_case *it);
/* The case in a line. */
void grids_describe(const grids_case *it, char *text);

#endif
