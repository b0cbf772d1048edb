/* SPDX-License-Identifier: BSD-3-Clause */
/* All communicators are made and freed through these, here and in Weft. */
#include "tests/mpi/communicators.h"
#include "tests/layouts.h"

int communicators;

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    int code = PMPI_Comm_split(comm, color, key, made);

    communicators += code == MPI_SUCCESS;
    return code;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    int code = PMPI_Comm_split_type(comm, type, key, info, made);

    communicators += code == MPI_SUCCESS;
    return code;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    int code = PMPI_Comm_dup(comm, made);

    communicators += code == MPI_SUCCESS;
    return code;
}

int MPI_Comm_free(MPI_Comm *comm)
{
    communicators--;
    return PMPI_Comm_free(comm);
}

weft_exchange *plan_exchange(MPI_Comm comm, int used)
{
    static const ptrdiff_t size[2] = {24, 16};
    weft_layout from, to;

    slab_layouts(2, size, 1, used, &from, &to);
    /* Blocks would leave the last of 7 ranks without a part. */
    from.axis[0].rule = to.axis[1].rule = WEFT_BALANCED;
    return weft_exchange_create(&from, &to, sizeof(int), 0, comm);
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
