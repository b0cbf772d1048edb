/* SPDX-License-Identifier: BSD-3-Clause */
/* What the stand-in alone promises: its memory faults, its work is late and in an order of its own,
 * calls fail on demand, what a program must not do ends it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/device.h"

enum { MOST_BYTES = 1 << 26 }; /* STANDIN_BYTES */

/* Memory. */

START_TEST(memory_of_a_device_faults)
{
    volatile char *memory = device->allocate(100);
    signal(SIGSEGV, SIG_DFL); /* sanitizers catch it */
    if (_i)
        memory[99] = 1;
    else
        printf("%d", memory[0]);
}
END_TEST

START_TEST(it_is_known_by_its_addresses)
{
    char *first = device->allocate(5000), *host = pinned(100), here = 0;
    ck_assert(device->use(1));
    char *second = device->allocate(1);
    ck_assert_int_eq(device->current(), 1);
    ck_assert_int_eq(device->where(first), 0);
    ck_assert_int_eq(device->where(first + 4999), 0);
    ck_assert_int_eq(device->where(second), 1);
    ck_assert_int_eq(device->where(host), WEFT_DEVICE_HOST);
    ck_assert_int_eq(device->where(&here), WEFT_DEVICE_HOST);
    ck_assert_int_eq(device->where(NULL), WEFT_DEVICE_HOST);
    ck_assert(standin->pinned(host) && !standin->pinned(&here));
    device->release(first);
    device->release(second);
    device->release_pinned(host);
    ck_assert_int_eq(device->where(first), WEFT_DEVICE_HOST);
    ck_assert(!device->use(2) && !device->use(-1));
    ck_assert_int_eq(device->current(), 1);
}
END_TEST

START_TEST(there_is_only_so_much)
{
    size_t most = MOST_BYTES;
    void *half = device->allocate(most / 2);
    ck_assert(half != NULL);
    ck_assert(device->allocate(most / 2 + 1) == NULL);
    ck_assert(strstr(device->why(), "out of memory") != NULL);
    void *rest = device->allocate(most / 2);
    ck_assert(rest != NULL);
    device->release(half);
    device->release(rest);
    ck_assert(device->allocate(most + 1) == NULL);
}
END_TEST

/* What ends the program. */

static void move_of(const void *from, void *to, ptrdiff_t count)
{
    weft_device_move move = {8, 1, {count}, 0, {1}, 0, {1}};
    device->move(&move, from, to, queue);
}

static void release_twice(char *memory)
{
    device->release(memory);
    device->release(memory);
}

static void use_released(char *memory)
{
    device->release(memory);
    move_of(memory, memory + 400, 10);
}

static void release_inside(char *memory)
{
    device->release(memory + 8);
}

static void release_as_pinned(char *memory)
{
    device->release_pinned(memory);
}

static void move_too_much(char *memory)
{
    move_of(memory, memory + 400, 51);
}

static void move_from_host(char *memory)
{
    char here[80] = "";
    move_of(here, memory, 10);
}

static void move_to_pinned(char *memory)
{
    move_of(memory, pinned(100), 10);
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
    move_of(memory, memory + 400, 10);
    device->release(memory);
}

static void another_device(char *memory)
{
    device->use(1);
    move_of(memory, memory + 400, 10);
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

static void destroy_mark_twice(char *memory)
{
    (void)memory;
    weft_mark *mark = device->mark_create(false), *other = device->mark_create(false);
    device->mark_set(mark, queue);
    device->mark_set(other, queue);
    device->mark_destroy(mark);
    device->mark_destroy(mark);
}

static void (*const wrongs[])(char *memory) = {
    release_twice,
    use_released,
    release_inside,
    release_as_pinned,
    move_too_much,
    move_from_host,
    move_to_pinned,
    copy_from_host,
    copy_too_much,
    copy_onto_itself,
    release_what_is_used,
    another_device,
    transform_too_long,
    in_place_otherwise,
    transform_without_area,
    destroy_mark_twice,
    memory_of_another_device,
};
enum { WRONGS = sizeof wrongs / sizeof *wrongs };

START_TEST(what_no_program_may_do_ends_it)
{
    wrongs[_i](device->allocate(800));
}
END_TEST

/* What is not released, by what it is. */
START_TEST(what_is_left_is_complained_of)
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
        device->mark_create(false);
    else if (_i == 4)
        device->transform_create(&spec, &bytes);
    else
        device->mark_create(true);
    ck_assert_int_eq(standin->left(), 2); /* and the queue */
}
END_TEST

/* Work. */

START_TEST(work_is_done_late)
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
END_TEST

enum { QUEUES = 4, STEPS = 5, ALL = QUEUES * STEPS };

/* Each step of each queue copies its own number to the same place, and from there to one of its
 * own: numbers[] then says whose was there last. */
static void race(unsigned seed, int *seen)
{
    weft_queue *queues[QUEUES];
    int *numbers = pinned(ALL * sizeof *numbers), *results = pinned(ALL * sizeof *results);
    int *memory = device->allocate(sizeof *memory);
    standin->seed(seed);
    for (int q = 0; q < QUEUES; q++)
        queues[q] = device->queue_create();
    for (int i = 0; i < ALL; i++) {
        numbers[i] = i;
        device->copy(memory, &numbers[i], sizeof *memory, queues[i % QUEUES]);
        device->copy(&results[i], memory, sizeof *memory, queues[i % QUEUES]);
    }
    for (int q = 0; q < QUEUES; q++)
        ck_assert(device->queue_wait(queues[q]));
    memcpy(seen, results, ALL * sizeof *seen);
    for (int q = 0; q < QUEUES; q++)
        device->queue_destroy(queues[q]);
    device->release(memory);
    device->release_pinned(numbers);
    device->release_pinned(results);
}

START_TEST(between_queues_the_order_is_the_seed_s)
{
    int first[ALL], again[ALL], other[ALL], differ = 0, disordered = 0;
    race(7, first);
    race(7, again);
    ck_assert_mem_eq(first, again, sizeof first);
    for (unsigned seed = 8; seed < 16; seed++) {
        race(seed, other);
        differ += memcmp(first, other, sizeof first) != 0;
    }
    ck_assert_int_gt(differ, 4);
    for (int i = 0; i < ALL; i++)
        disordered += first[i] != i;
    ck_assert_int_gt(disordered, 0);
}
END_TEST
START_TEST(a_stream_of_the_user_s_is_adopted)
{
    int *from = pinned(sizeof *from), *memory = device->allocate(sizeof *memory);
    weft_queue *its = device->queue_adopt(device->queue_stream(queue));
    weft_queue *default_queue = device->queue_adopt(NULL);
    ck_assert(device->copy(memory, from, sizeof *from, its));
    ck_assert(device->copy(memory, from, sizeof *from, default_queue));
    device->queue_destroy(its);
    ck_assert(device->queue_wait(queue));
    ck_assert(device->queue_wait(default_queue));
    ck_assert_int_eq(standin->waiting(), 0);
    device->queue_destroy(default_queue);
    ck_assert(device->queue_adopt(from) == NULL);
    device->release(memory);
    device->release_pinned(from);
}
END_TEST
/* Failures. */

/* All calls that can fail, one after the other; how many of them did not. */
static int some_calls(void)
{
    int went = 0;
    weft_device_spec spec = {WEFT_DEVICE_C2C, false, 1, 1, {5}, 1, {5}, 1, 5, {5}, 1, 5};
    weft_device_move move = {8, 1, {5}, 0, {1}, 5, {1}};
    size_t bytes;
    void *memory = device->allocate(800), *copy = device->allocate_pinned(800);
    weft_mark *mark = device->mark_create(false);
    weft_device_transform *transform = device->transform_create(&spec, &bytes);
    went += memory && copy && mark && transform
                ? 4
                : (memory != NULL) + (copy != NULL) + (mark != NULL) + (transform != NULL);
    if (memory && copy)
        went += device->copy(memory, copy, 800, queue);
    if (memory)
        went += device->move(&move, memory, memory, queue);
    if (mark)
        went += device->mark_set(mark, queue) && device->mark_await(mark);
    went += device->queue_wait(queue);
    device->transform_destroy(transform);
    device->mark_destroy(mark);
    device->release(memory);
    device->release_pinned(copy);
    return went;
}

START_TEST(calls_fail_on_demand)
{
    long before = standin->calls();
    ck_assert_int_eq(some_calls(), 8);
    long calls = standin->calls() - before;
    ck_assert_int_gt(calls, 8);
    for (long n = 1; n <= calls; n++) {
        standin->fail_at(n, false);
        ck_assert_int_lt(some_calls(), 8);
        ck_assert(strstr(device->why(), "on demand") != NULL);
        ck_assert_int_eq(some_calls(), 8);
        standin->fail_at(n, true);
        ck_assert_int_lt(some_calls(), 8);
        standin->fail_at(0, false);
        ck_assert_int_eq(standin->left(), 1);
    }
}
END_TEST

/* Between processes: a child writes its parent's memory, once a mark says that it may, and says
 * when it has. */

typedef struct {
    char memory[WEFT_DEVICE_HANDLE], begin[WEFT_DEVICE_HANDLE], end[WEFT_DEVICE_HANDLE];
} handles;

/* `ask` ends when its parent has all that it wants of it. */
static int child(const handles *its, int ask, int answer)
{
    load();
    int *memory = device->memory_import(its->memory);
    weft_mark *begin = device->mark_import(its->begin), *end = device->mark_create(true);
    int *numbers = pinned(2 * sizeof *numbers);
    handles mine;
    if (!memory || !begin || !device->mark_export(end, mine.end))
        return 1;
    numbers[1] = 77;
    bool goes = device->where(memory) == 0 && device->mark_wait_for(begin, queue) &&
                device->copy(numbers, memory, sizeof *numbers, queue) &&
                device->copy(memory, &numbers[1], sizeof *numbers, queue) &&
                device->mark_set(end, queue);
    if (write(answer, &mine, sizeof mine) != (ssize_t)sizeof mine)
        return 2;
    goes = goes && device->queue_wait(queue) && numbers[0] == 33;
    device->memory_close(memory);
    return goes && read(ask, &mine, 1) == 0 ? 0 : 3;
}

static pid_t start_child(int *ask, int *answer)
{
    int there[2], back[2];
    ck_assert(pipe(there) == 0 && pipe(back) == 0);
    *ask = there[1];
    *answer = back[0];
    pid_t process = fork();
    if (process == 0) {
        handles its;
        close(there[1]);
        bool told = read(there[0], &its, sizeof its) == (ssize_t)sizeof its;
        _exit(told ? child(&its, there[0], back[1]) : 9);
    }
    close(there[0]);
    return process;
}

START_TEST(memory_and_marks_go_between_processes)
{
    handles its, answer;
    int to_child, from_child, status, *number = pinned(2 * sizeof *number);
    pid_t process = start_child(&to_child, &from_child);
    int *memory = device->allocate(sizeof *memory);
    weft_mark *begin = device->mark_create(true);
    *number = 33;
    ck_assert(device->memory_export(memory, its.memory) && device->mark_export(begin, its.begin));
    ck_assert(device->memory_import(its.memory) == NULL); /* its own */
    ck_assert(device->copy(memory, number, sizeof *memory, queue));
    ck_assert(device->mark_set(begin, queue)); /* nobody here waits for this */
    ck_assert(write(to_child, &its, sizeof its) == (ssize_t)sizeof its);
    ck_assert(read(from_child, &answer, sizeof answer) == (ssize_t)sizeof answer);
    weft_mark *end = device->mark_import(answer.end);
    ck_assert(end != NULL);
    close(to_child);
    ck_assert(device->mark_wait_for(end, queue));
    ck_assert(device->copy(&number[1], memory, sizeof *memory, queue));
    ck_assert(device->queue_wait(queue));
    ck_assert_int_eq(number[1], 77);
    ck_assert(waitpid(process, &status, 0) == process);
    ck_assert_int_eq(status, 0);
    device->mark_destroy(begin);
    device->mark_destroy(end);
    device->release(memory);
    device->release_pinned(number);
}
END_TEST

START_TEST(handles_of_nothing_are_refused)
{
    char handle[WEFT_DEVICE_HANDLE] = "";
    void *memory = device->allocate(10);
    ck_assert(device->memory_import(handle) == NULL);
    ck_assert(device->mark_import(handle) == NULL);
    ck_assert(device->memory_export(memory, handle));
    device->release(memory);
    ck_assert(device->memory_import(handle) == NULL);
}
END_TEST
static void add_wrongs(Suite *suite)
{
    TCase *wrong = add_case(suite, "what is wrong");
    tcase_add_loop_test_raise_signal(wrong, memory_of_a_device_faults, SIGSEGV, 0, 2);
    tcase_add_loop_test_raise_signal(wrong, what_no_program_may_do_ends_it, SIGABRT, 0, WRONGS);
    TCase *leaks = tcase_create("what is left");
    tcase_add_checked_fixture(leaks, load, NULL);
    tcase_add_loop_exit_test(leaks, what_is_left_is_complained_of, STANDIN_LEFT, 0, 6);
    suite_add_tcase(suite, leaks);
}

void add_promises_of_the_stand_in(Suite *suite)
{
    TCase *tests = add_case(suite, "stand-in");
    tcase_add_test(tests, it_is_known_by_its_addresses);
    tcase_add_test(tests, there_is_only_so_much);
    tcase_add_test(tests, work_is_done_late);
    tcase_add_test(tests, between_queues_the_order_is_the_seed_s);
    tcase_add_test(tests, a_stream_of_the_user_s_is_adopted);
    tcase_add_test(tests, calls_fail_on_demand);
    tcase_add_test(tests, memory_and_marks_go_between_processes);
    tcase_add_test(tests, handles_of_nothing_are_refused);
    add_wrongs(suite);
}
