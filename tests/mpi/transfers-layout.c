/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts from text. */
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/transfers.h"

/* Divides the ranks over the dimensions of a grid, largest factors first to the smallest dimension.
 */
static void make_grid(int *grid, int axes, int ranks)
{
    for (int g = 0; g < axes; g++)
        grid[g] = 1;
    for (int factor = ranks; factor > 1 && axes > 0; factor--) {
        bool prime = true;
        for (int i = 2; i < factor; i++)
            prime &= factor % i != 0;
        for (; prime && ranks % factor == 0; ranks /= factor) {
            int smallest = 0;
            for (int g = 1; g < axes; g++)
                smallest = grid[g] < grid[smallest] ? g : smallest;
            grid[smallest] *= factor;
        }
    }
}

void transfer_layout(weft_layout *layout, const char *text, const ptrdiff_t *size,
                     ptrdiff_t howmany, int ranks)
{
    weft_axis axis[MOST_AXES] = {{0}};
    int order[MOST_AXES], axes = 0;
    *layout = (weft_layout){.howmany = howmany};
    while (*text) {
        int a = *text++ - 'a';
        char *end = (char *)text;
        order[axes++] = a;
        axis[a] = (weft_axis){.size = size[a], .grid_axis = -1};
        if (*text >= '0' && *text <= '9')
            axis[a].grid_axis = (int)strtol(text, &end, 10);
        text = end;
        if (axis[a].grid_axis >= layout->grid_axes)
            layout->grid_axes = axis[a].grid_axis + 1;
        if (*text == '=')
            text++, axis[a].rule = WEFT_BALANCED;
        if (*text == '*') {
            axis[a].block = strtol(text + 1, &end, 10);
            text = end;
        }
        text += *text == ' ';
    }
    make_grid(layout->grid, layout->grid_axes, ranks);
    layout->axes = axes;
    memcpy(layout->axis, axis, (size_t)axes * sizeof *axis);
    memcpy(layout->order, order, (size_t)axes * sizeof *order);
}
