/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alltoallw: one MPI_Alltoallw on datatypes that walk the user's arrays. Nothing is packed, the
 * order of axes changes on the way. (Dalcin, Mortensen and Keyes.)
 *
 * Cost: with a latency, B bytes a second, P ranks of n bytes each: about (P - 1) a + (P - 1) / P n
 * / B, and no sweep of memory but MPI's own through the datatypes, which is as fast as this MPI's
 * datatype engine: fine for long runs, slow for single elements. The own piece is copied beside it.
 * In place, what is sent is packed first.
 */
#include "backends/messages/collective.h"

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    return weft_collective_walked(exchange, true, workspace);
}

const weft_backend weft_backend_alltoallw = {
    .version = WEFT_BACKEND_VERSION,
    .name = "alltoallw",
    .about = "one MPI_Alltoallw on datatypes of the arrays, no packing",
    .cost = &(const weft_backend_cost){.typed = 1, .at_once = 1.6, .unpack_lag = 1},
    .applicable = weft_applicable_always,
    .prepare = prepare,
    .start = weft_collective_run,
    .finish = weft_finish_nothing,
    .release = weft_collective_release,
};
