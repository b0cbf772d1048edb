/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in for a device library (kernels/device/device.h), for tests on machines without a GPU:
 * its memory faults wherever it is touched but by the stand-in itself, what queues are given is
 * done late and, between queues, in any order, and calls fail when a test wants them to. What no
 * program may do ends it with a sentence: arrays that end too early, memory of another device, or
 * released, copies of host memory that is not pinned, a queue whose device is not current.
 *
 * Environment, read when it is loaded:
 *   STANDIN_DEVICES=n     how many there are (2)
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

/* What a test asks for while it runs, beside the device library of the same module. */
typedef struct {
    /* Of the calls from now on that can fail, call n does (1: the next), with `on` all after it,
     * too. 0: none. */
    void (*fail_at)(long n, bool on);
    long (*calls)(void); /* how many of these there were in all */
    void (*seed)(unsigned seed);
    int (*left)(void);    /* what is not released: memory, queues, marks, transforms, imports */
    int (*waiting)(void); /* pieces of work that are not done */
    bool (*pinned)(const void *array);
    /* Bytes copied up, down and on a device; bytes that moves wrote, numbers that transforms read.
     */
    struct standin_traffic {
        uint64_t up, down, across, moved, transformed;
        uint64_t copies, strided_copies, transforms, factors; /* how many of them */
    } (*traffic)(void);
    void (*refuse_peers)(bool refuse); /* as STANDIN_REFUSE=peers, from now on */
    void (*mpi_knows)(bool knows);     /* what mpi_reaches says from now on; at first it does not */
    void *(*inside)(const void *array); /* where such an MPI finds it; of other memory itself */
} weft_standin_controls;

#endif
