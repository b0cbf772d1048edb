/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ialltoallv: alltoallv as a non-blocking collective, between start and finish; with MPI 4 and
 * arrays that are the same at every run, a persistent one, which the library may prepare better.
 *
 * Cost: that of alltoallv, less what overlaps; only libraries that progress by themselves overlap
 * much.
 */
#include "backends/messages/collective.h"

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    return weft_collective_packed(exchange, false, workspace);
}

const weft_backend weft_backend_ialltoallv = {
    .version = WEFT_BACKEND_VERSION,
    .name = "ialltoallv",
    .about = "pack, one MPI_Ialltoallv (persistent where possible), unpack",
    .overlaps = 1,
    .cost = &(const weft_backend_cost){.sweeps = 1, .at_once = 1.7, .unpack_lag = 1},
    .applicable = weft_applicable_always,
    .prepare = prepare,
    .start = weft_collective_start,
    .finish = weft_collective_finish,
    .release = weft_collective_release,
};
