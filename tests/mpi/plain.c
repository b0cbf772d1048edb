/* SPDX-License-Identifier: BSD-3-Clause */
/* Every piece goes by a message of one datatype, one peer after another. */
#include <stdint.h>
#include "tests/mpi/harness.h"
#include "tests/mpi/plain.h"

int plain_prepared, plain_released, plain_fails_on;

static const char *odd_values_only(const weft_exchange *exchange, int value)
{
    (void)exchange;
    return value % 2 == 0 ? "its value is even" : NULL;
}

static void *keep(const weft_exchange *exchange, int value, size_t *workspace)
{
    plain_prepared++;
    *workspace = (size_t)value;
    if (rank != plain_fails_on)
        return (void *)(uintptr_t)exchange;
    if (value > 1)
        exchange->services->error("rank %d has no %s", rank, "strength");
    return NULL;
}

static void send_all(void *state, const void *in, void *out, void *workspace)
{
    const weft_exchange *e = state;

    (void)workspace;
    for (int step = 0; step < e->ranks; step++) {
        int to = (e->rank + step) % e->ranks, from = (e->rank - step + e->ranks) % e->ranks;
        MPI_Datatype sent, received;

        e->services->piece_type(e, &e->send[to], &sent);
        e->services->piece_type(e, &e->receive[from], &received);
        MPI_Sendrecv(in, 1, sent, to, e->tag, out, 1, received, from, e->tag, e->comm,
                     MPI_STATUS_IGNORE);
        MPI_Type_free(&sent);
        MPI_Type_free(&received);
    }
}

static void nothing(void *state, const void *in, void *out, void *workspace)
{
    (void)state, (void)in, (void)out, (void)workspace;
}

static void let_go(void *state)
{
    (void)state;
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
