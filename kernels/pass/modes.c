/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of two lengths let L be the shorter one. Modes of a frequency below L / 2 are those of both; the
 * highest stay at the end:
 *
 *     8 modes    0  1  2  3 +-4 -3 -2 -1            0  1  2 ... n/2        r2c and c2r
 *                |  |  |             / /            |  |  |
 *     5 modes    0  1  2       -2 -1                0  1  2
 *
 * Where L is even its highest mode stands for the frequencies L / 2 and -L / 2 together. So it is
 * the sum of both when a spectrum is cut, and half of it goes to each when one is extended: real
 * fields stay real, an extended spectrum has the same values at the points of the shorter grid, and
 * one that is cut again is what it was. (Along the halved axis that is its real part, twice or by
 * half.) The other modes of a longer spectrum are zero.
 */
#include "kernels/pass/modes.h"

#include <string.h>

/* Of axes that r2c or c2r halve. */
static bool is_halved(weft_kind kind)
{
    return kind == WEFT_R2C || kind == WEFT_C2R;
}

static bool is_forward(weft_kind kind)
{
    return kind == WEFT_FORWARD || kind == WEFT_R2C;
}

bool weft_modes_differ(const weft_sweep *sweep)
{
    for (int a = 0; a < sweep->axes; a++)
        if (sweep->modes[a])
            return true;
    return false;
}

ptrdiff_t weft_modes_room(const weft_sweep *sweep, int b, int axis)
{
    const ptrdiff_t count = b ? sweep->target.count[axis] : sweep->source.count[axis];
    if (!sweep->modes[axis])
        return count;
    const ptrdiff_t seen = weft_modes_seen(sweep, b, axis);
    if (!is_halved(sweep->kind[axis]))
        return seen > sweep->modes[axis] ? seen : sweep->modes[axis];
    return seen > count ? seen : count;
}

ptrdiff_t weft_modes_seen(const weft_sweep *sweep, bool after, int axis)
{
    const bool halved = sweep->kind[axis] == (after ? WEFT_R2C : WEFT_C2R);
    return halved ? sweep->size[axis] / 2 + 1 : sweep->size[axis];
}

void weft_resize_make(const weft_sweep *sweep, const weft_program *program, int g,
                      weft_resize *resize)
{
    const weft_group *group = &sweep->group[g];
    const int axis = group->axis[0];
    const ptrdiff_t modes = sweep->modes[axis], number = 2 * (ptrdiff_t)sizeof(weft_real);
    *resize = (weft_resize){.width = 1};
    if (!modes)
        return;
    const bool forward = is_forward(sweep->kind[axis]);
    const weft_at at = forward ? group->to : group->from;
    const ptrdiff_t *stride = program->stride[at == WEFT_AT_SECOND];
    bool done[WEFT_MAX_AXES] = {false};
    for (int h = 0; h < g; h++)
        done[sweep->group[h].axis[0]] = true;
    resize->halved = is_halved(sweep->kind[axis]);
    resize->from = forward ? sweep->size[axis] : modes;
    resize->to = forward ? modes : sweep->size[axis];
    resize->step = stride[axis] * number;
    for (int a = 0; a < sweep->axes; a++) {
        const ptrdiff_t count = program->count[done[a]][a];
        if (a == axis || count == 1)
            continue;
        if (stride[a] == 1) {
            resize->width = count;
            continue;
        }
        resize->count[resize->loops] = count;
        resize->jump[resize->loops++] = stride[a] * number;
    }
}

static size_t width_of(const weft_resize *resize)
{
    return (size_t)resize->width * 2 * sizeof(weft_real);
}

/* Moves so many modes up or down. */
static void move(const weft_resize *resize, char *line, ptrdiff_t from, ptrdiff_t to,
                 ptrdiff_t modes)
{
    const ptrdiff_t step = resize->step;
    const size_t width = width_of(resize);
    if (width == (size_t)step) {
        memmove(line + to * step, line + from * step, (size_t)modes * width);
        return;
    }
    for (ptrdiff_t i = 0; i < modes; i++) {
        const ptrdiff_t k = to > from ? modes - 1 - i : i;
        memcpy(line + (to + k) * step, line + (from + k) * step, width);
    }
}

static void clear(const weft_resize *resize, char *line, ptrdiff_t first, ptrdiff_t end)
{
    for (ptrdiff_t k = first; k < end; k++)
        memset(line + k * resize->step, 0, width_of(resize));
}

/* Of an even number of modes the highest one, before the others move: what it gets from its
 * opposite, or what is left when that gets half. */
static void share_highest(const weft_resize *resize, char *line, ptrdiff_t modes, bool longer)
{
    weft_real *highest = (weft_real *)(void *)(line + modes / 2 * resize->step);
    const weft_real *opposite =
        (const weft_real *)(void *)(line + (resize->from - modes / 2) * resize->step);
    for (ptrdiff_t i = 0; i < 2 * resize->width; i++)
        if (longer)
            highest[i] /= 2;
        else if (!resize->halved)
            highest[i] += opposite[i];
        else
            highest[i] *= 2;
    for (ptrdiff_t i = 0; resize->halved && i < resize->width; i++)
        highest[2 * i + 1] = 0;
}

static void resize_line(const weft_resize *resize, char *line)
{
    const ptrdiff_t from = resize->from, to = resize->to;
    const bool longer = to > from;
    const ptrdiff_t modes = longer ? from : to, up = longer ? modes / 2 : (modes - 1) / 2;
    if (modes % 2 == 0)
        share_highest(resize, line, modes, longer);
    if (!resize->halved)
        move(resize, line, from - up, to - up, up);
    if (longer)
        clear(resize, line, modes / 2 + 1, resize->halved ? to / 2 + 1 : to - up);
}

static void resize_all(const weft_resize *resize, int loop, char *at)
{
    if (loop == resize->loops) {
        resize_line(resize, at);
        return;
    }
    for (ptrdiff_t k = 0; k < resize->count[loop]; k++)
        resize_all(resize, loop + 1, at + k * resize->jump[loop]);
}

void weft_resize_run(const weft_resize *resize, void *buffer)
{
    if (resize->from != resize->to)
        resize_all(resize, 0, buffer);
}
