/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for arrays that the ranks of a node lend one another: each allocates its own part, all of
 * them see all parts. In a run a rank tells the others where its array lies, which is a loan until
 * the run is over.
 */
#ifndef WEFT_LENT_H
#define WEFT_LENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t number; /* of an allocation: no two that have ranks in common have the same; 0: none */
    uint64_t offset; /* from where the rank's part begins */
    int rank;        /* in the allocation */
} weft_loan;

/* Collective over comm: a part of at least so many bytes, which may differ. NULL on all ranks of a
 * node that cannot, with an error. What lies there is lost when MPI is finalized. */
void *weft_lent_make(MPI_Comm comm, size_t bytes);
/* Local, also after MPI_Finalize. False: it is no such part. The memory goes back to the system; a
 * later allocation of the same ranks takes the place over once all have given up theirs. */
bool weft_lent_free(void *part);

/* The loan of an array of this rank, all of which must lie in one part. Number 0: it does not, or
 * not as FFTW would align it. */
weft_loan weft_loan_of(const void *array, size_t bytes);
/* Whether all ranks of comm see it, and where it is in this process. Local; for numbers that are
 * not 0, and of ranks that see it. */
bool weft_loan_reaches(const weft_loan *loan, MPI_Comm comm);
void *weft_loan_at(const weft_loan *loan);

#endif
