/* SPDX-License-Identifier: BSD-3-Clause */
/* Every block goes by a message of one datatype, one peer after another. */
#include <stdlib.h>
#include "tests/mpi/harness.h"
#include "tests/mpi/plain.h"

int plain_prepared, plain_released, plain_fails_on;

static const char *odd_values_only(const weft_exchange *exchange, int value)
{
    (void)exchange;
    return value % 2 == 0 ? "its value is even" : NULL;
}

typedef struct {
    const weft_exchange *exchange;
    MPI_Datatype *sent, *received; /* [ranks] */
} types;

static types *make_types(const weft_exchange *e)
{
    types *it = malloc(sizeof *it);

    *it = (types){.exchange = e};
    it->sent = malloc((size_t)e->ranks * sizeof *it->sent);
    it->received = malloc((size_t)e->ranks * sizeof *it->received);
    for (int peer = e->ranks - 1; peer >= 0; peer--) {
        e->services->piece_type(e, e->services->sent(e, peer), &it->sent[peer]);
        e->services->piece_type(e, e->services->received(e, peer), &it->received[peer]);
    }
    return it;
}

static void *keep(const weft_exchange *exchange, int value, size_t *workspace)
{
    plain_prepared++;
    *workspace = (size_t)value;
    if (rank != plain_fails_on)
        return make_types(exchange);
    if (value > 1)
        exchange->services->error("rank %d has no %s", rank, "strength");
    return NULL;
}

static void send_all(void *state, const void *in, void *out, void *workspace)
{
    const types *it = state;
    const weft_exchange *e = it->exchange;

    (void)workspace;
    for (int step = 0; step < e->ranks; step++) {
        int to = (e->rank + step) % e->ranks, from = (e->rank - step + e->ranks) % e->ranks;

        MPI_Sendrecv(in, 1, it->sent[to], to, e->tag, out, 1, it->received[from], from, e->tag,
                     e->comm, MPI_STATUS_IGNORE);
    }
}

static void nothing(void *state, const void *in, void *out, void *workspace)
{
    (void)state, (void)in, (void)out, (void)workspace;
}

static void let_go(void *state)
{
    types *it = state;

    for (int peer = 0; peer < it->exchange->ranks; peer++) {
        MPI_Type_free(&it->sent[peer]);
        MPI_Type_free(&it->received[peer]);
    }
    free(it->sent);
    free(it->received);
    free(it);
    plain_released++;
}

const weft_backend plain = {.version = WEFT_BACKEND_VERSION,
                            .name = "plain",
                            .about = "sends datatypes",
                            .applicable = odd_values_only,
                            .prepare = keep,
                            .start = send_all,
                            .finish = nothing,
                            .release = let_go};
