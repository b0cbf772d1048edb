/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds and flags made up, the same on all ranks. */
#include "tests/mpi/grids.h"

static const int r2r[] = {FFTW_REDFT10, FFTW_REDFT01, FFTW_RODFT10, FFTW_R2HC,
                          FFTW_HC2R,    FFTW_DHT,     FFTW_RODFT11, WEFT_NONE};

void grids_any_kinds(grids_case *it, int sort, unsigned *state)
{
    const int last = it->rank - 1;
    for (int a = 0; a <= last; a++) {
        const int real = r2r[arrays_random(state, sizeof r2r / sizeof r2r[0])];
        const bool mix = sort >= GRIDS_MIXED && arrays_random(state, 2);
        it->kind[a] = sort == GRIDS_R2R || mix                      ? real
                      : sort == GRIDS_BACKWARD || sort == GRIDS_C2R ? WEFT_DFT_BACKWARD
                                                                    : WEFT_DFT_FORWARD;
    }
    if (sort == GRIDS_R2C)
        it->kind[last] = WEFT_DFT_R2C;
    if (sort == GRIDS_C2R)
        it->kind[last] = WEFT_DFT_C2R;
    if (sort == GRIDS_MIXED_REAL) {
        const bool back = arrays_random(state, 2);
        it->kind[last] = back ? WEFT_DFT_C2R : WEFT_DFT_R2C;
        for (int a = 0; a < last; a++)
            if (it->kind[a] == WEFT_DFT_FORWARD && back)
                it->kind[a] = WEFT_DFT_BACKWARD;
    }
}

void grids_in_rows(grids_case *it)
{
    it->flags &= ~(unsigned)(WEFT_FFTW_BLOCKS | WEFT_TRANSPOSED_IN | WEFT_TRANSPOSED_OUT);
    it->flags |= WEFT_ROWS;
}

void grids_any_flags(grids_case *it, unsigned *state)
{
    const int sort = grids_sort(it);
    const bool half = sort == WEFT_DFT_R2C || sort == WEFT_DFT_C2R;
    bool back = sort == WEFT_DFT_BACKWARD || sort == WEFT_DFT_C2R;
    it->in_place = arrays_random(state, 2);
    it->flags = FFTW_ESTIMATE;
    if (arrays_random(state, 2))
        it->flags |= WEFT_FFTW_BLOCKS;
    if (arrays_random(state, 3) == 0) {
        it->flags |= WEFT_SAME_LAYOUT;
    } else {
        if (!half && arrays_random(state, 4) == 0) {
            it->flags |= WEFT_REVERSED;
            back = !back;
        }
        if (arrays_random(state, 2))
            it->flags |= back ? WEFT_TRANSPOSED_IN : WEFT_TRANSPOSED_OUT;
    }
    if (half && !it->in_place && arrays_random(state, 2))
        it->flags |= WEFT_UNPADDED;
    if (!it->in_place && arrays_random(state, 4) == 0)
        it->flags |= FFTW_DESTROY_INPUT;
    if (arrays_random(state, 8) == 0)
        it->flags |= FFTW_CONSERVE_MEMORY;
}
