/* SPDX-License-Identifier: BSD-3-Clause */
/* Every way there is to carry out a move, and one tried. */
#include <stdio.h>
#include "kernels/base/error.h"
#include "tests/mpi/transfers.h"
#include "tests/mpi/harness.h"
#include "backends/table.h"

const char *transfer_try(moving *transfer, const weft_exchange *exchange, method used, int runs)
{
    const char *wrong = NULL;
    weft_prepared *prepared = weft_prepare(exchange, used.backend, used.value);
    if (!prepared)
        return weft_error_text();
    size_t workspace = prepared->workspace;
    for (int run = 0; run < runs; run++) {
        transfer_reset(transfer, workspace);
        weft_prepared_start(prepared, transfer->in, transfer->out, transfer->work);
        weft_prepared_finish(prepared, transfer->in, transfer->out, transfer->work);
        const char *found = transfer_wrong(transfer, workspace);
        wrong = wrong ? wrong : found;
    }
    weft_prepared_release(prepared);
    return wrong;
}

int transfer_ways(const weft_exchange *exchange, MPI_Comm comm, method *methods)
{
    const weft_backend *backend;
    int number[MOST_WAYS], value[MOST_WAYS], fits[MOST_WAYS], all = 0, fitting = 0;
    for (int place = 0; (backend = weft_backend_at(place)); place++) {
        int values[8] = {0}, some = backend->values ? backend->values(exchange, values, 8) : 1;
        for (int i = 0; i < some && all < MOST_WAYS; i++, all++)
            number[all] = place, value[all] = values[i];
    }
    /* Which values are worth trying depends on the group: all take rank 0's. */
    MPI_Bcast(&all, 1, MPI_INT, 0, comm);
    MPI_Bcast(number, all, MPI_INT, 0, comm);
    MPI_Bcast(value, all, MPI_INT, 0, comm);
    for (int i = 0; i < all; i++)
        fits[i] = exchange->ranks == 1 ||
                  !weft_exchange_why_refused(exchange, weft_backend_at(number[i]), value[i]);
    MPI_Allreduce(MPI_IN_PLACE, fits, all, MPI_INT, MPI_LAND, comm);
    for (int i = 0; i < all; i++)
        if (fits[i])
            methods[fitting++] = (method){weft_backend_at(number[i]), value[i]};
    return fitting;
}

int transfer_run(int *argc, char ***argv, Suite *(*make)(void))
{
    if (!weft_plugins_load(PLUGINS "libturns.so")) {
        fprintf(stderr, "%s\n", weft_error_text());
        return 1;
    }
    return run_mpi(argc, argv, make);
}
