/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * waitsome and waitsome/b: all messages posted, each piece unpacked as soon as it has arrived,
 * while others are still on their way; or so in groups of b ranks. (OpenFFT.)
 *
 * Cost: that of waitall, but for the unpacking, which the network hides where it is the slower of
 * the two. On the other hand a piece is then unpacked in whatever order it comes, and MPI_Waitsome
 * is called more often.
 */
#include "backends/messages/batch.h"

static void receive(weft_batch *batch, void *out, void *workspace)
{
    for (int left = batch->receives, arrived; left > 0; left -= arrived) {
        MPI_Waitsome(batch->receives, batch->request, &arrived, batch->arrived, batch->ignored);
        for (int i = 0; i < arrived; i++)
            weft_parcel_arrived(&batch->parcels, batch->peer[batch->arrived[i]], out, workspace);
    }
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    weft_batch_finish(state, in, out, workspace, receive);
}

static const weft_backend_cost cost = {.sweeps = 1, .at_once = 1, .unpack_lag = 0.8};

const weft_backend weft_backend_waitsome = {
    .version = WEFT_BACKEND_VERSION,
    .name = "waitsome",
    .about = "all messages posted at a time, each piece unpacked as it arrives",
    .overlaps = 1,
    .cost = &cost,
    .applicable = weft_applicable_always,
    .prepare = weft_batch_prepare_all,
    .start = weft_batch_start,
    .finish = finish,
    .release = weft_batch_release,
};

const weft_backend weft_backend_waitsome_in_groups = {
    .version = WEFT_BACKEND_VERSION,
    .name = "waitsome/b",
    .about = "as waitsome, in groups of b ranks",
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
