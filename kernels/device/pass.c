/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passes on a device. Where the passes of kernels/pass/ work tile by tile in caches, these run a
 * few kernels over the whole array:
 *
 *     source view --copies--> scratch --transforms, factors--> scratch --copies--> target view
 *
 * The scratch array is one compact array in the workspace with the transformed axes innermost, so
 * one batch of the device's FFT library transforms all of them, up to three axes at a time. If the
 * FFT library can read the source in place, or write the target, the copies on that side are left
 * out. Nothing is written to the target before the whole source is in the scratch array, so any mix
 * of views works in place.
 *
 * The FFT library takes one distance between the transforms of a batch, so it cannot change the
 * order of the axes of all transforms at once. Transforms into a transposed order are therefore
 * split, with the outermost axis of one side by itself:
 *
 *     c2c  [i0][i1][i2] --axis 0--> scratch [i0][i1][i2] --axes 1 and 2, batch i0--> [i1][i0][i2]
 *     r2c  [i0][i1][i2] --axes 0 and 2, batch i1--> scratch [i1][i0][i2] --axis 1--> [i1][i0][i2]
 */
#include "kernels/pass/pass.h"

#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "kernels/base/memory.h"
#include "kernels/base/text.h"
#include "kernels/device/scratch-array.h"
#include "kernels/device/strided-copies.h"
#include "kernels/pass/views.h"

enum { LINE = 512, LEAST_WORK = 512 };

/* A transform of the device's FFT library. It is run `times` times; the step between its arrays, on
 * both sides, is in bytes. */
typedef struct {
    weft_device_transform *run;
    ptrdiff_t times, step;
    bool from_source, to_target;
} batch;

/* Whether the outermost transformed axis is transformed by itself: first, if the transforms of the
 * other axes write the target in another order of axes; last, if they read the source in another
 * order. Its numbers must be complex, so r2c comes before it and c2r after it. */
typedef enum { NOT_SPLIT, OUTER_FIRST, OUTER_LAST } split;

typedef struct {
    weft_pass pass;
    weft_device *device;
    weft_scratch_array scratch;
    weft_side source, target, before, after; /* the last two: the scratch array, before and after */
    weft_kind kind;                          /* of the axis of r2c or c2r */
    int sign;
    bool in_place, gathers, scatters;
    bool aligned; /* the arrays are aligned for complex numbers */
    split split;
    weft_copy *gather, *scatter;
    int batches;
    batch batch[WEFT_MAX_AXES];
    weft_device_factors factors; /* length 0: none */
    size_t scratch_bytes, work; /* bytes of the scratch array, and of the FFT library's work area */
} device_pass;

/* Whether the FFT library may use the user's array itself: it must be aligned as the library
 * requires. */
static bool is_plain(const device_pass *it, const weft_side *side)
{
    return it->aligned && (side->element > sizeof(weft_real) || side->block[0].offset % 2 == 0);
}

static bool reads_source(const device_pass *it, const weft_pass_spec *spec, weft_embedding *as)
{
    const bool destroys = it->kind == WEFT_C2R;
    return is_plain(it, &it->source) && (!destroys || spec->may_destroy) &&
           weft_scratch_array_matches(&it->scratch, &it->source, as);
}

static bool writes_target(const device_pass *it, const weft_pass_spec *spec, weft_embedding *as)
{
    return !spec->twiddle.n && is_plain(it, &it->target) &&
           weft_scratch_array_matches(&it->scratch, &it->target, as);
}

/* Whether the transform can run in place without the scratch array: rows of both sides must lie as
 * the FFT library requires. */
static bool stays(const device_pass *it, const weft_embedding *from, const weft_embedding *to)
{
    const int last = it->scratch.transformed - 1;
    if (!weft_sides_match(&it->source, &it->target, it->scratch.halved) ||
        weft_sides_differ(&it->source, &it->target))
        return false;
    if (it->scratch.halved < 0)
        return true;
    const bool real_first = it->source.element == sizeof(weft_real);
    const weft_embedding *real = real_first ? from : to, *complex = real_first ? to : from;
    const ptrdiff_t half = it->scratch.size[it->scratch.halved] / 2 + 1;
    return real->stride == 1 && complex->stride == 1 &&
           (last == 0 || (real->embed[last] == 2 * half && complex->embed[last] == half)) &&
           real->distance == 2 * complex->distance;
}

static weft_scratch_array without_outer(const weft_scratch_array *scratch)
{
    weft_scratch_array inner = *scratch;
    inner.kept++;
    inner.transformed--;
    return inner;
}

/* Whether the transforms can be split in this way. The axes of one side, `compact`, are in the
 * order of the scratch array, and `whole` describes that side for the FFT library. Sets `inner` to
 * the description of the other side for the transforms of the inner axes. */
static bool can_split(const device_pass *it, const weft_pass_spec *spec, split way,
                      const weft_embedding *whole, weft_embedding *inner)
{
    const weft_side *compact = way == OUTER_FIRST ? &it->source : &it->target;
    const weft_side *other = way == OUTER_FIRST ? &it->target : &it->source;
    const weft_scratch_array rest = without_outer(&it->scratch);
    if (compact->element == sizeof(weft_real) || rest.transformed < 1 || spec->twiddle.n ||
        !is_plain(it, other) ||
        weft_scratch_array_inner_count(&it->scratch, compact, 0) !=
            weft_scratch_array_inner_count(&it->scratch, compact, it->scratch.kept))
        return false;
    ptrdiff_t step = whole->stride;
    for (int k = it->scratch.transformed - 1; k > 0; k--)
        step *= whole->embed[k];
    return step == weft_scratch_array_inner_count(&it->scratch, compact, rest.kept) &&
           weft_scratch_array_matches(&rest, other, inner) && inner->stride == 1;
}

/* Orders the scratch array by the target, if that saves a copy. `reads` says whether the FFT
 * library can read the source in the order chosen so far. */
static void choose_by_target(device_pass *it, const weft_pass_spec *spec, bool reads,
                             weft_embedding *from, weft_embedding *to)
{
    const weft_scratch_array by_source = it->scratch;
    const weft_embedding read = *from;
    weft_scratch_array_order_axes(&it->scratch, &it->target);
    const bool writes = writes_target(it, spec, to);
    if (writes && can_split(it, spec, OUTER_LAST, to, from)) {
        it->split = OUTER_LAST;
    } else if (reads) {
        it->scratch = by_source;
        *from = read;
        it->gathers = false;
    } else {
        it->scatters = !writes;
    }
}

/* Decides which sides need copies, and from that the order of the scratch array. */
static void choose(device_pass *it, const weft_pass_spec *spec, weft_embedding *from,
                   weft_embedding *to)
{
    it->gathers = it->scatters = true;
    if (it->scratch.transformed == 0)
        return;
    weft_scratch_array_order_axes(&it->scratch, &it->source);
    const bool reads = reads_source(it, spec, from);
    if (reads && writes_target(it, spec, to) && (!spec->in_place || stays(it, from, to)))
        it->gathers = it->scatters = false;
    else if (reads && can_split(it, spec, OUTER_FIRST, from, to))
        it->split = OUTER_FIRST;
    else
        choose_by_target(it, spec, reads, from, to);
    if (it->split)
        it->gathers = it->scatters = false;
}

static weft_device_kind kind_of(const device_pass *it)
{
    return it->scratch.halved < 0 ? WEFT_DEVICE_C2C
           : it->kind == WEFT_R2C ? WEFT_DEVICE_R2C
                                  : WEFT_DEVICE_C2R;
}

static bool refuse(const device_pass *it, const weft_device_spec *spec)
{
    char text[64];
    weft_writer writer = weft_write_to(text, sizeof text);
    for (int k = 0; k < spec->axes; k++)
        weft_write(&writer, "%s%td", k ? "x" : "", spec->size[k]);
    return weft_error("device %d cannot do %td FFTs of %s: %s", it->device->number, spec->batch,
                      text, it->device->library->why());
}

static bool add_batch(device_pass *it, weft_device_spec *spec, const batch *how)
{
    size_t work = 0;
    batch *added = &it->batch[it->batches];
    *added = *how;
    spec->single = sizeof(weft_real) == sizeof(float);
    spec->sign = it->sign;
    spec->in_place = how->from_source == how->to_target && (it->in_place || !how->from_source);
    added->run = it->device->library->transform_create(spec, &work);
    if (!added->run)
        return refuse(it, spec);
    it->batches++;
    /* cuFFT refuses to run when the work area begins where an array begins, even with 0 bytes of
     * work. So the work area always has memory in the workspace. */
    if (work < LEAST_WORK)
        work = LEAST_WORK;
    it->work = work > it->work ? work : it->work;
    return true;
}

static bool add_inner(device_pass *it, int axes, const weft_embedding *from,
                      const weft_embedding *to, bool from_source, bool to_target)
{
    const int first = it->source.axes - axes;
    weft_device_spec spec = {.kind = kind_of(it),
                             .axes = axes,
                             .in_stride = from->stride,
                             .in_distance = from->distance,
                             .out_stride = to->stride,
                             .out_distance = to->distance};
    for (int k = 0; k < axes; k++) {
        spec.size[k] = it->scratch.size[it->scratch.order[first + k]];
        spec.in_embed[k] = from->embed[k];
        spec.out_embed[k] = to->embed[k];
    }
    spec.batch = weft_scratch_array_inner_count(&it->scratch, &it->target, 0) /
                 weft_scratch_array_inner_count(&it->scratch, &it->target, first);
    const batch how = {.times = 1, .from_source = from_source, .to_target = to_target};
    return add_batch(it, &spec, &how);
}

/* Adds the transforms of one of the other axes, along which numbers are complex and the scratch
 * array compact. */
static bool add_outer(device_pass *it, int place, bool from_source, bool to_target)
{
    const weft_side *side = it->after.element > sizeof(weft_real) ? &it->after : &it->before;
    const ptrdiff_t inside = weft_scratch_array_inner_count(&it->scratch, side, place + 1);
    const ptrdiff_t size = it->scratch.size[it->scratch.order[place]];
    weft_device_spec spec = {.kind = WEFT_DEVICE_C2C,
                             .axes = 1,
                             .size = {size},
                             .batch = inside,
                             .in_embed = {size},
                             .in_stride = inside,
                             .in_distance = 1,
                             .out_embed = {size},
                             .out_stride = inside,
                             .out_distance = 1};
    const ptrdiff_t bytes = size * inside * (ptrdiff_t)sizeof(weft_complex);
    const batch how = {.times =
                           weft_scratch_array_inner_count(&it->scratch, side, 0) / (size * inside),
                       .step = bytes,
                       .from_source = from_source,
                       .to_target = to_target};
    return add_batch(it, &spec, &how);
}

static bool make_split(device_pass *it, const weft_embedding *from, const weft_embedding *to)
{
    const weft_scratch_array rest = without_outer(&it->scratch);
    const weft_embedding scratch =
        weft_scratch_array_embedding(&rest, it->split == OUTER_FIRST ? &it->before : &it->after);
    const int outer = it->scratch.kept;
    if (it->split == OUTER_FIRST)
        return add_outer(it, outer, true, false) &&
               add_inner(it, rest.transformed, &scratch, to, false, true);
    return add_inner(it, rest.transformed, from, &scratch, true, false) &&
           add_outer(it, outer, false, true);
}

static bool make_transforms(device_pass *it, const weft_embedding *from, const weft_embedding *to)
{
    const int more = it->scratch.transformed - WEFT_AT_ONCE;
    const int inner = more > 0 ? WEFT_AT_ONCE : it->scratch.transformed;
    const bool last = kind_of(it) == WEFT_DEVICE_C2R;
    const bool from_source = !it->gathers, to_target = !it->scatters;
    bool ok = true;
    if (it->scratch.transformed == 0)
        return true;
    if (it->split)
        return make_split(it, from, to);
    if (!last)
        ok = add_inner(it, inner, from, to, from_source, to_target);
    for (int k = 0; ok && k < more; k++)
        ok = add_outer(it, it->scratch.kept + k, false, false);
    return ok && (!last || add_inner(it, inner, from, to, from_source, to_target));
}

/* Sets the twiddle factors, which multiply the scratch array after the transforms. */
static void set_factors(device_pass *it, const weft_twiddle *twiddle)
{
    const weft_side *scratch = &it->after;
    it->factors = (weft_device_factors){
        .single = sizeof(weft_real) == sizeof(float),
        .axes = scratch->axes,
        .first = {twiddle->start[0] % twiddle->n, twiddle->start[1] % twiddle->n},
        .length = twiddle->n,
        .sign = twiddle->sign};
    for (int a = 0; a < scratch->axes; a++) {
        it->factors.count[a] = scratch->count[a];
        it->factors.stride[a] = scratch->block[0].stride[a];
    }
    it->factors.step[0][twiddle->axis[0]] = 1;
    it->factors.step[1][twiddle->axis[1]] = 1;
    if (twiddle->weight)
        it->factors.step[1][twiddle->more] += twiddle->weight % twiddle->n;
}

static bool only_copies(const device_pass *it, const weft_pass_spec *spec)
{
    return it->scratch.transformed == 0 && !spec->twiddle.n &&
           (!spec->in_place || weft_sides_match(&it->source, &it->target, -1));
}

/* Adds the copies. In place, blocks that are already in their place are not copied. */
static bool make_copies(device_pass *it, bool in_place)
{
    const weft_side *from = &it->source, *to = &it->target;
    weft_block_at p = {0}, q = {0};
    bool ok = true;
    it->gathers = it->scatters = false;
    if (!in_place)
        return weft_strided_copies_add_sides(&it->scatter, it->device, from, to);
    do
        ok = weft_block_array(&from->block[p.p], p.nth) ==
                 weft_block_array(&to->block[q.p], q.nth) ||
             weft_strided_copies_add_common(&it->scatter, it->device, from, p, to, q);
    while (ok && weft_side_next_block(from, &p) && weft_side_next_block(to, &q));
    return ok;
}

static void take_spec(device_pass *it, const weft_pass_spec *spec)
{
    it->device = spec->device;
    it->in_place = spec->in_place;
    it->aligned = !(spec->fftw_flags & FFTW_UNALIGNED);
    it->scratch.halved = -1;
    it->sign = FFTW_FORWARD;
    for (int a = 0; a < spec->axes; a++) {
        const weft_kind kind = spec->kind[a];
        it->scratch.size[a] = spec->size[a];
        it->scratch.changes[a] =
            kind != WEFT_KEEP && (spec->size[a] > 1 || weft_kind_is_halving(kind));
        it->scratch.transformed += it->scratch.changes[a];
        if (weft_kind_is_halving(kind)) {
            it->scratch.halved = a;
            it->kind = kind;
        }
        if (weft_kind_is_backward(kind))
            it->sign = FFTW_BACKWARD;
    }
}

static bool make(device_pass *it, const weft_pass_spec *spec)
{
    weft_embedding from, to;
    take_spec(it, spec);
    if (sizeof(weft_real) > sizeof(double))
        return weft_error("there is no long double on a device");
    if (!weft_pass_sides(spec, &it->source, &it->target))
        return false;
    choose(it, spec, &from, &to);
    if (only_copies(it, spec))
        return make_copies(it, spec->in_place);
    if (it->scratch.transformed == 0)
        weft_scratch_array_order_axes(&it->scratch, &it->target);
    if (!weft_scratch_array_make_side(&it->scratch, &it->source, &it->before) ||
        !weft_scratch_array_make_side(&it->scratch, &it->target, &it->after))
        return false;
    const weft_side *larger = it->after.element > it->before.element ? &it->after : &it->before;
    if (it->gathers || it->scatters || it->split)
        it->scratch_bytes = weft_round_up((size_t)weft_side_bytes(larger), LINE);
    if (it->gathers)
        from = weft_scratch_array_embedding(&it->scratch, &it->before);
    if (it->scatters)
        to = weft_scratch_array_embedding(&it->scratch, &it->after);
    if (spec->twiddle.n)
        set_factors(it, &spec->twiddle);
    return (!it->gathers ||
            weft_strided_copies_add_sides(&it->gather, it->device, &it->source, &it->before)) &&
           (!it->scatters ||
            weft_strided_copies_add_sides(&it->scatter, it->device, &it->after, &it->target)) &&
           make_transforms(it, &from, &to);
}

/* Counts flops as FFT libraries do: 5 n log2 n, half of that for real transforms. */
static double flops_of(const device_pass *it)
{
    double bits = 0;
    for (int a = 0; a < it->source.axes; a++)
        for (ptrdiff_t n = it->scratch.size[a]; it->scratch.changes[a] && n > 1; n /= 2)
            bits += 1;
    const ptrdiff_t from = weft_side_elements(&it->source), to = weft_side_elements(&it->target);
    const double numbers = (double)(from > to ? from : to);
    return (it->scratch.halved >= 0 ? 2.5 : 5) * numbers * bits +
           (it->factors.length ? 12 * numbers : 0);
}

static void describe(device_pass *it)
{
    static const char *const name[] = {"c2c", "r2c", "c2r"};
    weft_writer writer = weft_write_to(it->pass.text, sizeof it->pass.text);
    const char *between = "";
    weft_write(&writer, "on device %d, %s", it->device->number,
               it->scratch.transformed ? "fft " : "copy");
    for (int a = 0; a < it->source.axes; a++)
        if (it->scratch.changes[a]) {
            weft_write(&writer, "%s%td", between, it->scratch.size[a]);
            between = "x";
        }
    if (it->scratch.transformed)
        weft_write(&writer, " %s", name[kind_of(it)]);
    if (it->gather)
        weft_write(&writer, ", gathered");
    if (it->factors.length)
        weft_write(&writer, ", times factors");
    if (it->split)
        weft_write(&writer, ", in two steps");
    if (it->scatter && it->scratch.transformed)
        weft_write(&writer, ", scattered");
}

static void destroy(weft_pass *pass)
{
    device_pass *it = (device_pass *)pass;
    if (!it)
        return;
    for (int i = 0; i < it->batches; i++)
        it->device->library->transform_destroy(it->batch[i].run);
    weft_copy_release(it->gather);
    weft_copy_release(it->scatter);
    weft_side_free(&it->source);
    weft_side_free(&it->target);
    weft_side_free(&it->before);
    weft_side_free(&it->after);
    free(it);
}

static weft_pass *create(const weft_pass_spec *spec)
{
    device_pass *it = weft_new(1, sizeof *it, "a pass");
    if (!it || !make(it, spec)) {
        destroy((weft_pass *)it);
        return NULL;
    }
    describe(it);
    it->pass.workspace = it->scratch_bytes + it->work;
    it->pass.read = weft_side_bytes(&it->source);
    it->pass.written = weft_side_bytes(&it->target);
    it->pass.flops = flops_of(it);
    it->pass.seconds = -1;
    strcpy(it->pass.variant, "device");
    return &it->pass;
}

static void run_batch(const device_pass *it, const batch *this, const void *const *in,
                      void *const *out, char *scratch)
{
    weft_device *device = it->device;
    const weft_view_block *source = it->source.block, *target = it->target.block;
    const char *from = scratch;
    char *to = scratch;
    if (this->from_source)
        from = (const char *)in[source->array] + source->offset * (ptrdiff_t)it->source.element;
    if (this->to_target)
        to = (char *)out[target->array] + target->offset * (ptrdiff_t)it->target.element;
    for (ptrdiff_t i = 0; i < this->times; i++)
        weft_device_call(device,
                         transform_run(this->run, from + i * this->step, to + i * this->step,
                                       scratch + it->scratch_bytes, device->queue));
}

static void run(const weft_pass *pass, const void *const *in, void *const *out, void *workspace)
{
    const device_pass *it = (const device_pass *)pass;
    weft_device *device = it->device;
    void *const scratch[] = {workspace};
    const void *const const_scratch[] = {workspace};
    weft_strided_copies_run(it->gather, in, scratch);
    for (int i = 0; i < it->batches; i++)
        run_batch(it, &it->batch[i], in, out, workspace);
    if (it->factors.length)
        weft_device_call(device, factors(&it->factors, workspace, device->queue));
    weft_strided_copies_run(it->scatter, it->scratch_bytes ? const_scratch : in, out);
}

const weft_pass_functions weft_pass_on_device = {
    .create = create,
    .run = run,
    .destroy = destroy,
};
