/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks that all ranks of a communicator run this version of Weft. If a preload or library path
 * does not reach every host, the ranks there run FFTW's MPI library or an older Weft.
 */
#ifndef WEFT_HANDSHAKE_H
#define WEFT_HANDSHAKE_H

#include <mpi.h>

typedef enum {
    WEFT_HANDSHAKE_GOOD,
    WEFT_HANDSHAKE_FAILED, /* on all ranks, with an error: other version, or no communicator */
    WEFT_HANDSHAKE_ALONE   /* some ranks did not answer; the lowest rank that did gets an error */
} weft_handshake_result;

/* Collective. These must be Weft's first collective calls on a communicator, and must stay the same
 * in all versions. Waits up to `limit` seconds for ranks that do not answer. */
weft_handshake_result weft_handshake(MPI_Comm comm, double limit);

#endif
