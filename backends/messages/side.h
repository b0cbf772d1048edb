/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One side, sending or receiving, of MPI's vector collectives: counts, displacements and datatypes.
 */
#ifndef WEFT_SIDE_H
#define WEFT_SIDE_H

#include "backends/messages/parcel.h"

/* Displacements count from `begin` on: of the array, or of the workspace when `staged`. */
typedef struct {
    bool staged;
    bool empty;
    ptrdiff_t begin;
    int *count; /* [ranks], as all that follow */
    int *displacement;
    MPI_Datatype *type;
    MPI_Count *large_count;
    MPI_Aint *large_displacement;
} weft_side;

bool weft_side_allocate(weft_side *side, int ranks);
void weft_side_release(weft_side *side, int ranks);

/*
 * Places what is staged of the parcels of a side: in the order of ranks and without gaps, the own
 * piece's place (if it has one) left free, so that pieces of one size lie evenly. Returns where it
 * ends in the workspace.
 */
ptrdiff_t weft_side_place(weft_side *side, weft_parcels *parcels, bool sent, ptrdiff_t begin);
/* Tells where the parcels lie, as bytes; false when int does not hold that. */
bool weft_side_describe(weft_side *side, const weft_parcel *parcel, int ranks);
/* Turns those that int does not hold into a derived type each; after describe. False: no memory. */
bool weft_side_derive(weft_side *side, const weft_services *services, int ranks);
/* Makes datatypes that walk the pieces in the array itself. False: no memory. */
bool weft_side_walk(weft_side *side, const weft_exchange *exchange, const weft_piece *piece);
/* Whether MPI_Alltoall could take the pieces of this side as they lie; after place. */
bool weft_side_even(const weft_side *side, const weft_exchange *exchange, const weft_piece *piece);

#endif
