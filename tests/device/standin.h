/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in for a device library (kernels/device/device.h), for tests on machines without a GPU.
 * Only the stand-in itself can access its memory; queues do their work late and, between queues, in
 * any order; calls fail on demand. Errors of the caller end the program with a sentence: arrays
 * that are too short, memory of another device or released memory, copies of host memory that is
 * not pinned, a queue whose device is not current.
 *
 * Environment, read when it is loaded:
 *   STANDIN_DEVICES=n     number of devices (2)
 *   STANDIN_BYTES=n       memory of each; more is refused
 *   STANDIN_WORK=random   (the default) a queue works when somebody waits for it; other queues
 *                         work now and then
 *   STANDIN_WORK=late     other queues work only if they must
 *   STANDIN_WORK=now      work is done at once, as if there were no queues
 *   STANDIN_SEED=n        chooses the order of work (1)
 *   STANDIN_FAIL=n        call n of those that can fail fails
 *   STANDIN_FAIL_FROM=n   call n and all after it fail
 *   STANDIN_REFUSE=export      no memory is exported to other processes, as between machines
 *   STANDIN_REFUSE=peers       no device opens memory of another device
 *   STANDIN_REFUSE=transforms  no transform is made
 *   STANDIN_REFUSE=driver      there is no driver
 *   STANDIN_REFUSE=old         the driver is too old
 *   STANDIN_PATIENCE=s    the program ends when it waits longer than this for an event (120)
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
    bool (*pinned)(const void *array);
    /* Bytes copied up, down and on a device; bytes that strided copies wrote; numbers that
     * transforms read.
     */
    struct standin_traffic {
        uint64_t up, down, across, moved, transformed;
        uint64_t copies, strided_copies, transforms, factors; /* calls of each kind */
    } (*traffic)(void);
    void (*refuse_peers)(bool refuse); /* like STANDIN_REFUSE=peers, from now on */
    void (*mpi_knows)(bool knows);     /* result of mpi_reaches from now on; at first false */
    void *(*inside)(
        const void *array); /* the address that such an MPI uses; other memory keeps its address */
} weft_standin_controls;

#endif
