/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the passes of a schedule see: an array as its layout has it, or the blocks of an exchange.
 * What a rank keeps in an exchange through a window it need not copy there, or from there, when a
 * pass can read it in the input or write it to the output.
 */
#include <stdlib.h>
#include "planner/schedule/parts.h"
#include "planner/schedule/view.h"

/* The layout on the other side of the exchange next to a pass; where arrays are lent, theirs. */
static const weft_layout *other_side(const weft_stage *stage, bool is_source, bool lent)
{
    const weft_stage *other = is_source ? stage - 1 : stage + 1;
    return is_source != lent ? &other->after : &other->before;
}

/* The view on one side of a pass: the blocks of the exchange there, or else what the layout says.
 */
static bool whole_view(const weft_schedule *schedule, const weft_path *path, int rank, int pass,
                       bool is_source, weft_view *view)
{
    const int next = is_source ? pass - 1 : pass + 1;
    const bool inside = next >= 0 && next < schedule->plan.steps;
    const int back_to = inside ? schedule->plan.back_to[next] : 0;
    if (back_to && is_source) /* where the pass before the first of the two exchanges wrote it */
        return whole_view(schedule, path, rank, back_to - 1, false, view);
    if (back_to) /* where it was read */
        return whole_view(schedule, path, rank, pass, true, view);
    const weft_stage *stage = &path->stage[schedule->plan.stage[pass]];
    const weft_layout *mine = is_source ? &stage->before : &stage->after;
    const unsigned blocked = is_source ? WEFT_TO_BLOCKED : WEFT_FROM_BLOCKED;
    const unsigned others = is_source ? WEFT_FROM_BLOCKED : WEFT_TO_BLOCKED;
    const bool is_blocked = inside && (schedule->plan.flags[next] & blocked);
    const bool lent = inside && schedule->plan.lent[next];
    weft_box box;
    weft_layout_box(mine, rank, &box);
    if (lent && schedule->plan.put[next] == is_source) /* a copy of the array that could be lent */
        return weft_view_plain(is_source ? &stage->after : &stage->before, &box, view);
    if (!is_blocked && !(inside && schedule->plan.remote[next]))
        return weft_view_plain(mine, &box, view);
    const weft_exchange *exchange = schedule->step[next].exchange;
    const weft_blocks blocks = {.mine = mine,
                                .other = other_side(stage, is_source, lent),
                                .travel = is_source ? mine : &(stage + 1)->before,
                                .cut = &schedule->plan.cut[next],
                                .group = weft_exchange_group(exchange),
                                .ranks = exchange->ranks,
                                .rank = rank,
                                .remote = schedule->plan.remote[next] &&
                                          schedule->plan.put[next] == !is_source,
                                .plain = !(schedule->plan.flags[next] & others),
                                .lent = lent,
                                .leave_own = !is_source && schedule->plan.buffers.leave_own[next]};
    return is_blocked ? weft_view_blocks(&blocks, view) : weft_view_split(&blocks, &box, view);
}

/* What this rank has on both sides of an exchange; false: nothing. */
static bool own_box(const weft_steps *plan, const weft_path *path, int rank, int exchange,
                    weft_box *own)
{
    const weft_stage *from = &path->stage[plan->stage[exchange]], *to = from + 1;
    weft_box before, after;
    weft_layout_box(&from->after, rank, &before);
    weft_layout_box(&to->before, rank, &after);
    return weft_box_intersect(from->after.axes, &before, &after, own);
}

/* Whether a side of a pass has the own piece in the input, or in the output, and all others in the
 * window. */
static bool own_is_elsewhere(const weft_steps *plan, int pass, bool is_source)
{
    return is_source
               ? pass > 0 && plan->own_is_in[pass - 1] && !plan->lent[pass - 1]
               : pass + 1 < plan->steps && plan->own_is_out[pass + 1] && !plan->lent[pass + 1];
}

/* Sees the own piece there, which is one more array than those of the window. */
static bool see_own(const weft_schedule *schedule, const weft_path *path, int rank, int pass,
                    bool is_source, weft_view *view)
{
    const weft_steps *plan = &schedule->plan;
    const int next = is_source ? pass - 1 : pass + 1;
    const weft_stage *stage = &path->stage[plan->stage[pass]];
    const weft_layout *layout = is_source ? &(stage - 1)->before : &(stage + 1)->after;
    weft_box own, there, here;
    weft_view plain;
    if (!own_box(plan, path, rank, next, &own))
        return true;
    weft_layout_box(layout, rank, &there);
    weft_layout_box(is_source ? &stage->before : &stage->after, rank, &here);
    if (!weft_view_plain(layout, &there, &plain))
        return false;
    ptrdiff_t begin = here.span[view->axis].start;
    int i = 0;
    for (; view->pieces > 1 && begin < own.span[view->axis].start; i++)
        begin += view->piece[i].count;
    weft_view_piece *piece = (weft_view_piece *)&view->piece[i];
    const ptrdiff_t count = piece->count;
    *piece = plain.piece[0];
    piece->count = count;
    piece->array = is_source || plan->back_to[next] ? schedule->step[next].exchange->ranks : 1;
    for (int axis = 0; axis < layout->axes; axis++)
        piece->offset += (own.span[axis].start - there.span[axis].start) * piece->stride[axis];
    free((void *)plain.piece);
    return true;
}

bool weft_schedule_view(const weft_schedule *schedule, const weft_path *path, int rank, int pass,
                        bool is_source, weft_view *view)
{
    return whole_view(schedule, path, rank, pass, is_source, view) &&
           (!own_is_elsewhere(&schedule->plan, pass, is_source) ||
            see_own(schedule, path, rank, pass, is_source, view));
}

bool weft_schedule_leave_out_own(const weft_steps *plan, const weft_path *path, int rank, int pass,
                                 weft_box *before, weft_box *after, weft_pass_spec *spec)
{
    const bool first = pass == 0 && plan->steps > 1 && plan->own_is_in[1];
    const bool last = pass == plan->steps - 1 && pass > 0 && plan->own_is_out[pass - 1];
    weft_box own;
    if ((!first && !last) || !own_box(plan, path, rank, first ? 1 : pass - 1, &own))
        return true;
    int axis = 0; /* the one that is cut, if any */
    while (axis + 1 < path->stage[0].before.axes &&
           own.span[axis].count == before->span[axis].count)
        axis++;
    const ptrdiff_t size = before->span[axis].count, count = own.span[axis].count,
                    from = own.span[axis].start - before->span[axis].start;
    before->span[axis].count = after->span[axis].count = size - count;
    return size > count && weft_view_leave_out(&spec->source, axis, size, from, count) &&
           weft_view_leave_out(&spec->target, axis, size, from, count);
}
