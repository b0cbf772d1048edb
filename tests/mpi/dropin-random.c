/* SPDX-License-Identifier: BSD-3-Clause */
/* Cases made up, the same on all ranks. */
#include "tests/mpi/dropin.h"

/* Small enough that a suite of hundreds takes seconds. */
static ptrdiff_t any_length(unsigned *state, int rank)
{
    static const unsigned longest[] = {0, 200, 30, 11, 6, 4};
    return arrays_random(state, 8) == 0 ? 1 : 1 + (ptrdiff_t)arrays_random(state, longest[rank]);
}

static ptrdiff_t any_block(unsigned *state, const dropin_case *it, bool out, MPI_Comm comm)
{
    int order[DROPIN_RANK], ranks;
    MPI_Comm_size(comm, &ranks);
    ptrdiff_t n = dropin_length(it, out, dropin_arrange(it, out, order)),
              least = (n + ranks - 1) / ranks;
    if (arrays_random(state, 2))
        return 0;
    return least + arrays_random(state, (unsigned)(n - least + 2));
}

void dropin_options(dropin_case *it, unsigned *state, MPI_Comm comm)
{
    static const unsigned inputs[] = {0, 0, FFTW_DESTROY_INPUT, FFTW_PRESERVE_INPUT};
    it->flags |= arrays_random(state, 16) ? FFTW_ESTIMATE : FFTW_MEASURE;
    it->flags |= inputs[arrays_random(state, 4)];
    it->flags |= arrays_random(state, 8) ? 0 : FFTW_UNALIGNED;
    it->flags |= arrays_random(state, 8) ? 0 : FFTW_CONSERVE_MEMORY;
    it->sign = arrays_random(state, 2) ? FFTW_FORWARD : FFTW_BACKWARD;
    it->howmany = arrays_random(state, 3) ? 1 : 1 + (ptrdiff_t)arrays_random(state, 5);
    it->nulls = arrays_random(state, 2);
    it->new_arrays = arrays_random(state, 3) == 0;
    it->shift = arrays_random(state, 8) ? 0 : 1 + (int)arrays_random(state, 3);
    it->new_shift = (int)arrays_random(state, 4);
    for (int axis = 0; axis < it->rank; axis++) {
        it->kind[axis] = (FFTW(r2r_kind))arrays_random(state, 11);
        if (it->kind[axis] == FFTW_REDFT00 && it->n[axis] < 2)
            it->kind[axis] = FFTW_RODFT00;
    }
    it->in_block = it->out_block = 0;
    if (arrays_random(state, 3) == 0) {
        it->in_block = any_block(state, it, false, comm);
        it->out_block = any_block(state, it, true, comm);
    }
    it->entry = DROPIN_MANY;
    if (it->howmany == 1 && it->in_block == 0 && it->out_block == 0)
        it->entry =
            it->rank == 2 || it->rank == 3 ? (dropin_entry)arrays_random(state, 3) : DROPIN_BASIC;
}

/* Real transforms of two dimensions cannot have their real side transposed. */
unsigned dropin_orders(dropin_what what, int rank, unsigned wanted)
{
    unsigned flags =
        (wanted & 1 ? FFTW_MPI_TRANSPOSED_IN : 0) | (wanted & 2 ? FFTW_MPI_TRANSPOSED_OUT : 0);
    if (rank == 1)
        return 0;
    if (what == DROPIN_R2C)
        flags &= ~FFTW_MPI_TRANSPOSED_IN;
    if (what == DROPIN_C2R)
        flags &= ~FFTW_MPI_TRANSPOSED_OUT;
    return flags;
}

void dropin_any(dropin_case *it, unsigned *state, MPI_Comm comm)
{
    static const int ranks[] = {1, 2, 2, 2, 3, 3, 3, 4};
    *it = (dropin_case){.what = (dropin_what)arrays_random(state, 5)};
    it->rank = it->what == DROPIN_TRANSPOSE ? 2 : ranks[arrays_random(state, 8)];
    if (it->rank == 1 && it->what != DROPIN_R2R)
        it->what = DROPIN_C2C;
    for (int axis = 0; axis < it->rank; axis++)
        it->n[axis] = any_length(state, it->rank);
    if (it->rank == 1 && it->what == DROPIN_C2C && it->n[0] == 1)
        it->n[0] = 2; /* FFTW-MPI crashes */
    it->in_place = arrays_random(state, 2);
    it->flags = dropin_orders(it->what, it->rank, arrays_random(state, 4));
    dropin_options(it, state, comm);
}
