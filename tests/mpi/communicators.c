/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges that need communicators. */
#include "tests/mpi/communicators.h"
#include "tests/layouts.h"

weft_exchange *plan_exchange(MPI_Comm comm, int used)
{
    static const ptrdiff_t size[2] = {24, 16};
    weft_layout from, to;

    slab_layouts(2, size, 1, used, &from, &to);
    /* Blocks would leave the last of 7 ranks without a part. */
    from.axis[0].rule = to.axis[1].rule = WEFT_BALANCED;
    return weft_exchange_create(&from, &to, sizeof(int), 0, NULL, 0, comm);
}

bool exchange_works(const weft_exchange *e)
{
    bool ok = true;

    for (int step = 0; step < e->ranks; step++) {
        int to = (e->rank + step) % e->ranks, from = (e->rank - step + e->ranks) % e->ranks;
        int sent = 100 * e->rank + to, received = -1;

        MPI_Sendrecv(&sent, 1, MPI_INT, to, e->tag, &received, 1, MPI_INT, from, e->tag, e->comm,
                     MPI_STATUS_IGNORE);
        ok = ok && received == 100 * from + e->rank;
    }
    return ok;
}
