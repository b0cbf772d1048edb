/* SPDX-License-Identifier: BSD-3-Clause */
/* What the stand-in finds: its memory faults, its work is late, what a program must not do ends it.
 * (tests/mpi/test_on_device and the variants on a device depend on all else that it does.) */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/device.h"

/* Not with another library. */
#define ON_STAND_IN(count) .from = getenv("WEFT_DEVICE") ? count : 0, .to = count

/* Memory. */

TEST(memory_of_a_device_faults, .signal = SIGSEGV, ON_STAND_IN(2), ON_DEVICE)
{
    volatile char *memory = device->allocate(100);
    signal(SIGSEGV, SIG_DFL); /* sanitizers catch it */
    if (_i)
        memory[99] = 1;
    else
        printf("%d", memory[0]);
}

/* What ends the program. */

static void transfer_of(const void *from, void *to, ptrdiff_t count)
{
    weft_strided_copy transfer = {8, 1, {count}, 0, {1}, 0, {1}};
    device->copy_strided(&transfer, from, to, queue);
}

static void release_twice(char *memory)
{
    device->release(memory);
    device->release(memory);
}

static void use_released(char *memory)
{
    device->release(memory);
    transfer_of(memory, memory + 400, 10);
}

static void release_inside(char *memory)
{
    device->release(memory + 8);
}

static void release_as_pinned(char *memory)
{
    device->release_pinned(memory);
}

static void transfer_too_much(char *memory)
{
    transfer_of(memory, memory + 400, 51);
}

static void transfer_from_host(char *memory)
{
    char here[80] = "";
    transfer_of(here, memory, 10);
}

static void transfer_to_pinned(char *memory)
{
    transfer_of(memory, pinned(100), 10);
}

static void copy_from_host(char *memory)
{
    char here[80] = "";
    device->copy(memory, here, 80, queue);
}

static void copy_too_much(char *memory)
{
    device->copy(memory, pinned(4000), 801, queue);
}

static void copy_onto_itself(char *memory)
{
    device->copy(memory, memory + 8, 16, queue);
}

static void release_what_is_used(char *memory)
{
    transfer_of(memory, memory + 400, 10);
    device->release(memory);
}

static void another_device(char *memory)
{
    device->use(1);
    transfer_of(memory, memory + 400, 10);
}

static void memory_of_another_device(char *memory)
{
    device->use(1);
    weft_queue *other = device->queue_create();
    device->copy(memory, pinned(8), 8, other);
}

static void transform(const weft_device_spec *spec, char *memory, bool with_area)
{
    size_t bytes;
    weft_device_transform *it = device->transform_create(spec, &bytes);
    device->transform_run(it, memory, memory, with_area ? device->allocate(bytes) : NULL, queue);
}

static void transform_too_long(char *memory)
{
    weft_device_spec spec = {WEFT_DEVICE_C2C, false, 1, 1, {51}, 1, {51}, 1, 51, {51}, 1, 51};
    transform(&spec, memory, true);
}

static void transform_without_area(char *memory)
{
    weft_device_spec spec = {WEFT_DEVICE_C2C, false, 1, 1, {5}, 1, {5}, 1, 5, {5}, 1, 5};
    transform(&spec, memory, false);
}

static void in_place_otherwise(char *memory)
{
    weft_device_spec spec = {WEFT_DEVICE_C2C, false, 1, 1, {5}, 2, {5}, 1, 5, {5}, 2, 1};
    transform(&spec, memory, true);
}

static void destroy_event_twice(char *memory)
{
    (void)memory;
    weft_device_event *event = device->event_create(false), *other = device->event_create(false);
    device->event_record(event, queue);
    device->event_record(other, queue);
    device->event_destroy(event);
    device->event_destroy(event);
}

static void (*const wrongs[])(char *memory) = {
    release_twice,
    use_released,
    release_inside,
    release_as_pinned,
    transfer_too_much,
    transfer_from_host,
    transfer_to_pinned,
    copy_from_host,
    copy_too_much,
    copy_onto_itself,
    release_what_is_used,
    another_device,
    transform_too_long,
    in_place_otherwise,
    transform_without_area,
    destroy_event_twice,
    memory_of_another_device,
};
enum { WRONGS = sizeof wrongs / sizeof *wrongs };

TEST(what_no_program_may_do_ends_it, .signal = SIGABRT, ON_STAND_IN(WRONGS), ON_DEVICE)
{
    wrongs[_i](device->allocate(800));
}

/* What is not released, by what it is. */
TEST(what_is_left_is_complained_of, .status = STANDIN_LEFT, ON_STAND_IN(6), .setup = load)
{
    weft_device_spec spec = {WEFT_DEVICE_C2C, false, 1, 1, {5}, 1, {5}, 1, 5, {5}, 1, 5};
    size_t bytes;
    if (_i == 0)
        device->allocate(1);
    else if (_i == 1)
        device->allocate_pinned(1);
    else if (_i == 2)
        device->queue_create();
    else if (_i == 3)
        device->event_create(false);
    else if (_i == 4)
        device->transform_create(&spec, &bytes);
    else
        device->event_create(true);
    ck_assert_int_eq(standin->left(), 2); /* and the queue */
}

/* Work. */

TEST(work_is_done_late, ON_STAND_IN(1), ON_DEVICE)
{
    int *from = pinned(sizeof *from), *to = pinned(sizeof *to);
    int *memory = device->allocate(sizeof *memory);
    *from = 1, *to = 5;
    ck_assert(device->copy(memory, from, sizeof *from, queue));
    ck_assert(device->copy(to, memory, sizeof *to, queue));
    ck_assert_int_eq(standin->waiting(), 2);
    ck_assert_int_eq(*to, 5);
    *from = 2; /* too early: this is what arrives */
    ck_assert(device->queue_wait(queue));
    ck_assert_int_eq(*to, 2);
    ck_assert_int_eq(standin->waiting(), 0);
    device->release(memory);
    device->release_pinned(from);
    device->release_pinned(to);
}
