/* SPDX-License-Identifier: BSD-3-Clause */
/* What --plan says of a stage, in its text and in its picture. */
#include "kernels/base/text.h"
#include "tools/info/plan.h"

void info_bytes(double bytes, char *text, size_t capacity)
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int scale = 0;
    for (; bytes >= 1024 && scale < 6; scale++)
        bytes /= 1024;
    snprintf(text, capacity, "%.*f %s",
             scale == 0 || bytes == (double)(long)bytes ? 0
             : bytes < 100                              ? 2
                                                        : 0,
             bytes, unit[scale]);
}

void info_divided(const weft_layout *layout, char *text, size_t capacity)
{
    weft_writer to = weft_write_to(text, capacity);
    for (int axis = 0; axis < layout->axes; axis++) {
        const int dimension = layout->axis[axis].grid_axis;
        if (dimension >= 0 && layout->grid[dimension] > 1)
            weft_write(&to, "%sn%d divided by %d", to.used ? ", " : "", axis,
                       layout->grid[dimension]);
    }
    if (to.used == 0)
        weft_write(&to, "not divided");
}

void info_transformed(const weft_stage *stage, char *text, size_t capacity)
{
    weft_writer to = weft_write_to(text, capacity);
    for (int axis = stage->before.axes - 1; axis >= 0; axis--)
        if (stage->kind[axis] != WEFT_KEEP)
            weft_write(&to, "%sn%d", to.used ? ", " : "", axis);
    if (stage->twiddle.n > 0)
        weft_write(&to, "%sfactors", to.used ? ", " : "");
}

double info_stage_bytes(const info_plan *plan, const weft_layout *layout, bool real)
{
    double most = 0;
    for (int rank = 0; rank < plan->problem.ranks; rank++) {
        weft_box box;
        weft_layout_box(layout, rank, &box);
        const double bytes = (double)weft_layout_elements(layout, &box) *
                             (double)(real ? sizeof(double) : sizeof(fftw_complex));
        most = bytes > most ? bytes : most;
    }
    return most;
}

const char *info_stage_name(const info_plan *plan, int stage)
{
    return plan->path.stages == 1           ? "input and output"
           : stage == 0                     ? "input"
           : stage == plan->path.stages - 1 ? "output"
                                            : "between";
}
