/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the passes of a schedule: turns the stage and the memory of a step into a weft_pass_spec,
 * which kernels/pass/ makes into a pass. Also reads and writes the variants of passes. */
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "planner/schedule/schedule.h"

enum { VARIANT = 128 };

/* With little memory, the buffer of a pass has 1 / SMALL_PART of the array's size. */
enum { SMALL_PART = 20 };

static void pass_sizes(const weft_stage *stage, const weft_box *before, const weft_box *after,
                       const ptrdiff_t *grid, weft_pass_spec *spec)
{
    const int axes = stage->before.axes;
    const ptrdiff_t numbers = stage->before.howmany, later = stage->after.howmany;
    spec->axes = axes + (numbers != 1 || later > 1);
    spec->only_reads = later == 0 && numbers > 0;
    spec->after = later != numbers ? later : 0;
    for (int axis = 0; axis < axes; axis++) {
        const ptrdiff_t source = before->span[axis].count, target = after->span[axis].count;
        spec->kind[axis] = stage->kind[axis];
        const bool backward = weft_kind_is_backward(stage->kind[axis]);
        spec->size[axis] = !backward ? source : stage->operates ? grid[axis] : target;
        spec->modes[axis] = stage->modes[axis];
    }
    if (spec->axes > axes) {
        spec->size[axes] = numbers;
        spec->kind[axes] = WEFT_KEEP;
    }
    for (int axis = 0; axis < axes && spec->callback; axis++)
        spec->start[axis] = before->span[axis].start;
    spec->point_axes = axes;
    spec->twiddle = stage->twiddle;
    for (int i = 0; i < 2; i++)
        spec->twiddle.start[i] = before->span[stage->twiddle.axis[i]].start;
    spec->twiddle.start[1] += stage->twiddle.weight * before->span[stage->twiddle.more].start;
}

/* Whether a stage applies real transforms to complex numbers. Such a pass transforms the real and
 * the imaginary parts: each complex number counts as two real numbers. */
static bool takes_parts(const weft_stage *stage)
{
    for (int axis = 0; axis < stage->before.axes; axis++)
        if (weft_kind_is_r2r(stage->kind[axis]))
            return !stage->real_before;
    return false;
}

static void view_parts(weft_view *view, int axes)
{
    for (int i = 0; i < view->blocks; i++) {
        weft_view_block *block = (weft_view_block *)&view->block[i];
        block->offset *= 2;
        block->offset_step *= 2;
        for (int axis = 0; axis < axes; axis++)
            block->stride[axis] *= 2;
        block->stride[axes] = 1;
    }
}

static void take_parts(weft_pass_spec *spec)
{
    view_parts(&spec->source, spec->axes);
    view_parts(&spec->target, spec->axes);
    spec->size[spec->axes] = 2;
    spec->kind[spec->axes++] = WEFT_KEEP;
}

/* Copies the variant of the pass that is step i from `variants`. False: there is none. */
static bool find_variant(const weft_schedule *schedule, int i, const char *variants,
                         char variant[VARIANT])
{
    for (int before = 0; variants && before < i; before++)
        if (!weft_is_exchange(&schedule->step[before]) && (variants = strchr(variants, ';')))
            variants++;
    const size_t length = variants ? strcspn(variants, ";") : 0;
    if (length == 0 || length >= VARIANT || *variants == '-')
        return false;
    memcpy(variant, variants, length);
    variant[length] = '\0';
    return true;
}

bool weft_schedule_aligned(const weft_problem *problem)
{
    return !(problem->flags & FFTW_UNALIGNED) && weft_pass_array_aligned(problem->in) &&
           weft_pass_array_aligned(problem->out);
}

static weft_pass_spec begin_spec(const weft_schedule *schedule, int i, const weft_problem *problem,
                                 const weft_pass_options *options)
{
    const unsigned rigor = FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE | FFTW_WISDOM_ONLY;
    const weft_step *step = &schedule->step[i];
    const weft_place from = step->from.place, to = step->to.place;
    const bool from_user = from == WEFT_IN || step->from.own == WEFT_IN ||
                           (i > 0 && step[-1].memory.shares && step[-1].memory.own == WEFT_IN);
    const bool writes_back = to == WEFT_ALL_PARTS && step->from.place == WEFT_ALL_PARTS &&
                             step->to.exchange == step->from.exchange;
    const bool same_array =
        to == WEFT_OUT && from == (problem->in_place && i == 0 ? WEFT_IN : WEFT_OUT);
    return (weft_pass_spec){
        .in_place = writes_back || same_array,
        .may_destroy = !from_user || problem->may_destroy || problem->in_place,
        .fftw_flags =
            (problem->flags & rigor) | (weft_schedule_aligned(problem) ? 0 : FFTW_UNALIGNED),
        .threads = problem->threads,
        .ranks_per_core = options->ranks_per_core,
        .until = options->until,
        .device = schedule->device,
    };
}

/* Returns NULL without an error when the pass has nothing to do. */
static weft_pass *make_pass(const weft_schedule *schedule, int i, const weft_path *path,
                            const weft_problem *problem, weft_pass_spec spec)
{
    const weft_stage *stage = &path->stage[schedule->step[i].stage];
    weft_box before, after;
    weft_pass *pass = NULL;
    weft_layout_box(&stage->before, problem->rank, &before);
    weft_layout_box(&stage->after, problem->rank, &after);
    weft_error_clear();
    if (weft_box_empty(stage->before.axes, &before))
        return NULL;
    spec.real = stage->real_before && stage->real_after;
    spec.callback = stage->operates ? problem->callback : NULL;
    if (weft_little_memory(problem))
        spec.buffer = (size_t)weft_layout_elements(&stage->before, &before) *
                      weft_number_bytes(stage->real_before) / SMALL_PART;
    /* a pass that writes nothing has its source as its target, too */
    if (weft_step_view(schedule, path, problem->rank, i, true, &spec.source) &&
        weft_step_view(schedule, path, problem->rank, i, stage->after.howmany == 0, &spec.target) &&
        weft_step_leave_out_own(schedule, i, &before, &after)) {
        pass_sizes(stage, &before, &after, problem->size, &spec);
        if (takes_parts(stage))
            take_parts(&spec);
        pass = schedule->on->create(&spec);
    }
    free((void *)spec.source.block);
    free((void *)spec.target.block);
    return pass;
}

bool weft_schedule_make_pass(weft_schedule *schedule, int i, const weft_path *path,
                             const weft_problem *problem, const weft_pass_options *options)
{
    char variant[VARIANT];
    weft_pass_spec spec = begin_spec(schedule, i, problem, options);
    if (find_variant(schedule, i, options->variants, variant))
        spec.variant = variant;
    schedule->step[i].pass = make_pass(schedule, i, path, problem, spec);
    return schedule->step[i].pass || !weft_error_text()[0];
}

bool weft_schedule_variants(const weft_schedule *schedule, int which, char *text, size_t capacity)
{
    weft_writer to = weft_write_to(text, capacity);
    bool changes = false;
    for (int i = 0, at = 0; i < schedule->steps; i++) {
        if (weft_is_exchange(&schedule->step[i]))
            continue;
        const weft_pass *pass = schedule->step[i].pass;
        char other[VARIANT];
        const bool this = pass && which == at && schedule->on->other_variant &&
                          schedule->on->other_variant(pass, other, sizeof other);
        weft_write(&to, "%s%s", at++ ? ";" : "", this ? other : pass ? pass->variant : "-");
        changes |= this;
    }
    return changes;
}
