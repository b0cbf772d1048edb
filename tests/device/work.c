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

static void use(standin_work *work, standin_memory *memory, int device, const char *call)
{
    if (memory->device == WEFT_DEVICE_HOST)
        standin_die("%s of memory that is not on a device", call);
    if (memory->device != device && !memory->imported)
        standin_die("%s of memory of device %d in a queue of device %d", call, memory->device,
                    device);
    for (int i = 0; i < STANDIN_USES; i++)
        if (!work->uses[i]) {
            work->uses[i] = memory;
            return;
        }
}

static standin_memory *on_device(const void *from, size_t bytes, const char *call, const char *what)
{
    standin_memory *memory = standin_memory_of(from, bytes, call, what);
    if (!memory)
        standin_die("%s: %s, at %p, is no memory of a device", call, what, from);
    return memory;
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

static void count_copy(const standin_memory *from, const standin_memory *to, size_t bytes)
{
    if (from->device == WEFT_DEVICE_HOST)
        standin_traffic.up += bytes;
    else if (to->device == WEFT_DEVICE_HOST)
        standin_traffic.down += bytes;
    standin_traffic.copies++;
}

static standin_memory *device_or_pinned(const void *from, size_t bytes, const char *what)
{
    standin_memory *memory = standin_memory_of(from, bytes, "copy", what);
    if (!memory)
        standin_die("copy: %s, at %p, is neither on a device nor pinned", what, from);
    return memory;
}

bool standin_copy(void *to, const void *from, size_t bytes, weft_queue *queue)
{
    STANDIN_LOCKED;
    if (!standin_goes("copy"))
        return false;
    if (!bytes)
        return true;
    int device = standin_queue_device(queue, "copy");
    copy_work it = {.work = {.run = run_copy}, .bytes = bytes};
    standin_memory *source = device_or_pinned(from, bytes, "the source");
    standin_memory *target = device_or_pinned(to, bytes, "the target");
    if (source == target && (char *)to < (const char *)from + bytes &&
        (const char *)from < (char *)to + bytes)
        standin_die("copy between what overlaps");
    it.from = standin_inside(source, from);
    it.to = standin_inside(target, to);
    it.work.uses[0] = source;
    it.work.uses[1] = target;
    if (source->device != WEFT_DEVICE_HOST && source->device != device && !source->imported)
        standin_die("copy from device %d in a queue of device %d", source->device, device);
    if (target->device != WEFT_DEVICE_HOST && target->device != device && !target->imported)
        standin_die("copy to device %d in a queue of device %d", target->device, device);
    count_copy(source, target, bytes);
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

/* Returns the memory that contains one side of a strided copy. */
static standin_memory *side_of(const void *base, size_t element, ptrdiff_t offset, int axes,
                               const ptrdiff_t *count, const ptrdiff_t *stride, const char *call,
                               const char *what)
{
    ptrdiff_t lowest = offset, highest = offset;
    for (int k = 0; k < axes; k++)
        *(stride[k] < 0 ? &lowest : &highest) += (count[k] - 1) * stride[k];
    size_t bytes = (size_t)(highest - lowest + 1) * element;
    /* Computes with integers, because a base may be before its array. */
    const char *first = (const char *)((uintptr_t)base + (uintptr_t)lowest * element);
    return on_device(first, bytes, call, what);
}

static bool is_empty(int axes, const ptrdiff_t *count)
{
    for (int k = 0; k < axes; k++)
        if (count[k] < 1)
            return true;
    return false;
}

/* Converts the program's address `base`, which may be outside of `memory`, to the stand-in's
 * address. */
static char *inside_base(const standin_memory *memory, const void *base)
{
    return (char *)((uintptr_t)base + ((uintptr_t)memory->inside - (uintptr_t)memory->outside));
}

bool standin_copy_strided(const weft_strided_copy *copy_strided, const void *from, void *to,
                          weft_queue *queue)
{
    if (copy_strided->element == 0 || copy_strided->element % 4 || copy_strided->axes < 0 ||
        copy_strided->axes > WEFT_DEVICE_AXES)
        standin_die("move of %d axes, of elements of %zu bytes", copy_strided->axes,
                    copy_strided->element);
    STANDIN_LOCKED;
    if (!standin_goes("move"))
        return false;
    if (is_empty(copy_strided->axes, copy_strided->count))
        return true;
    int device = standin_queue_device(queue, "move");
    transfer_work it = {.work = {.run = run_transfer}};
    standin_memory *source =
        side_of(from, copy_strided->element, copy_strided->from_offset, copy_strided->axes,
                copy_strided->count, copy_strided->from_stride, "move", "the source");
    standin_memory *target =
        side_of(to, copy_strided->element, copy_strided->to_offset, copy_strided->axes,
                copy_strided->count, copy_strided->to_stride, "move", "the target");
    use(&it.work, source, device, "move");
    use(&it.work, target, device, "move");
    it.sweep = weft_sweep_of_copy(copy_strided, from, to);
    it.from = inside_base(source, from);
    it.to = inside_base(target, to);
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
    int device = standin_queue_device(queue, "factors");
    turn_work it = {.work = {.run = run_turns}};
    standin_memory *memory = side_of(array, factors->single ? 8 : 16, 0, factors->axes,
                                     factors->count, factors->stride, "factors", "the array");
    use(&it.work, memory, device, "factors");
    it.turns = weft_turns_of_factors(factors);
    it.array = inside_base(memory, array);
    standin_queue_add(queue, &it.work, sizeof it);
    return true;
}
