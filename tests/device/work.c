/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies, strided copies and factors of the stand-in: the kernels of kernels/cuda/kernels.h, with
 * blocks and threads in random order. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/cuda/kernels.h"
#include "tests/device/inside.h"

static const double pi = 3.14159265358979323846264338327950288;

/* A random order of `count` things: it starts anywhere, and its step has no common divisor with the
 * count. */
typedef struct {
    uint64_t count, first, step;
} order;

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

static order any_order(uint64_t count)
{
    order it = {count, standin_random(1u << 30) % count, standin_random(1u << 30) % count};
    while (common_divisor(it.step, count) != 1)
        it.step++;
    return it;
}

static uint64_t of_order(order it, uint64_t n)
{
    return (it.first + n % it.count * it.step) % it.count;
}

/* Copies. */

typedef struct {
    standin_work work;
    const void *from;
    void *to;
    size_t bytes;
} copy_work;

static void run_copy(standin_work *work)
{
    const copy_work *it = (const copy_work *)work;
    memcpy(it->to, it->from, it->bytes);
}

bool standin_copy(void *to, const void *from, size_t bytes, weft_queue *queue)
{
    STANDIN_LOCKED;
    if (!standin_goes("copy"))
        return false;
    if (!bytes)
        return true;
    copy_work it = {.work = {.run = run_copy, .call = "copy", .pinned_too = true}, .bytes = bytes};
    it.from = standin_use(&it.work, queue, from, bytes, "the source");
    it.to = standin_use(&it.work, queue, to, bytes, "the target");
    if ((char *)to < (const char *)from + bytes && (const char *)from < (char *)to + bytes)
        standin_die("copy between what overlaps");
    if (it.work.uses[0]->kind == STANDIN_PINNED)
        standin_traffic.up += bytes;
    else if (it.work.uses[1]->kind == STANDIN_PINNED)
        standin_traffic.down += bytes;
    standin_traffic.copies++;
    standin_queue_add(queue, &it.work, sizeof it);
    return true;
}

/* Strided copies. */

typedef struct {
    standin_work work;
    weft_cuda_sweep sweep;
    const char *from;
    char *to;
} transfer_work;

static void run_lines(const transfer_work *it)
{
    size_t unit = (size_t)it->sweep.unit;
    order draws = any_order(it->sweep.items);
    for (uint64_t n = 0; n < it->sweep.items; n++) {
        int64_t from, to;
        weft_locate(&it->sweep, of_order(draws, n), &from, &to);
        memcpy(it->to + to * (int64_t)unit, it->from + from * (int64_t)unit, unit);
    }
}

static void run_rectangle(const transfer_work *it, uint64_t block)
{
    static char slots[2 * WEFT_TILE * 16];
    size_t unit = (size_t)it->sweep.unit;
    weft_rectangle r = weft_rectangle_of(&it->sweep, block);
    order draws = any_order(WEFT_TILE);
    uint32_t slot;
    int64_t place;
    for (uint32_t n = 0; n < WEFT_TILE; n++)
        if (weft_rectangle_read(&it->sweep, &r, (uint32_t)of_order(draws, n), &slot, &place))
            memcpy(slots + slot * unit, it->from + place * (int64_t)unit, unit);
    for (uint32_t n = 0; n < WEFT_TILE; n++)
        if (weft_rectangle_write(&it->sweep, &r, (uint32_t)of_order(draws, n), &slot, &place))
            memcpy(it->to + place * (int64_t)unit, slots + slot * unit, unit);
}

static void run_transfer(standin_work *work)
{
    const transfer_work *it = (const transfer_work *)work;
    if (!it->sweep.tiled) {
        run_lines(it);
        return;
    }
    order draws = any_order(it->sweep.blocks);
    for (uint64_t n = 0; n < it->sweep.blocks; n++)
        run_rectangle(it, of_order(draws, n));
}

/* Uses one side of a strided copy. Returns the stand-in's address of its base, which may be outside
 * of the array, so it computes with integers. */
static void *use_side(standin_work *work, const weft_queue *queue, const void *base, size_t element,
                      ptrdiff_t offset, int axes, const ptrdiff_t *count, const ptrdiff_t *stride,
                      const char *what)
{
    ptrdiff_t lowest = offset, highest = offset;
    for (int k = 0; k < axes; k++)
        *(stride[k] < 0 ? &lowest : &highest) += (count[k] - 1) * stride[k];
    const size_t bytes = (size_t)(highest - lowest + 1) * element;
    const uintptr_t before = (uintptr_t)lowest * element;
    void *inside = standin_use(work, queue, (const void *)((uintptr_t)base + before), bytes, what);
    return (void *)((uintptr_t)inside - before);
}

static bool is_empty(int axes, const ptrdiff_t *count)
{
    for (int k = 0; k < axes; k++)
        if (count[k] < 1)
            return true;
    return false;
}

bool standin_copy_strided(const weft_strided_copy *its, const void *from, void *to,
                          weft_queue *queue)
{
    if (its->element == 0 || its->element % 4 || its->axes < 0 || its->axes > WEFT_DEVICE_AXES)
        standin_die("copy_strided of %d axes, of elements of %zu bytes", its->axes, its->element);
    STANDIN_LOCKED;
    if (!standin_goes("copy_strided"))
        return false;
    if (is_empty(its->axes, its->count))
        return true;
    transfer_work it = {.work = {.run = run_transfer, .call = "copy_strided"},
                        .sweep = weft_sweep_of_copy(its, from, to)};
    it.from = use_side(&it.work, queue, from, its->element, its->from_offset, its->axes, its->count,
                       its->from_stride, "the source");
    it.to = use_side(&it.work, queue, to, its->element, its->to_offset, its->axes, its->count,
                     its->to_stride, "the target");
    standin_traffic.strided_copies++;
    standin_queue_add(queue, &it.work, sizeof it);
    return true;
}

/* Factors. */

typedef struct {
    standin_work work;
    weft_turns turns;
    void *array;
} turn_work;

static double complex factor(const weft_turns *turns, uint64_t part)
{
    int64_t left;
    int quarters = weft_quarters(part, turns->length, &left);
    double angle = pi * ((double)left / (2.0 * (double)turns->length));
    double c = cos(angle), s = sin(angle);
    const double complex all[4] = {c + I * s, -s + I * c, -c - I * s, s - I * c};
    return turns->sign < 0 ? conj(all[quarters]) : all[quarters];
}

static void run_turns(standin_work *work)
{
    const turn_work *it = (const turn_work *)work;
    order draws = any_order(it->turns.sweep.items);
    for (uint64_t n = 0; n < it->turns.sweep.items; n++) {
        int64_t place;
        double complex by = factor(&it->turns, weft_turn(&it->turns, of_order(draws, n), &place));
        if (it->turns.single)
            ((float complex *)it->array)[place] *= (float complex)by;
        else
            ((double complex *)it->array)[place] *= by;
    }
}

bool standin_factors(const weft_device_factors *factors, void *array, weft_queue *queue)
{
    if (factors->length < 1 || factors->axes < 0 || factors->axes > WEFT_DEVICE_AXES)
        standin_die("factors of %d axes, of a length of %td", factors->axes, factors->length);
    STANDIN_LOCKED;
    if (!standin_goes("factors"))
        return false;
    if (is_empty(factors->axes, factors->count))
        return true;
    turn_work it = {.work = {.run = run_turns, .call = "factors"},
                    .turns = weft_turns_of_factors(factors)};
    it.array = use_side(&it.work, queue, array, factors->single ? 8 : 16, 0, factors->axes,
                        factors->count, factors->stride, "the array");
    standin_queue_add(queue, &it.work, sizeof it);
    return true;
}
