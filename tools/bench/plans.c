/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes and runs a library's plans for a case, by FFTW's interface or on a process grid, and
 * allocates the arrays. */
#include <string.h>
#include "api/fftw3-mpi.h"
#include "tools/bench/library.h"
#include "api/weft.h"

/* The planning flags of a case. On grids, WEFT_TRANSPOSED_IN and WEFT_TRANSPOSED_OUT have the same
 * values as FFTW's flags. */
static unsigned flags_of(const bench_case *that)
{
    if (that->scrambled)
        return that->flags | FFTW_MPI_SCRAMBLED_OUT;
    if (!that->transposed)
        return that->flags;
    return that->flags |
           (that->kind == BENCH_C2R ? FFTW_MPI_TRANSPOSED_IN : FFTW_MPI_TRANSPOSED_OUT);
}

/* The kind of an axis from --kinds. */
static int said_kind(const bench_case *that, int axis)
{
    return that->each[that->kinds > 1 ? axis : 0];
}

/* The kind to pass to local_size for mixed kinds: the Fourier kind if there is one, because it
 * decides which sides are complex; otherwise WEFT_R2R. */
static int mixed_kind(const bench_case *that)
{
    int kind = WEFT_R2R;
    for (int axis = 0; axis < that->axes; axis++)
        if (said_kind(that, axis) > WEFT_NONE)
            kind = said_kind(that, axis);
    return kind;
}

static int grid_kind(const bench_case *that)
{
    if (that->kinds > 0)
        return mixed_kind(that);
    if (that->kind == BENCH_C2C && that->backward)
        return WEFT_DFT_BACKWARD;
    static const int kind[] = {[BENCH_C2C] = WEFT_DFT_FORWARD,
                               [BENCH_R2C] = WEFT_DFT_R2C,
                               [BENCH_C2R] = WEFT_DFT_C2R,
                               [BENCH_R2R] = WEFT_R2R};
    return kind[that->kind];
}

void *bench_grid_of(const bench_functions *of, const bench_case *that)
{
    void *(*create)(MPI_Comm, int, const int *) =
        that->column_major ? of->grid_create_column_major : of->grid_create;
    return create ? create(MPI_COMM_WORLD, that->grid_axes, that->grid) : NULL;
}

void bench_kinds_of(const bench_case *that, int kind[BENCH_MAX_AXES])
{
    for (int axis = 0; axis < that->axes; axis++)
        kind[axis] = that->kinds > 0           ? said_kind(that, axis)
                     : that->kind == BENCH_R2R ? (int)FFTW_REDFT10
                     : that->kind == BENCH_C2R ? WEFT_DFT_BACKWARD
                     : that->kind == BENCH_R2C ? WEFT_DFT_FORWARD
                                               : grid_kind(that);
    if (that->kinds == 0 && that->kind != BENCH_R2R)
        kind[that->axes - 1] = grid_kind(that);
}

/* Arrays for an operator's plan have the sizes of the grid or of the modes. */
static ptrdiff_t operator_numbers(const bench_functions *of, const bench_case *that)
{
    bench_case slabs = *that;
    slabs.grid_axes = slabs.grid_axes > 0 ? slabs.grid_axes : 1; /* Weft chooses an extent of 0 */
    const unsigned flags = flags_of(that) | (that->grid_axes > 0 ? 0 : WEFT_FFTW_BLOCKS);
    const ptrdiff_t fields =
        that->changes_fields && that->fields_out > that->howmany ? that->fields_out : that->howmany;
    const ptrdiff_t *size[2] = {that->size, that->modes[0] > 0 ? that->modes : that->size};
    ptrdiff_t most = 1;
    void *grid = bench_grid_of(of, &slabs);
    for (int i = 0; i < 2 && grid; i++) {
        const ptrdiff_t numbers =
            2 * of->local_size(that->axes, size[i], fields, grid, grid_kind(that), flags, NULL,
                               NULL, NULL, NULL);
        most = numbers > most ? numbers : most;
    }
    if (grid)
        of->grid_free(grid);
    return most;
}

static ptrdiff_t grid_numbers(const bench_functions *of, const bench_case *that, ptrdiff_t *output)
{
    ptrdiff_t count[BENCH_MAX_AXES];
    void *grid = bench_grid_of(of, that);
    if (!grid)
        return 1;
    const ptrdiff_t numbers =
        of->local_size(that->axes, that->size, that->howmany, grid, grid_kind(that), flags_of(that),
                       NULL, NULL, count, NULL);
    of->grid_free(grid);
    if (numbers < 1)
        return 1;
    *output = that->howmany * (that->kind == BENCH_R2R || that->kind == BENCH_C2R ? 1 : 2);
    for (int axis = 0; axis < that->axes; axis++)
        *output *= that->kind == BENCH_C2R && axis == that->axes - 1
                       ? 2 * (that->size[axis] / 2 + 1)
                       : count[axis];
    return 2 * numbers;
}

static void *grid_plan(const bench_functions *of, const bench_case *that, void *in, void *out,
                       unsigned rigor)
{
    int kind[BENCH_MAX_AXES];
    void *grid = bench_grid_of(of, that);
    if (!grid)
        return NULL;
    bench_kinds_of(that, kind);
    void *plan = of->plan_many_kinds(that->axes, that->size, that->howmany, in, out, grid, kind,
                                     rigor | flags_of(that));
    of->grid_free(grid);
    return plan;
}

static bool shares(const bench_functions *of, const bench_case *that)
{
    return of->alloc_real && of->free && that->grid_axes > 0 && !that->private;
}

void *bench_array(bench_library *library, const bench_case *that, ptrdiff_t numbers)
{
    const bench_functions *of = &library->of[that->precision];
    return shares(of, that) ? of->alloc_real(numbers, MPI_COMM_WORLD)
                            : fftw_malloc((size_t)numbers * bench_number_bytes(that->precision));
}

void bench_array_free(bench_library *library, const bench_case *that, void *array)
{
    const bench_functions *of = &library->of[that->precision];
    if (shares(of, that))
        of->free(array);
    else
        fftw_free(array);
}

static int sign_of(const bench_case *that)
{
    return that->backward ? FFTW_BACKWARD : FFTW_FORWARD;
}

/* The number of numbers that suffices for the blocks of both sides along both axes. The flags
 * decide which side is divided along which axis, so both ways are tried. */
static ptrdiff_t with_blocks(const bench_functions *of, const bench_case *that,
                             const ptrdiff_t *size, ptrdiff_t most)
{
    ptrdiff_t ignored[4];
    for (int i = 0; i < 4 && (that->block[0] > 0 || that->block[1] > 0); i++) {
        const ptrdiff_t points = of->local_size_many_transposed(
            that->axes, size, that->howmany, that->block[i & 1], that->block[i >> 1],
            MPI_COMM_WORLD, &ignored[0], &ignored[1], &ignored[2], &ignored[3]);
        most = points > most ? points : most;
    }
    return most;
}

ptrdiff_t bench_local_numbers(bench_library *library, const bench_case *that, ptrdiff_t *output)
{
    const bench_functions *of = &library->of[that->precision];
    *output = 0;
    if (that->operates && that->kinds > 0)
        return operator_numbers(of, that);
    if (that->grid_axes > 0)
        return grid_numbers(of, that, output);
    const bool real = that->kind == BENCH_R2R || that->kind == BENCH_TRANSPOSE;
    const bool transposed_out =
        that->kind == BENCH_TRANSPOSE || (that->transposed && that->kind != BENCH_C2R);
    ptrdiff_t size[BENCH_MAX_AXES], local_in, in_start, local_out, out_start, points;
    memcpy(size, that->size, sizeof size);
    if (that->kind == BENCH_R2C || that->kind == BENCH_C2R)
        size[that->axes - 1] = size[that->axes - 1] / 2 + 1;
    if (that->axes == 1) {
        points =
            of->local_size_many_1d(size[0], that->howmany, MPI_COMM_WORLD, sign_of(that),
                                   flags_of(that), &local_in, &in_start, &local_out, &out_start);
    } else {
        points = of->local_size_many_transposed(that->axes, size, that->howmany, that->block[0],
                                                that->block[1], MPI_COMM_WORLD, &local_in,
                                                &in_start, &local_out, &out_start);
        points = with_blocks(of, that, size, points);
        local_out = transposed_out ? local_out * size[0] : local_in * size[1];
    }
    *output = local_out * that->howmany * (real ? 1 : 2);
    for (int axis = 2; axis < that->axes; axis++)
        *output *= size[axis];
    return points > 0 ? 2 * points : 1;
}

double bench_slabs_sent(bench_library *library, const bench_case *that)
{
    const bench_functions *of = &library->of[that->precision];
    const bool in = flags_of(that) & FFTW_MPI_TRANSPOSED_IN,
               out = flags_of(that) & FFTW_MPI_TRANSPOSED_OUT;
    const bool real = that->kind == BENCH_R2R || that->kind == BENCH_TRANSPOSE;
    ptrdiff_t size[BENCH_MAX_AXES], rows, columns, ignored[2];
    if (that->axes == 1 || that->grid_axes > 0 || that->block[0] > 0 || that->block[1] > 0)
        return -1;
    memcpy(size, that->size, sizeof size);
    if (that->kind == BENCH_R2C || that->kind == BENCH_C2R)
        size[that->axes - 1] = size[that->axes - 1] / 2 + 1;
    of->local_size_many_transposed(that->axes, size, that->howmany, 0, 0, MPI_COMM_WORLD, &rows,
                                   &ignored[0], &columns, &ignored[1]);
    double cell =
        (double)that->howmany * (double)bench_number_bytes(that->precision) * (real ? 1 : 2);
    for (int axis = 2; axis < that->axes; axis++)
        cell *= (double)size[axis];
    const double there = (double)rows * (double)(size[1] - columns),
                 back = (double)columns * (double)(size[0] - rows);
    const bool once = that->kind == BENCH_TRANSPOSE || in != out;
    return cell * (once ? there : there + back);
}

static void *slab_plan(const bench_functions *of, const bench_case *that, void *in, void *out,
                       unsigned rigor)
{
    fftw_r2r_kind kind[BENCH_MAX_AXES];
    const unsigned flags = rigor | flags_of(that);
    const ptrdiff_t *block = that->block;
    const MPI_Comm world = MPI_COMM_WORLD;
    for (int axis = 0; axis < that->axes; axis++)
        kind[axis] = that->kinds > 0 ? (fftw_r2r_kind)said_kind(that, axis) : FFTW_REDFT10;
    switch (that->kind) {
    case BENCH_C2C:
        return of->plan_many_dft(that->axes, that->size, that->howmany, block[0], block[1], in, out,
                                 world, sign_of(that), flags);
    case BENCH_R2C:
        return of->plan_many_dft_r2c(that->axes, that->size, that->howmany, block[0], block[1], in,
                                     out, world, flags);
    case BENCH_C2R:
        return of->plan_many_dft_c2r(that->axes, that->size, that->howmany, block[0], block[1], in,
                                     out, world, flags);
    case BENCH_R2R:
        return of->plan_many_r2r(that->axes, that->size, that->howmany, block[0], block[1], in, out,
                                 world, kind, flags);
    case BENCH_TRANSPOSE:
        return of->plan_many_transpose(that->size[0], that->size[1], that->howmany, block[0],
                                       block[1], in, out, world, flags);
    }
    return NULL;
}

void *bench_plan(bench_library *library, const bench_case *that, void *in, void *out,
                 unsigned rigor)
{
    const bench_functions *of = &library->of[that->precision];
    bench_library_threads(that->precision, that->threads);
    if (that->operates)
        return bench_operator_plan(library, that, in, out, rigor | flags_of(that));
    return that->grid_axes > 0 ? grid_plan(of, that, in, out, rigor)
                               : slab_plan(of, that, in, out, rigor);
}

void bench_execute(bench_library *library, const bench_case *that, void *plan)
{
    if (that->operates)
        bench_operator_execute(&library->of[that->precision], plan);
    else
        library->of[that->precision].execute(plan);
}

void bench_destroy(bench_library *library, const bench_case *that, void *plan)
{
    if (that->operates)
        bench_operator_destroy(&library->of[that->precision], plan);
    else
        library->of[that->precision].destroy_plan(plan);
}
