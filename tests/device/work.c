/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies, strided copies and factors of the stand-in: the kernels of kernels/cuda/kernels.h, with
 * blocks and threads in random order. */
#include <complex.h>
#include <math.h>
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

/* Uses one side of a strided copy. Returns the stand-in's address of its base. */
static void *use_side(standin_work *work, const weft_queue *queue, const void *base, size_t unit,
                      int axes, const weft_copy_axis *axis, bool target, const char *what)
{
    ptrdiff_t first = 0, end = (ptrdiff_t)unit;
    for (int k = 0; k < axes; k++) {
        const ptrdiff_t step = target ? axis[k].to : axis[k].from;
        if (step % 4 || axis[k].count < 1)
            standin_die("%td steps of %td bytes in %s", axis[k].count, step, what);
        *(step < 0 ? &first : &end) += (axis[k].count - 1) * step;
    }
    char *at = standin_use(work, queue, (const char *)base + first, (size_t)(end - first), what);
    return at - first;
}

bool standin_copy_strided(size_t unit, int axes, const weft_copy_axis *axis, const void *from,
                          void *to, weft_queue *queue)
{
    if (unit == 0 || unit % 4 || axes < 0 || axes > WEFT_DEVICE_AXES)
        standin_die("copy_strided of %d axes, of units of %zu bytes", axes, unit);
    STANDIN_LOCKED;
    if (!standin_goes("copy_strided"))
        return false;
    transfer_work it = {.work = {.run = run_transfer, .call = "copy_strided"}};
    it.from = use_side(&it.work, queue, from, unit, axes, axis, false, "the source");
    it.to = use_side(&it.work, queue, to, unit, axes, axis, true, "the target");
    it.sweep = weft_sweep_of_copy(unit, axes, axis, from, to);
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
    turn_work it = {.work = {.run = run_turns, .call = "factors"},
                    .turns = weft_turns_of_factors(factors)};
    if (!it.turns.length)
        return true;
    ptrdiff_t numbers = 1;
    for (int k = 0; k < factors->axes; k++)
        numbers += (factors->count[k] - 1) * factors->stride[k];
    it.array = standin_use(&it.work, queue, array, (size_t)numbers * (factors->single ? 8 : 16),
                           "the array");
    standin_queue_add(queue, &it.work, sizeof it);
    return true;
}
