/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * waitall and waitall/b: all messages posted, then one MPI_Waitall; or so in groups of b ranks.
 * (OpenFFT.)
 *
 * Cost: with a latency, B bytes a second, P ranks of n bytes each: (P - 1) a + (P - 1) / P n / B,
 * all messages competing for the network at a time. Groups bound how many do, and how much
 * workspace is needed: that of one group. Messages travel between start and finish: of waitall all,
 * of waitall/b the first group.
 */
#include "backends/messages/batch.h"

static void receive(weft_batch *batch, void *out, void *workspace)
{
    MPI_Waitall(batch->receives, batch->request, batch->ignored);
    for (int i = 0; i < batch->receives; i++)
        weft_parcel_arrived(&batch->parcels, batch->peer[i], out, workspace);
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    weft_batch_finish(state, in, out, workspace, receive);
}

static const weft_backend_cost cost = {.sweeps = 1, .at_once = 1, .unpack_lag = 1};

const weft_backend weft_backend_waitall = {
    .version = WEFT_BACKEND_VERSION,
    .name = "waitall",
    .about = "all messages posted at a time, MPI_Waitall, unpack",
    .overlaps = 1,
    .cost = &cost,
    .applicable = weft_applicable_always,
    .prepare = weft_batch_prepare_all,
    .start = weft_batch_start,
    .finish = finish,
    .release = weft_batch_release,
};

const weft_backend weft_backend_waitall_in_groups = {
    .version = WEFT_BACKEND_VERSION,
    .name = "waitall/b",
    .about = "as waitall, in groups of b ranks",
    .parameter = "b, ranks in a group",
    .overlaps = 1,
    .grouped = 1,
    .cost = &cost,
    .applicable = weft_batch_applicable,
    .values = weft_batch_values,
    .prepare = weft_batch_prepare_some,
    .start = weft_batch_start,
    .finish = finish,
    .release = weft_batch_release,
};
