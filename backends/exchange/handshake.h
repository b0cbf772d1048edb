/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether all ranks of a communicator run this version of Weft. A preload, or a library path, may
 * not reach every host, and then ranks run FFTW's MPI library there, or an older Weft.
 */
#ifndef WEFT_HANDSHAKE_H
#define WEFT_HANDSHAKE_H

#include <mpi.h>

typedef enum {
    WEFT_HANDSHAKE_GOOD,
    WEFT_HANDSHAKE_FAILED, /* on all ranks, with an error: another version, or no communicator */
    WEFT_HANDSHAKE_ALONE   /* some ranks do not answer; with an error on the lowest that does */
} weft_handshake_result;

/* Collective, and the first collective calls of Weft on a communicator. They stay as they are from
 * version to version. Waits so many seconds for ranks that do not answer. */
weft_handshake_result weft_handshake(MPI_Comm comm, double limit);

#endif
