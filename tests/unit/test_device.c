/* SPDX-License-Identifier: BSD-3-Clause */
/* The stand-in for a device library keeps what it promises: its memory faults, its work is late and
 * in an order of its own, what it computes is right, what a program must not do ends it. With that,
 * the kernels' arithmetic (kernels/cuda/) is tested, which the device shares. WEFT_DEVICE names
 * another library, of which what any of them promises is tested (tools/device/on-gpu). */
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kernels/cuda/sweep.h"
#include "tests/device/standin.h"
#include "tests/unit/harness.h"

static const weft_device_library *device;
static const weft_standin_controls *standin;
static weft_queue *queue;

enum { MOST_BYTES = 1 << 26 }; /* what a device has here */

static void load(void)
{
    setenv("STANDIN_BYTES", "67108864", 1);
    const char *another = getenv("WEFT_DEVICE");
    void *module = dlopen(another ? another : STANDIN, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(module != NULL, "%s", dlerror());
    device = dlsym(module, WEFT_DEVICE_SYMBOL);
    standin = dlsym(module, STANDIN_SYMBOL);
    ck_assert(device && (standin || another) && device->version == WEFT_DEVICE_VERSION);
    queue = device->queue_create();
    ck_assert_msg(queue != NULL, "%s", device->why());
}

static void unload(void)
{
    device->queue_destroy(queue);
}

/* Arrays that are there and back at once. */

static void *pinned(size_t bytes)
{
    void *array = device->allocate_pinned(bytes);
    ck_assert(array != NULL);
    return array;
}

static void *on_device(const void *array, size_t bytes)
{
    void *memory = device->allocate(bytes), *copy = pinned(bytes);
    ck_assert(memory != NULL);
    memcpy(copy, array, bytes);
    ck_assert(device->copy(memory, copy, bytes, queue) && device->queue_wait(queue));
    device->release_pinned(copy);
    return memory;
}

static void get(void *array, const void *memory, size_t bytes)
{
    void *copy = pinned(bytes);
    ck_assert(device->copy(copy, memory, bytes, queue) && device->queue_wait(queue));
    memcpy(array, copy, bytes);
    device->release_pinned(copy);
}

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

static void transform_too_long(char *memory)
{
    weft_device_spec spec = {WEFT_DEVICE_C2C, false, 1, 1, {51}, 1, {51}, 1, 51, {51}, 1, 51};
    size_t bytes;
    weft_device_transform *transform = device->transform_create(&spec, &bytes);
    device->transform_run(transform, memory, memory, device->allocate(bytes), queue);
}

static void transform_without_area(char *memory)
{
    weft_device_spec spec = {WEFT_DEVICE_C2C, false, 1, 1, {5}, 1, {5}, 1, 5, {5}, 1, 5};
    size_t bytes;
    weft_device_transform *transform = device->transform_create(&spec, &bytes);
    device->transform_run(transform, memory, memory, NULL, queue);
}

static void in_place_otherwise(char *memory)
{
    weft_device_spec spec = {WEFT_DEVICE_C2C, false, 1, 1, {5}, 2, {5}, 1, 5, {5}, 2, 1};
    size_t bytes;
    weft_device_transform *transform = device->transform_create(&spec, &bytes);
    device->transform_run(transform, memory, memory, device->allocate(bytes), queue);
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

START_TEST(who_asks_often_enough_gets_it_done)
{
    int *from = pinned(sizeof *from), *memory = device->allocate(sizeof *memory);
    weft_mark *mark = device->mark_create(false);
    ck_assert(device->mark_reached(mark)); /* never set */
    ck_assert(device->copy(memory, from, sizeof *from, queue));
    ck_assert(device->mark_set(mark, queue));
    int asked = 0;
    while (_i ? !device->queue_idle(queue) : !device->mark_reached(mark))
        asked++;
    ck_assert_int_gt(asked, 0);
    ck_assert_int_eq(standin->waiting(), 0);
    device->mark_destroy(mark);
    device->release(memory);
    device->release_pinned(from);
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

/* A chain over all queues, each link of which waits for the mark of the one before. */
START_TEST(marks_put_queues_in_order)
{
    enum { LINKS = 40 };
    weft_queue *queues[QUEUES];
    weft_mark *marks[LINKS];
    int *numbers = pinned((LINKS + 1) * sizeof *numbers);
    int *memory = device->allocate(sizeof *memory);
    if (standin)
        standin->seed((unsigned)_i);
    for (int q = 0; q < QUEUES; q++)
        queues[q] = device->queue_create();
    numbers[0] = 17;
    for (int i = 0; i < LINKS; i++) {
        weft_queue *its = queues[i % QUEUES];
        marks[i] = device->mark_create(false);
        if (i)
            ck_assert(device->mark_wait_for(marks[i - 1], its));
        numbers[i + 1] = -1;
        ck_assert(device->copy(memory, &numbers[i], sizeof *memory, its));
        ck_assert(device->copy(&numbers[i + 1], memory, sizeof *memory, its));
        ck_assert(device->mark_set(marks[i], its));
    }
    ck_assert(!standin || !device->mark_reached(marks[LINKS - 1]));
    ck_assert(device->mark_await(marks[LINKS - 1]));
    for (int i = 0; i <= LINKS; i++)
        ck_assert_int_eq(numbers[i], 17);
    ck_assert(device->mark_seconds(marks[0], marks[LINKS - 1]) >= 0);
    for (int i = 0; i < LINKS; i++)
        device->mark_destroy(marks[i]);
    for (int q = 0; q < QUEUES; q++)
        device->queue_destroy(queues[q]);
    device->release(memory);
    device->release_pinned(numbers);
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

/* Moves, against the loops that they say. */

static unsigned state;

static unsigned draw(unsigned below)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
}

/* Walks over all elements of a move: NULL `with` counts them. */
static void move_simply(const weft_device_move *move, const char *from, char *to)
{
    ptrdiff_t index[WEFT_DEVICE_AXES] = {0};
    for (int k = 0; k < move->axes; k++)
        if (move->count[k] < 1)
            return;
    for (;;) {
        ptrdiff_t i = move->from_offset, o = move->to_offset;
        for (int k = 0; k < move->axes; k++) {
            i += index[k] * move->from_stride[k];
            o += index[k] * move->to_stride[k];
        }
        ptrdiff_t element = (ptrdiff_t)move->element;
        memcpy(to + o * element, from + i * element, move->element);
        int k = move->axes - 1;
        while (k >= 0 && ++index[k] == move->count[k])
            index[k--] = 0;
        if (k < 0)
            return;
    }
}

/* Strides in an order drawn by lot, now and then with room between; how far they reach. */
static ptrdiff_t draw_strides(int axes, const ptrdiff_t *count, ptrdiff_t *stride)
{
    int order[WEFT_DEVICE_AXES];
    for (int k = 0; k < axes; k++) {
        int at = (int)draw((unsigned)k + 1);
        order[k] = order[at];
        order[at] = k;
    }
    ptrdiff_t reach = draw(4) ? 1 : 1 + draw(3);
    for (int k = 0; k < axes; k++) {
        stride[order[k]] = reach;
        reach *= count[order[k]];
        reach += draw(3) ? 0 : draw(4);
    }
    return reach;
}

static const size_t elements[] = {4, 8, 16, 12, 24, 32, 48, 40};

static ptrdiff_t draw_count(unsigned most)
{
    return 1 + (draw(3) ? draw(most) : draw(3));
}

static void turn_around(weft_device_move *move)
{
    if (move->axes == 0 || draw(4))
        return;
    int k = (int)draw((unsigned)move->axes);
    move->from_offset += (move->count[k] - 1) * move->from_stride[k];
    move->from_stride[k] = -move->from_stride[k];
    k = (int)draw((unsigned)move->axes);
    move->to_offset += (move->count[k] - 1) * move->to_stride[k];
    move->to_stride[k] = -move->to_stride[k];
}

static void moves_like_loops(weft_device_move *move, size_t from_bytes, size_t to_bytes)
{
    char *from = malloc(from_bytes), *to = malloc(to_bytes), *expected = malloc(to_bytes);
    for (size_t i = 0; i < from_bytes; i++)
        from[i] = (char)draw(256);
    memset(expected, 0x5a, to_bytes);
    void *there = on_device(from, from_bytes), *result = on_device(expected, to_bytes);
    move_simply(move, from, expected);
    ck_assert(device->move(move, there, result, queue));
    get(to, result, to_bytes);
    ck_assert_mem_eq(to, expected, to_bytes);
    device->release(there);
    device->release(result);
    free(from);
    free(to);
    free(expected);
}

START_TEST(moves_are_those_of_loops)
{
    state = (unsigned)_i;
    weft_device_move move = {.element = elements[draw(8)], .axes = (int)draw(5)};
    unsigned most = move.axes > 3 ? 9 : move.axes > 2 ? 20 : 100;
    for (int k = 0; k < move.axes; k++)
        move.count[k] = draw_count(most);
    move.from_offset = draw(2) ? 0 : draw(8);
    move.to_offset = draw(2) ? 0 : draw(8);
    ptrdiff_t reads = move.from_offset + draw_strides(move.axes, move.count, move.from_stride);
    ptrdiff_t writes = move.to_offset + draw_strides(move.axes, move.count, move.to_stride);
    turn_around(&move);
    if (draw(20) == 0 && move.axes)
        move.count[draw((unsigned)move.axes)] = 0;
    moves_like_loops(&move, (size_t)reads * move.element, (size_t)writes * move.element);
}
END_TEST

/* Transpositions of all shapes of rectangles. */
static const ptrdiff_t shapes[][2] = {{2, 5000}, {5000, 2},  {3, 700}, {700, 3}, {33, 31},
                                      {32, 32},  {64, 1025}, {1, 9},   {17, 40}, {40, 17}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

START_TEST(transpositions_are_those_of_loops)
{
    state = (unsigned)_i;
    ptrdiff_t rows = shapes[_i % SHAPES][0], columns = shapes[_i % SHAPES][1];
    weft_device_move move = {.element = elements[_i / SHAPES], .axes = 3};
    memcpy(move.count, (ptrdiff_t[]){rows, 2, columns}, 3 * sizeof *move.count);
    memcpy(move.from_stride, (ptrdiff_t[]){2 * columns, columns, 1}, 3 * sizeof *move.count);
    memcpy(move.to_stride, (ptrdiff_t[]){1, rows, 2 * rows}, 3 * sizeof *move.count);
    size_t bytes = (size_t)(rows * 2 * columns) * move.element;
    moves_like_loops(&move, bytes, bytes);
}
END_TEST

/* Moves larger than any memory here: where units come from and go to, of some of them. The target
 * is dense, so that the place of a unit there says its indices. */

typedef struct {
    weft_device_move move;
    const char *about;
} huge_case;

#define POWER(n) ((ptrdiff_t)1 << (n))

static const huge_case huge_cases[] = {
    {{8, 2, {POWER(33), 3}, 0, {17, POWER(38)}, 0, {3, 1}}, "lines, steps beyond 2^31"},
    {{16, 3, {5, POWER(20), 1000}, 9, {1, 5000, 5}, 0, {POWER(20) * 1000, 1000, 1}}, "tiles"},
    {{4, 2, {POWER(17), POWER(18)}, 0, {1, POWER(17)}, 0, {POWER(18), 1}}, "tiles beyond 2^31"},
    {{4, 2, {POWER(14) + 1, 1001}, 0, {1, POWER(40)}, 0, {1001, 1}}, "tiles far from one another"},
    {{24, 2, {POWER(31), 5}, 0, {5, 1}, 0, {5, 1}}, "one line"},
    {{8, 3, {1000, 1000, 1000}, 0, {1, 1000, POWER(20)}, 0, {1000000, 1000, 1}},
     "tiles below 2^31"},
};
enum { HUGE_CASES = sizeof huge_cases / sizeof *huge_cases };

/* (Check writes down every assertion, so these are not in the loops.) */
static bool is_pair(const weft_device_move *move, int unit, int64_t from, int64_t to)
{
    int64_t element = (int64_t)move->element, at = to * unit;
    int64_t expected = move->from_offset * element + at % element, rest = at / element;
    for (int k = move->axes - 1; k >= 0; k--) {
        expected += rest % move->count[k] * move->from_stride[k] * element;
        rest /= move->count[k];
    }
    return at >= 0 && rest == 0 /* it lies in the target */ && from * unit == expected;
}

static void check_rectangle(const weft_device_move *move, const weft_sweep *sweep, uint64_t block)
{
    static int64_t from[2 * WEFT_TILE];
    weft_rectangle r = weft_rectangle_of(sweep, block);
    int64_t place;
    uint32_t slot;
    int read = 0, written = 0, wrong = 0;
    for (uint32_t n = 0; n < WEFT_TILE; n++)
        if (weft_rectangle_read(sweep, &r, n, &slot, &place)) {
            from[slot] = place;
            read++;
        }
    for (uint32_t n = 0; n < WEFT_TILE; n++)
        if (weft_rectangle_write(sweep, &r, n, &slot, &place)) {
            wrong += !is_pair(move, sweep->unit, from[slot], place);
            written++;
        }
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_gt(read, 0);
    ck_assert_int_eq(read, written);
}

static uint64_t any_below(uint64_t below)
{
    uint64_t number = 0;
    for (int i = 0; i < 4; i++)
        number = number << 16 | draw(1 << 16);
    return number % below;
}

START_TEST(huge_moves_are_where_they_should_be)
{
    const weft_device_move *move = &huge_cases[_i].move;
    weft_sweep sweep = weft_sweep_of_move(move, NULL, NULL);
    state = (unsigned)_i;
    ck_assert(sweep.unit);
    ck_assert_int_eq(sweep.tiled, strncmp(huge_cases[_i].about, "tiles", 5) == 0);
    for (int n = 0; n < 2000; n++) {
        uint64_t last = sweep.items - 1, item = n ? any_below(sweep.items) : last;
        int64_t from, to;
        if (sweep.tiled) {
            check_rectangle(move, &sweep, item);
        } else {
            weft_locate(&sweep, item, &from, &to);
            ck_assert(is_pair(move, sweep.unit, from, to));
        }
    }
}
END_TEST

/* Factors. */

typedef struct {
    weft_device_factors factors;
    ptrdiff_t numbers;
} factors_case;

static const factors_case factor_cases[] = {
    {{false, 2, {7, 9}, {9, 1}, {0, 0}, {{1, 0}, {0, 1}}, 63, -1}, 63},
    {{true, 2, {7, 9}, {9, 1}, {0, 0}, {{1, 0}, {0, 1}}, 63, 1}, 63},
    {{false, 3, {4, 5, 3}, {15, 1, 5}, {1000, 77}, {{1, 0, 0}, {0, 3, 0}}, 4096, 1}, 60},
    {{true, 3, {4, 5, 3}, {20, 2, 7}, {11, 5}, {{-1, 2, 0}, {0, -3, 1}}, 97, -1}, 90},
    {{false, 1, {50}, {1}, {123456789, 987654321}, {{1}, {7}}, (ptrdiff_t)1 << 40, -1}, 50},
    {{false, 1, {50}, {1}, {5, -3}, {{1}, {1}}, 8, -1}, 50},
    {{false, 1, {50}, {1}, {5, -3}, {{-1}, {-7}}, (ptrdiff_t)1 << 40, 1}, 50},
    {{false, 1, {50}, {1}, {5, -3}, {{1}, {1}}, 1, -1}, 50},
    {{false, 2, {8, 1}, {1, 8}, {0, 1}, {{1, 0}, {0, 0}}, 8, 1}, 8},
    {{false, 0, {0}, {0}, {3, 2}, {{0}, {0}}, 12, 1}, 1},
    {{false, 1, {0}, {1}, {0, 0}, {{1}, {1}}, 12, 1}, 1},
};
enum { FACTOR_CASES = sizeof factor_cases / sizeof *factor_cases };

static long double complex factor_of(const weft_device_factors *it, const ptrdiff_t *index)
{
    int64_t a = it->first[0], b = it->first[1];
    for (int k = 0; k < it->axes; k++) {
        a += index[k] * it->step[0][k];
        b += index[k] * it->step[1][k];
    }
    int64_t part = a % it->length * (b % it->length) % it->length;
    return cexpl(2 * 3.14159265358979323846264338327950288L * I * it->sign * (long double)part /
                 (long double)it->length);
}

static void factors_simply(const weft_device_factors *it, double complex *array)
{
    ptrdiff_t index[3] = {0}, count[3] = {1, 1, 1};
    for (int k = 0; k < it->axes; k++)
        count[k] = it->count[k];
    for (index[0] = 0; index[0] < count[0]; index[0]++)
        for (index[1] = 0; index[1] < count[1]; index[1]++)
            for (index[2] = 0; index[2] < count[2]; index[2]++) {
                ptrdiff_t at = 0;
                for (int k = 0; k < it->axes; k++)
                    at += index[k] * it->stride[k];
                array[at] = (double complex)(array[at] * factor_of(it, index));
            }
}

START_TEST(factors_are_those_of_the_definition)
{
    const factors_case *its = &factor_cases[_i];
    double complex array[100], expected[100];
    float complex small[100];
    for (int i = 0; i < its->numbers; i++)
        small[i] = (float complex)(expected[i] = array[i] = 1 + i + (2 - i) * I);
    factors_simply(&its->factors, expected);
    bool single = its->factors.single;
    void *at = single ? (void *)small : (void *)array;
    size_t bytes = (size_t)its->numbers * (single ? sizeof *small : sizeof *array);
    void *memory = on_device(at, bytes);
    ck_assert(device->factors(&its->factors, memory, queue));
    get(at, memory, bytes);
    for (int i = 0; i < its->numbers; i++) {
        double complex result = single ? (double complex)small[i] : array[i];
        double error = cabs(result - expected[i]) / cabs(expected[i]);
        ck_assert_msg(error < (single ? 3e-7 : 4e-16), "number %d: off by %g", i, error);
    }
    device->release(memory);
}
END_TEST

/* Transforms, against the definition. */

typedef struct {
    int axes;
    ptrdiff_t size[3], batch;
    bool interleaved; /* the batch is the fastest axis */
    ptrdiff_t room;   /* more in the rows than there need be */
} transform_case;

static const transform_case transform_cases[] = {
    {1, {8}, 1, false, 0},       {1, {7}, 3, false, 0},      {1, {12}, 5, true, 0},
    {1, {1}, 4, false, 0},       {1, {9}, 2, false, 3},      {2, {4, 6}, 1, false, 0},
    {2, {5, 3}, 2, false, 2},    {2, {4, 5}, 3, true, 0},    {3, {3, 4, 2}, 1, false, 0},
    {3, {2, 3, 5}, 2, false, 1}, {3, {4, 2, 6}, 2, true, 2},
};
enum { TRANSFORM_CASES = sizeof transform_cases / sizeof *transform_cases };
/* c2c forward, c2c backward, r2c, c2r; double, float; out of place, in place */
enum { KINDS = 4, WAYS = KINDS * 4 };

enum { MOST = 2000 };

static void lay_out(const transform_case *its, bool half, bool real_side, bool in_place,
                    ptrdiff_t *embed, ptrdiff_t *stride, ptrdiff_t *distance)
{
    ptrdiff_t all = 1;
    for (int k = its->axes - 1; k >= 0; k--) {
        embed[k] = its->size[k];
        if (k == its->axes - 1 && half)
            embed[k] = its->size[k] / 2 + 1;
        embed[k] += its->room;
        if (k == its->axes - 1 && real_side && in_place)
            embed[k] = 2 * (its->size[k] / 2 + 1 + its->room);
        all *= embed[k];
    }
    *stride = its->interleaved ? its->batch : 1;
    *distance = its->interleaved ? 1 : all;
}

static ptrdiff_t at_of(const ptrdiff_t *embed, ptrdiff_t stride, ptrdiff_t distance, ptrdiff_t b,
                       int axes, const ptrdiff_t *index)
{
    ptrdiff_t at = 0;
    for (int k = 0; k < axes; k++)
        at = at * embed[k] + index[k];
    return b * distance + at * stride;
}

static void spread(ptrdiff_t n, int axes, const ptrdiff_t *size, ptrdiff_t *index)
{
    for (int k = axes - 1; k >= 0; k--) {
        index[k] = n % size[k];
        n /= size[k];
    }
}

/* One number of the transform of the input, all of it complex. */
static long double complex number_of(const transform_case *its, const double complex *input,
                                     ptrdiff_t all, int sign, const ptrdiff_t *index)
{
    long double complex sum = 0;
    for (ptrdiff_t n = 0; n < all; n++) {
        ptrdiff_t at[3];
        long double turns = 0;
        spread(n, its->axes, its->size, at);
        for (int k = 0; k < its->axes; k++)
            turns += (long double)(at[k] * index[k] % its->size[k]) / (long double)its->size[k];
        sum += input[n] * cexpl(2 * 3.14159265358979323846264338327950288L * I * sign * turns);
    }
    return sum;
}

static ptrdiff_t numbers_of(const transform_case *its)
{
    ptrdiff_t all = 1;
    for (int k = 0; k < its->axes; k++)
        all *= its->size[k];
    return all;
}

/* The input of one transform of the batch: any numbers, real, or a spectrum of real ones. */
static void make_input(const transform_case *its, weft_device_kind kind, double complex *input)
{
    ptrdiff_t all = numbers_of(its), index[3], mirror[3];
    for (ptrdiff_t n = 0; n < all; n++)
        input[n] = draw(1000) / 500.0 - 1 + (kind == WEFT_DEVICE_R2C ? 0 : draw(1000) / 500.0) * I;
    for (ptrdiff_t n = 0; kind == WEFT_DEVICE_C2R && n < all; n++) {
        ptrdiff_t other = 0;
        spread(n, its->axes, its->size, index);
        for (int k = 0; k < its->axes; k++) {
            mirror[k] = (its->size[k] - index[k]) % its->size[k];
            other = other * its->size[k] + mirror[k];
        }
        input[other] = other == n ? creal(input[n]) : conj(input[n]);
    }
}

static void set_number(void *array, ptrdiff_t at, bool single, bool real, double complex value)
{
    if (real && single)
        ((float *)array)[at] = (float)creal(value);
    else if (real)
        ((double *)array)[at] = creal(value);
    else if (single)
        ((float complex *)array)[at] = (float complex)value;
    else
        ((double complex *)array)[at] = value;
}

static double complex get_number(const void *array, ptrdiff_t at, bool single, bool real)
{
    if (real)
        return single ? (double)((const float *)array)[at] : ((const double *)array)[at];
    return single ? (double complex)((const float complex *)array)[at]
                  : ((const double complex *)array)[at];
}

/* In or out: sizes of that side. */
static void sizes_of(const transform_case *its, bool half, ptrdiff_t *size)
{
    memcpy(size, its->size, sizeof its->size);
    if (half)
        size[its->axes - 1] = its->size[its->axes - 1] / 2 + 1;
}

static weft_device_spec spec_of(const transform_case *its, int way)
{
    static const weft_device_kind kinds[KINDS] = {WEFT_DEVICE_C2C, WEFT_DEVICE_C2C, WEFT_DEVICE_R2C,
                                                  WEFT_DEVICE_C2R};
    int kind = way % KINDS;
    weft_device_spec spec = {.kind = kinds[kind], .sign = kind % 2 ? 1 : -1, .axes = its->axes};
    bool in_place = way / (2 * KINDS);
    spec.single = way / KINDS % 2;
    spec.batch = its->batch;
    memcpy(spec.size, its->size, sizeof its->size);
    lay_out(its, kind == 3, kind == 2, in_place, spec.in_embed, &spec.in_stride, &spec.in_distance);
    lay_out(its, kind == 2, kind == 3, in_place, spec.out_embed, &spec.out_stride,
            &spec.out_distance);
    return spec;
}

/* Puts the input where the spec says; everything else is NaN. */
static void fill(const transform_case *its, const weft_device_spec *spec, void *array,
                 double complex inputs[][120])
{
    ptrdiff_t size[3], index[3];
    sizes_of(its, spec->kind == WEFT_DEVICE_C2R, size);
    for (ptrdiff_t b = 0; b < its->batch; b++) {
        make_input(its, spec->kind, inputs[b]);
        for (ptrdiff_t n = 0; n < numbers_of(its); n++) {
            spread(n, its->axes, its->size, index);
            if (index[its->axes - 1] < size[its->axes - 1])
                set_number(
                    array,
                    at_of(spec->in_embed, spec->in_stride, spec->in_distance, b, its->axes, index),
                    spec->single, spec->kind == WEFT_DEVICE_R2C, inputs[b][n]);
        }
    }
}

static void compare(const transform_case *its, const weft_device_spec *spec, const void *array,
                    double complex inputs[][120])
{
    ptrdiff_t size[3], index[3], all = numbers_of(its);
    sizes_of(its, spec->kind == WEFT_DEVICE_R2C, size);
    for (ptrdiff_t b = 0; b < its->batch; b++)
        for (ptrdiff_t n = 0; n < all; n++) {
            spread(n, its->axes, its->size, index);
            if (index[its->axes - 1] >= size[its->axes - 1])
                continue;
            ptrdiff_t at =
                at_of(spec->out_embed, spec->out_stride, spec->out_distance, b, its->axes, index);
            double complex result =
                get_number(array, at, spec->single, spec->kind == WEFT_DEVICE_C2R);
            double error =
                cabs((double complex)(result - number_of(its, inputs[b], all, spec->sign, index)));
            ck_assert_msg(error < (spec->single ? 1e-4 : 1e-12), "number %td of %td: off by %g", n,
                          b, error);
        }
}

START_TEST(transforms_are_those_of_the_definition)
{
    static double complex inputs[5][120];
    static double complex in[MOST];
    const transform_case *its = &transform_cases[_i % TRANSFORM_CASES];
    int way = _i / TRANSFORM_CASES;
    weft_device_spec spec = spec_of(its, way);
    bool in_place = way / (2 * KINDS), real = spec.kind != WEFT_DEVICE_C2C;
    size_t area_bytes;
#ifndef WEFT_HAVE_FLOAT
    if (spec.single)
        return;
#endif
    if (in_place && its->interleaved && real)
        return; /* not for cuFFT */
    state = (unsigned)_i;
    memset(in, 0xff, sizeof in);
    fill(its, &spec, in, inputs);
    void *from = on_device(in, sizeof in);
    void *to = in_place ? from : device->allocate(sizeof in);
    weft_device_transform *transform = device->transform_create(&spec, &area_bytes);
    ck_assert(transform != NULL);
    void *area = device->allocate(area_bytes);
    ck_assert(device->transform_run(transform, from, to, area, queue));
    device->transform_destroy(transform);
    double complex *out = malloc(sizeof in);
    get(out, to, sizeof in);
    compare(its, &spec, out, inputs);
    if (!in_place) { /* the input is as it was, unless it must not be used again */
        get(out, from, sizeof in);
        bool spoilt = spec.kind == WEFT_DEVICE_C2R && its->axes > 1;
        ck_assert((!standin && spoilt) || (memcmp(out, in, sizeof in) != 0) == spoilt);
        device->release(to);
    }
    free(out);
    device->release(from);
    device->release(area);
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

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, load, unload);
    suite_add_tcase(suite, tests);
    return tests;
}

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

static void add_promises_of_the_stand_in(Suite *suite)
{
    TCase *tests = add_case(suite, "stand-in");
    tcase_add_test(tests, it_is_known_by_its_addresses);
    tcase_add_test(tests, there_is_only_so_much);
    tcase_add_test(tests, work_is_done_late);
    tcase_add_loop_test(tests, who_asks_often_enough_gets_it_done, 0, 2);
    tcase_add_test(tests, between_queues_the_order_is_the_seed_s);
    tcase_add_test(tests, a_stream_of_the_user_s_is_adopted);
    tcase_add_test(tests, calls_fail_on_demand);
    tcase_add_test(tests, memory_and_marks_go_between_processes);
    tcase_add_test(tests, handles_of_nothing_are_refused);
    add_wrongs(suite);
}

static Suite *suite(void)
{
    Suite *suite = suite_create("device");
    TCase *tests = add_case(suite, "any library");
    tcase_add_loop_test(tests, marks_put_queues_in_order, 0, 5);
    tcase_add_loop_test(tests, moves_are_those_of_loops, 0, 300);
    tcase_add_loop_test(tests, transpositions_are_those_of_loops, 0, SHAPES * 8);
    tcase_add_loop_test(tests, huge_moves_are_where_they_should_be, 0, HUGE_CASES);
    tcase_add_loop_test(tests, factors_are_those_of_the_definition, 0, FACTOR_CASES);
    tcase_add_loop_test(tests, transforms_are_those_of_the_definition, 0, TRANSFORM_CASES * WAYS);
    if (!getenv("WEFT_DEVICE"))
        add_promises_of_the_stand_in(suite);
    return suite;
}

int main(void)
{
    return run_unit(suite());
}
