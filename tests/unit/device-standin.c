/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors that the stand-in finds: access to its memory faults, and its work is late.
 * (tests/mpi/test_on_device and the variants on a device use its other functions.) */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/device.h"

/* These tests do not run with another library. */
#define ON_STAND_IN(count) .from = getenv("WEFT_DEVICE") ? count : 0, .to = count

TEST(memory_of_a_device_faults, .signal = SIGSEGV, ON_STAND_IN(2), ON_DEVICE)
{
    volatile char *memory = device->allocate(100);
    signal(SIGSEGV, SIG_DFL); /* because sanitizers catch the signal */
    if (_i)
        memory[99] = 1;
    else
        printf("%d", memory[0]);
}

TEST(work_is_done_late, ON_STAND_IN(1), ON_DEVICE)
{
    int *from = pinned(sizeof *from), *to = pinned(sizeof *to);
    int *memory = device->allocate(sizeof *memory);
    *from = 1, *to = 5;
    ck_assert(device->copy(memory, from, sizeof *from, queue));
    ck_assert(device->copy(to, memory, sizeof *to, queue));
    ck_assert_int_eq(standin->waiting(), 2);
    ck_assert_int_eq(*to, 5);
    *from = 2; /* too early: the copy gets this number */
    ck_assert(device->queue_wait(queue));
    ck_assert_int_eq(*to, 2);
    ck_assert_int_eq(standin->waiting(), 0);
    device->release(memory);
    device->release_pinned(from);
    device->release_pinned(to);
}
