/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of strided copies on a device. Axes of one index are left out, and axes that both sides can
 * walk as one are joined, so that the device gets as few axes as possible. The device's kernels
 * choose the best order of the axes themselves. */
#include "kernels/device/moves.h"

#include <stdlib.h>
#include "kernels/base/error.h"

static void collapse(weft_device_move *move)
{
    int kept = 0;
    for (int a = 0; a < move->axes; a++) {
        if (move->count[a] == 1)
            continue;
        const bool joined = kept > 0 &&
                            move->from_stride[kept - 1] == move->count[a] * move->from_stride[a] &&
                            move->to_stride[kept - 1] == move->count[a] * move->to_stride[a];
        const ptrdiff_t outer = joined ? move->count[--kept] : 1;
        move->count[kept] = outer * move->count[a];
        move->from_stride[kept] = move->from_stride[a];
        move->to_stride[kept] = move->to_stride[a];
        kept++;
    }
    if (kept == 0) {
        move->count[0] = move->from_stride[0] = move->to_stride[0] = 1;
        kept = 1;
    }
    move->axes = kept;
}

/* Sorts the axes by their step in the target, the largest first. */
static void sort(weft_device_move *move)
{
    for (int a = 1; a < move->axes; a++)
        for (int b = a; b > 0 && labs(move->to_stride[b - 1]) < labs(move->to_stride[b]); b--) {
            ptrdiff_t *const rows[] = {move->count, move->from_stride, move->to_stride};
            for (int row = 0; row < 3; row++) {
                const ptrdiff_t other = rows[row][b];
                rows[row][b] = rows[row][b - 1];
                rows[row][b - 1] = other;
            }
        }
}

static bool has_room(weft_moves *moves)
{
    if (moves->count < moves->room)
        return true;
    const int room = moves->room ? 2 * moves->room : 4;
    weft_array_move *larger = realloc(moves->move, (size_t)room * sizeof *larger);
    if (!larger) {
        weft_error("no memory for the copies of a pass");
        return false;
    }
    moves->move = larger;
    moves->room = room;
    return true;
}

bool weft_moves_add(weft_moves *moves, size_t element, int axes, const ptrdiff_t *count, int from,
                    ptrdiff_t from_offset, const ptrdiff_t *from_stride, int to,
                    ptrdiff_t to_offset, const ptrdiff_t *to_stride)
{
    for (int a = 0; a < axes; a++)
        if (count[a] == 0)
            return true;
    if (!has_room(moves))
        return false;
    weft_array_move *it = &moves->move[moves->count++];
    *it = (weft_array_move){.from = from, .to = to};
    it->move = (weft_device_move){
        .element = element, .axes = axes, .from_offset = from_offset, .to_offset = to_offset};
    for (int a = 0; a < axes; a++) {
        it->move.count[a] = count[a];
        it->move.from_stride[a] = from_stride[a];
        it->move.to_stride[a] = to_stride[a];
    }
    sort(&it->move);
    collapse(&it->move);
    return true;
}

void weft_moves_run(const weft_moves *moves, weft_device *device, const void *const *from,
                    void *const *to)
{
    for (int i = 0; i < moves->count && !device->failed; i++) {
        const weft_array_move *it = &moves->move[i];
        weft_device_did(
            device, device->library->move(&it->move, from[it->from], to[it->to], device->queue));
    }
}

void weft_moves_free(weft_moves *moves)
{
    free(moves->move);
    *moves = (weft_moves){0};
}
