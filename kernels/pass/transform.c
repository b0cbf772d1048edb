/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running what transforms a tile, and what that takes: one plan for all of it, or a plan for one
 * row that is run for each, or, in halves, for a batch of rows that are folded while they are in
 * the level 1 cache.
 */
#include "kernels/pass/fft.h"
#include "kernels/pass/halves.h"

enum { BATCH_BYTES = 16384 };

/* The longest step of the target outermost. */
void weft_transform_add_loop(weft_transform *transform, ptrdiff_t count, ptrdiff_t from_step,
                             ptrdiff_t to_step)
{
    int k = transform->loops++;
    for (; k > 0 && transform->to_step[k - 1] < to_step; k--) {
        transform->count[k] = transform->count[k - 1];
        transform->from_step[k] = transform->from_step[k - 1];
        transform->to_step[k] = transform->to_step[k - 1];
    }
    transform->count[k] = count;
    transform->from_step[k] = from_step;
    transform->to_step[k] = to_step;
}

bool weft_transform_aligned(const weft_transform *transform)
{
    for (int k = 0; k < transform->loops; k++)
        if (!weft_fft_aligned(transform->from_step[k]) || !weft_fft_aligned(transform->to_step[k]))
            return false;
    return true;
}

/* With none left over, and an even number, if that can be had. */
ptrdiff_t weft_transform_batch(ptrdiff_t rows, ptrdiff_t length)
{
    const ptrdiff_t room = BATCH_BYTES / (length * (ptrdiff_t)sizeof(weft_real));
    ptrdiff_t most = room < 1 ? 1 : room < rows ? room : rows;
    for (ptrdiff_t batch = most; batch > most / 4; batch--)
        if (rows % batch == 0 && (batch % 2 == 0 || batch == rows))
            return batch;
    return most > 1 ? most - most % 2 : 1;
}

static void execute(weft_kind kind, FFTW(plan) plan, void *from, void *to)
{
    switch (kind) {
    case WEFT_FORWARD:
    case WEFT_BACKWARD:
        FFTW(execute_dft)(plan, from, to);
        break;
    case WEFT_R2C:
        FFTW(execute_dft_r2c)(plan, from, to);
        break;
    case WEFT_C2R:
        FFTW(execute_dft_c2r)(plan, from, to);
        break;
    default:
        FFTW(execute_r2r)(plan, from, to);
    }
}

static void execute_rows(weft_kind kind, FFTW(plan) plan, const weft_transform *transform, int loop,
                         char *from, char *to)
{
    if (loop == transform->loops) {
        execute(kind, plan, from, to);
        return;
    }
    for (ptrdiff_t k = 0; k < transform->count[loop]; k++)
        execute_rows(kind, plan, transform, loop + 1, from + k * transform->from_step[loop],
                     to + k * transform->to_step[loop]);
}

/* So many rows, along the last loop. */
static void execute_batch(weft_kind kind, const weft_transform *transform, ptrdiff_t rows,
                          char *from, char *to)
{
    const int last = transform->loops - 1;
    const bool backward = kind == WEFT_C2R;
    const weft_inner *inner = rows == transform->batch ? transform->aligned : transform->rest;
    const ptrdiff_t to_step = last < 0 ? 0 : transform->to_step[last],
                    step = last < 0   ? 0
                           : backward ? transform->from_step[last]
                                      : to_step;
    if (!backward)
        FFTW(execute_dft)(inner->plan, (void *)from, (void *)to);
    for (ptrdiff_t row = 0; row < rows; row++)
        weft_halves_fold(transform->halves, backward, inner->table,
                         (backward ? from : to) + row * step, to + row * to_step);
    if (backward)
        FFTW(execute_dft)(inner->plan, (void *)to, (void *)to);
}

static void execute_halves(weft_kind kind, const weft_transform *transform, int loop, char *from,
                           char *to)
{
    const int last = transform->loops - 1;
    if (last < 0) {
        execute_batch(kind, transform, 1, from, to);
        return;
    }
    const ptrdiff_t count = transform->count[loop], step = loop == last ? transform->batch : 1;
    for (ptrdiff_t k = 0; k < count; k += step) {
        char *const at[] = {from + k * transform->from_step[loop],
                            to + k * transform->to_step[loop]};
        if (loop < last)
            execute_halves(kind, transform, loop + 1, at[0], at[1]);
        else
            execute_batch(kind, transform, count - k < step ? count - k : step, at[0], at[1]);
    }
}

void weft_transform_run(const weft_transform *transform, weft_kind kind, void *from, void *to)
{
    if (transform->halves) {
        execute_halves(kind, transform, 0, from, to);
        return;
    }
    const bool aligned =
        transform->aligned && FFTW(alignment_of)(from) == 0 && FFTW(alignment_of)(to) == 0;
    const weft_inner *inner = aligned || !transform->any ? transform->aligned : transform->any;
    execute_rows(kind, inner->plan, transform, 0, from, to);
}

double weft_transforms_flops(const weft_sweep *sweep, const weft_program *program)
{
    double flops = 0;
    for (int g = 0; g < sweep->groups; g++) {
        const weft_transform *transform = &program->transform[g];
        double add = 0, mul = 0, fma = 0, times = 1;
        for (int k = 0; k < transform->loops; k++)
            times *= (double)transform->count[k];
        const weft_inner *inner = transform->aligned ? transform->aligned : transform->any;
        FFTW(flops)(inner->plan, &add, &mul, &fma);
        if (transform->halves)
            flops += times * ((add + mul + 2 * fma) / (double)transform->batch +
                              4 * (double)transform->halves);
        else
            flops += times * (add + mul + 2 * fma);
    }
    return flops;
}
