/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of strided copies on a device. Axes of one index are left out. The device library chooses
 * the best order of the axes, and joins axes that both sides can walk as one. */
#include "kernels/device/moves.h"

#include <stdlib.h>
#include "kernels/base/error.h"

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
    it->move =
        (weft_device_move){.element = element, .from_offset = from_offset, .to_offset = to_offset};
    for (int a = 0; a < axes; a++) {
        const int to_axis = it->move.axes;
        if (count[a] == 1)
            continue;
        it->move.count[to_axis] = count[a];
        it->move.from_stride[to_axis] = from_stride[a];
        it->move.to_stride[to_axis] = to_stride[a];
        it->move.axes++;
    }
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
