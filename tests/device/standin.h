/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in for a device library (kernels/device/device.h), for tests on machines without a GPU.
 * Only the stand-in itself can access its memory; queues do their work late and, between queues, in
 * any order; calls fail on demand. Errors of the caller end the program with a sentence: arrays
 * that are too short, memory of another device or released memory, copies of host memory that is
 * not pinned, a queue whose device is not current.
 *
 * Environment:
 *   STANDIN_BYTES=n       memory of each device; more is refused
 *   STANDIN_REFUSE=transforms  no transform is made
 *   STANDIN_REFUSE=driver      there is no driver
 *   STANDIN_REFUSE=old         the driver is too old
 *   STANDIN_LEAKS=ignore  leaks are ignored; otherwise the program ends with the status
 *                         STANDIN_LEFT and a sentence
 */
#ifndef STANDIN_H
#define STANDIN_H

#include <stdbool.h>
#include <stdint.h>
#include "kernels/device/device.h"

enum { STANDIN_LEFT = 99 };

#define STANDIN_SYMBOL "weft_standin" /* const weft_standin_controls */

/* Functions by which a test controls the stand-in, beside the device library of the same module. */
typedef struct {
    /* Makes the n-th call from now on that can fail fail (1: the next; 0: none), with `on` also all
     * later ones. */
    void (*fail_at)(long n, bool on);
    long (*calls)(void); /* number of calls so far that can fail */
    void (*seed)(unsigned seed);
    int (*left)(void);    /* memory, queues, events, transforms and imports that are not released */
    int (*waiting)(void); /* pieces of work that are not done */
    /* Bytes copied up and down, and calls of each kind, since the last question. */
    struct standin_traffic {
        uint64_t up, down, copies, strided_copies, transforms;
    } (*traffic)(void);
    void (*refuse_peers)(bool refuse); /* no device opens memory of another one, from now on */
    void (*mpi_knows)(bool knows);     /* result of mpi_reaches from now on; at first false */
    void *(*inside)(
        const void *array); /* the address that such an MPI uses; other memory keeps its address */
} weft_standin_controls;

#endif
