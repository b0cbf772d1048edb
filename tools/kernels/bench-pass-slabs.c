/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slabs on one process: the views of the array before, between and after the two passes, and what
 * each pass transforms.
 */
#include "tools/kernels/bench-pass.h"

void divide(slab_view *v, int axes, const ptrdiff_t *size, const int *order, int axis, int peers)
{
    ptrdiff_t offset = 0, left = size[axis], block = (size[axis] + peers - 1) / peers;
    v->view = (weft_view){.axis = axis, .blocks = peers, .block = v->block};
    for (int p = 0; p < peers; p++) {
        ptrdiff_t step = 1, count = block < left ? block : left;
        v->block[p] = (weft_view_block){.count = count, .offset = offset};
        for (int k = axes - 1; k >= 0; k--) {
            v->block[p].stride[order[k]] = step;
            step *= order[k] == axis ? count : size[order[k]];
        }
        offset += step;
        left -= count;
    }
}

weft_pass_spec slab_pass(const transform *t, bool along_first, const slab_view *source,
                         const slab_view *target, unsigned flags)
{
    weft_pass_spec spec = {
        .axes = t->axes,
        .source = source->view,
        .target = target->view,
        .fftw_flags = flags,
        .threads = 1,
        .real = t->kind >= WEFT_R2HC,
    };
    weft_kind others = t->kind == WEFT_R2C   ? WEFT_FORWARD
                       : t->kind == WEFT_C2R ? WEFT_BACKWARD
                                             : t->kind;
    for (int a = 0; a < t->axes; a++) {
        spec.size[a] = t->size[a];
        spec.kind[a] = (a == 0) != along_first ? WEFT_KEEP : a == t->axes - 1 ? t->kind : others;
    }
    if (along_first && (t->kind == WEFT_R2C || t->kind == WEFT_C2R))
        spec.size[t->axes - 1] = t->size[t->axes - 1] / 2 + 1;
    return spec;
}

fftw_plan serial_plan(const transform *t, void *in, void *out, unsigned flags)
{
    fftw_iodim64 dim[AXES];
    bool halves = t->kind == WEFT_R2C || t->kind == WEFT_C2R;
    ptrdiff_t last = t->size[t->axes - 1], row[2] = {last, last};
    row[t->kind == WEFT_C2R] = halves ? 2 * (last / 2 + 1) : last;
    row[t->kind != WEFT_C2R] = halves ? last / 2 + 1 : last;
    for (int a = t->axes - 1; a >= 0; a--) {
        bool inner = a == t->axes - 1;
        dim[a] = (fftw_iodim64){t->size[a], inner ? 1 : row[0], inner ? 1 : row[1]};
        row[0] *= inner ? 1 : t->size[a];
        row[1] *= inner ? 1 : t->size[a];
    }
    fftw_r2r_kind kinds[] = {FFTW_REDFT10, FFTW_REDFT10, FFTW_REDFT10};
    if (t->kind == WEFT_R2C)
        return fftw_plan_guru64_dft_r2c(t->axes, dim, 0, NULL, in, out, flags);
    if (t->kind == WEFT_C2R)
        return fftw_plan_guru64_dft_c2r(t->axes, dim, 0, NULL, in, out, flags);
    if (t->kind >= WEFT_R2HC)
        return fftw_plan_guru64_r2r(t->axes, dim, 0, NULL, in, out, kinds, flags);
    return fftw_plan_guru64_dft(t->axes, dim, 0, NULL, in, out, FFTW_FORWARD, flags);
}

void slab_views(const transform *t, slab_view *given, slab_view *between, slab_view *result)
{
    bool halves = t->kind == WEFT_R2C || t->kind == WEFT_C2R;
    ptrdiff_t complex[AXES], real[AXES];
    for (int a = 0; a < t->axes; a++)
        complex[a] = real[a] = t->size[a];
    if (halves) {
        complex[t->axes - 1] = t->size[t->axes - 1] / 2 + 1;
        real[t->axes - 1] = 2 * complex[t->axes - 1];
    }
    const int *order = t->transposed ? order_102 : order_012;
    bool back = t->kind == WEFT_C2R;
    divide(given, t->axes, halves && !back ? real : complex, back ? order : order_012, 0, 1);
    divide(between, t->axes, complex, order, 0, 1);
    divide(result, t->axes, back ? real : complex, back ? order_012 : order, 0, 1);
}
