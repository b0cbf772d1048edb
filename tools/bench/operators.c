/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forward transform, operator and inverse transform (--operator): as one plan of Weft, or as two
 * plans with a loop between them, in transposed order, as programs for FFTW's MPI library do it.
 * The operator divides by the square of the wave number, as for Poisson's equation.
 */
#include <stdlib.h>
#include <string.h>
#include "api/fftw3-mpi.h"
#include "api/weft.h"
#include "tools/bench/library.h"

typedef struct {
    bench_case that;
    void *plan[2]; /* the second is NULL: the first does everything */
    void *spectrum, *factors;
    ptrdiff_t rows, first; /* of axis 1: what this rank has of the transposed spectrum */
} operation;

#define DEFINE(name, real)                                                                         \
    static void name(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis, void *data)  \
    {                                                                                              \
        const operation *it = data;                                                                \
        const ptrdiff_t *n = it->that.size, numbers = 2 * it->that.howmany;                        \
        const ptrdiff_t length = n[axis], first = index[axis];                                     \
        real *at = values, others = (real)0.5;                                                     \
        for (int a = 0; a < it->that.axes; a++) {                                                  \
            const ptrdiff_t k = index[a] > n[a] / 2 ? index[a] - n[a] : index[a];                  \
            others += a == axis ? 0 : (real)(k * k);                                               \
        }                                                                                          \
        for (ptrdiff_t i = 0; i < count; i++) {                                                    \
            const real k = (real)(first + i > length / 2 ? first + i - length : first + i);        \
            const real factor = 1 / (others + k * k);                                              \
            for (ptrdiff_t f = 0; f < numbers; f++)                                                \
                at[numbers * i + f] *= factor;                                                     \
        }                                                                                          \
    }

DEFINE(operate, double)
DEFINE(operate_float, float)
DEFINE(operate_long, long double)

static void nothing(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis, void *data)
{
    (void)values, (void)count, (void)index, (void)axis, (void)data;
}

static weft_operator operator_of(const bench_case *that)
{
    return that->kinds > 0                   ? nothing
           : that->precision == BENCH_DOUBLE ? operate
           : that->precision == BENCH_FLOAT  ? operate_float
                                             : operate_long;
}

/* The plans of a rank; FFTW's transposed order in between. */
static void make_two(const bench_functions *of, operation *it, void *in, void *out, unsigned flags)
{
    const bench_case *that = &it->that;
    const MPI_Comm world = MPI_COMM_WORLD;
    const unsigned there = flags | FFTW_MPI_TRANSPOSED_OUT, back = flags | FFTW_MPI_TRANSPOSED_IN;
    ptrdiff_t size[BENCH_MAX_AXES], ignored[2];
    memcpy(size, that->size, sizeof size);
    if (that->kind == BENCH_R2C)
        size[that->axes - 1] = size[that->axes - 1] / 2 + 1;
    of->local_size_many_transposed(that->axes, size, that->howmany, 0, 0, world, &ignored[0],
                                   &ignored[1], &it->rows, &it->first);
    if (that->kind == BENCH_R2C) {
        it->plan[0] = of->plan_many_dft_r2c(that->axes, that->size, that->howmany, 0, 0, in, out,
                                            world, there);
        it->plan[1] = of->plan_many_dft_c2r(that->axes, that->size, that->howmany, 0, 0, out, out,
                                            world, back);
    } else {
        it->plan[0] = of->plan_many_dft(that->axes, that->size, that->howmany, 0, 0, in, out, world,
                                        FFTW_FORWARD, there);
        it->plan[1] = of->plan_many_dft(that->axes, that->size, that->howmany, 0, 0, out, out,
                                        world, FFTW_BACKWARD, back);
    }
}

/* The plan that does everything. */
static void make_one(bench_library *library, operation *it, void *in, void *out, unsigned flags)
{
    const bench_case *that = &it->that;
    const bench_functions *of = &library->of[that->precision];
    const ptrdiff_t *modes = that->modes[0] > 0 ? that->modes : NULL,
                    fields = that->changes_fields ? that->fields_out : that->howmany;
    int kind[BENCH_MAX_AXES];
    ptrdiff_t ignored;
    void *grid = that->grid_axes > 0 ? bench_grid_of(of, that) : NULL;
    if (that->grid_axes > 0 && !grid)
        return;
    bench_kinds_of(that, kind);
    if (that->factors) {
        it->factors = calloc((size_t)bench_local_numbers(library, that, &ignored),
                             bench_number_bytes(that->precision));
        it->plan[0] = of->plan_multiply(that->axes, that->size, modes, that->howmany, in, out, grid,
                                        kind, it->factors, 0, MPI_COMM_WORLD, flags);
    } else {
        it->plan[0] = of->plan_fields(that->axes, that->size, modes, that->howmany, fields, in, out,
                                      grid, kind, operator_of(that), it, MPI_COMM_WORLD, flags);
    }
    if (grid)
        of->grid_free(grid);
}

void *bench_operator_plan(bench_library *library, const bench_case *that, void *in, void *out,
                          unsigned flags)
{
    const bench_functions *of = &library->of[that->precision];
    const bool two = that->separate || !of->plan_fields;
    operation *it = calloc(1, sizeof *it);
    if (!it)
        return NULL;
    it->that = *that;
    it->spectrum = out;
    if (two && that->kinds == 0)
        make_two(of, it, in, out, flags);
    else if (!two)
        make_one(library, it, in, out, flags);
    if (it->plan[0] && (it->plan[1] || !two))
        return it;
    bench_operator_destroy(of, it);
    return NULL;
}

/* Calls the operator for each row of the transposed spectrum. */
static void loop(const operation *it)
{
    const bench_case *that = &it->that;
    const int last = that->axes - 1;
    ptrdiff_t size[BENCH_MAX_AXES], index[BENCH_MAX_AXES] = {0}, rows = it->rows * that->size[0];
    const size_t number = 2 * bench_number_bytes(that->precision) * (size_t)that->howmany;
    memcpy(size, that->size, sizeof size);
    if (that->kind == BENCH_R2C)
        size[last] = size[last] / 2 + 1;
    if (last == 1) { /* the rows of the transposed spectrum are along axis 0 */
        for (ptrdiff_t j = 0; j < it->rows; j++) {
            index[1] = it->first + j;
            operator_of(that)((char *)it->spectrum + number * (size_t)(j * size[0]), size[0], index,
                              0, (void *)it);
        }
        return;
    }
    for (int axis = 2; axis < last; axis++)
        rows *= size[axis];
    for (ptrdiff_t row = 0; row < rows; row++) {
        ptrdiff_t rest = row;
        for (int axis = last - 1; axis >= 2; axis--) {
            index[axis] = rest % size[axis];
            rest /= size[axis];
        }
        index[0] = rest % size[0];
        index[1] = it->first + rest / size[0];
        operator_of(that)((char *)it->spectrum + number * (size_t)(row * size[last]), size[last],
                          index, last, (void *)it);
    }
}

void bench_operator_execute(const bench_functions *of, void *plan)
{
    const operation *it = plan;
    of->execute(it->plan[0]);
    if (!it->plan[1])
        return;
    loop(it);
    of->execute(it->plan[1]);
}

void bench_operator_destroy(const bench_functions *of, void *plan)
{
    operation *it = plan;
    for (int i = 0; i < 2; i++)
        if (it->plan[i])
            of->destroy_plan(it->plan[i]);
    free(it->factors);
    free(it);
}

void *bench_operator_whole(const bench_case *that, void *plan)
{
    const operation *it = plan;
    return !that->operates ? plan : it->plan[1] ? NULL : it->plan[0];
}
