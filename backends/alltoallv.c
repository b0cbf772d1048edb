/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alltoallv: pack, one MPI_Alltoallv, unpack. (FFTW, P3DFFT, 2DECOMP.) Small pieces that are all
 * equal and lie evenly go by MPI_Alltoall, which has algorithms for them.
 *
 * Cost: with a latency, B bytes a second, P ranks of n bytes each: what the MPI library makes of
 * it, at best (P - 1) a + (P - 1) / P n / B, or log2 P a for short messages; and one sweep of
 * memory on either side where pieces are not contiguous.
 */
#include "backends/messages/collective.h"

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    return weft_collective_packed(exchange, true, workspace);
}

const weft_backend weft_backend_alltoallv = {
    .version = WEFT_BACKEND_VERSION,
    .name = "alltoallv",
    .about = "pack, one MPI_Alltoallv (MPI_Alltoall for small equal pieces), unpack",
    .cost = &(const weft_backend_cost){.sweeps = 1, .at_once = 1.6, .unpack_lag = 1},
    .applicable = weft_applicable_always,
    .prepare = prepare,
    .start = weft_collective_run,
    .finish = weft_finish_nothing,
    .release = weft_collective_release,
};
