/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths of problems with a callback: to the spectrum, and back the same way. The stage in the
 * middle transforms its last axis, calls the callback while the data is in the cache, and
 * transforms back. So slabs need three sweeps through memory instead of five:
 *
 *     stage 0              stage 1                        stage 2
 *     axis 0 divided   ->  axis 1 divided             ->  axis 0 divided
 *     FFT of 1 and 2       FFT of 0, callback, back       inverse FFT of 1 and 2
 */
#include <string.h>
#include "planner/path/path.h"

/* The axis that the last stage of the way there transforms together with the callback; negative:
 * none. r2c has its own stage, because the callback gets complex numbers; c2r is the last
 * transform.
 */
static int axis_of_callback(const weft_stage *stage)
{
    int axis = 0, last = stage->before.axes - 1;
    if (stage->kind[last] == WEFT_C2R)
        return last;
    while (axis < stage->before.axes &&
           (stage->kind[axis] == WEFT_KEEP || stage->kind[axis] == WEFT_R2C))
        axis++;
    return axis < stage->before.axes ? axis : -1;
}

/* Moves one axis of the last stage (negative: none) to a new stage, if that stage transforms
 * more. */
static void split_last(weft_path *path, int axis)
{
    weft_stage *last = &path->stage[path->stages - 1];
    int transformed = 0;
    for (int a = 0; a < last->before.axes; a++)
        transformed += last->kind[a] != WEFT_KEEP;
    if (transformed == (axis >= 0))
        return;
    if (axis >= 0)
        last->after.axis[axis].size = last->before.axis[axis].size;
    if (axis >= 0 && last->kind[axis] == WEFT_C2R) {
        last->after.padded = 0;
        last->real_after = false;
    }
    weft_stage *middle = weft_path_add(path, &last->after, last->real_after);
    if (axis < 0)
        return;
    middle->kind[axis] = last->kind[axis];
    middle->modes[axis] = last->modes[axis];
    last->kind[axis] = WEFT_KEEP;
    last->modes[axis] = 0;
}

static weft_stage reversed(const weft_stage *stage, ptrdiff_t howmany)
{
    weft_stage back = *stage;
    back.before = stage->after;
    back.after = stage->before;
    back.real_before = stage->real_after;
    back.real_after = stage->real_before;
    back.before.howmany = back.after.howmany = howmany;
    for (int axis = 0; axis < stage->before.axes; axis++)
        back.kind[axis] = weft_kind_inverse(stage->kind[axis]);
    return back;
}

void weft_path_return(const weft_problem *problem, weft_path *path)
{
    const ptrdiff_t howmany = problem->to.layout.howmany;
    /* a stage that only moves the spectrum to its distribution is not needed if any will do */
    while (!problem->fixed && path->stages > 1 &&
           !weft_stage_transforms(&path->stage[path->stages - 1]))
        path->stages--;
    split_last(path, axis_of_callback(&path->stage[path->stages - 1]));
    weft_stage *middle = &path->stage[path->stages - 1];
    middle->after = middle->before;
    middle->real_after = middle->real_before;
    middle->operates = true;
    middle->after.howmany = howmany;
    for (int i = path->stages - 2; i >= 0 && howmany > 0; i--)
        path->stage[path->stages++] = reversed(&path->stage[i], howmany);
}
