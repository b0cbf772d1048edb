/* SPDX-License-Identifier: BSD-3-Clause */
/* The sides of a transform, and this rank's part of them, from FFTW's manual; calls of the
 * functions of fftw3-mpi.h; and random cases, the same on all ranks. */
#include "tests/mpi/dropin.h"
#include "api/weft.h"
#include "kernels/base/text.h"

enum { T_IN = FFTW_MPI_TRANSPOSED_IN, T_OUT = FFTW_MPI_TRANSPOSED_OUT };

bool dropin_halved(const dropin_case *it)
{
    return it->what == DROPIN_R2C || it->what == DROPIN_C2R;
}

/* Whether the numbers of a side are real. */
static bool real(const dropin_case *it, bool out)
{
    return dropin_halved(it) ? out == (it->what == DROPIN_C2R) : it->what != DROPIN_C2C;
}

ptrdiff_t dropin_length(const dropin_case *it, bool out, int axis)
{
    bool half = dropin_halved(it) && !real(it, out) && axis == it->rank - 1;
    return half ? it->n[axis] / 2 + 1 : it->n[axis];
}

int dropin_arrange(const dropin_case *it, bool out, int order[DROPIN_RANK])
{
    const bool turned = it->flags & (out ? T_OUT : T_IN), transpose = it->what == DROPIN_TRANSPOSE;
    const bool swapped = transpose ? turned != out : turned;
    for (int i = 0; i < it->rank; i++)
        order[i] = swapped && i < 2 ? 1 - i : i;
    return transpose ? out : turned;
}

static bool prime(ptrdiff_t n)
{
    for (ptrdiff_t factor = 2; factor * factor <= n; factor++)
        if (n % factor == 0)
            return false;
    return true;
}

/* Writes this rank's range of the divided axis. A line of prime length is on rank 0. */
static void span(const dropin_case *it, bool out, int divided, MPI_Comm comm, ptrdiff_t *start,
                 ptrdiff_t *count)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    ptrdiff_t n = dropin_length(it, out, divided), block = out ? it->out_block : it->in_block;
    /* The library says how it divides one dimension, unless there are enough transforms for all
     * ranks, or each side is one block. */
    bool natural = !(it->flags & (FFTW_MPI_SCRAMBLED_IN | FFTW_MPI_SCRAMBLED_OUT)),
         asked = it->howmany >= ranks || (it->in_block >= n && it->out_block >= n);
    if (it->rank == 1 && it->what == DROPIN_C2C && !(natural && asked)) {
        ptrdiff_t to[4];
        FFTW(mpi_local_size_many_1d)
        (it->n[0], it->howmany, comm, it->sign, it->flags, &to[0], &to[1], &to[2], &to[3]);
        *count = to[out ? 2 : 0];
        *start = to[out ? 3 : 1];
        return;
    }
    if (block == 0)
        block = (n + ranks - 1) / ranks;
    if (it->rank == 1 && prime(n))
        block = n;
    *start = block * rank < n ? block * rank : n;
    *count = n - *start < block ? n - *start : block;
}

arrays_map dropin_map(const dropin_case *it, bool out, MPI_Comm comm)
{
    arrays_part part = {.rank = it->rank,
                        .tuple = it->howmany * (real(it, out) ? 1 : 2),
                        .index_at = out ? it->out_order : it->in_order};
    int divided = dropin_arrange(it, out, part.order);
    for (int axis = 0; axis < it->rank; axis++) {
        part.length[axis] = part.count[axis] = part.stored[axis] = dropin_length(it, out, axis);
        if (dropin_halved(it) && real(it, out) && axis == it->rank - 1)
            part.stored[axis] = 2 * (it->n[axis] / 2 + 1);
    }
    span(it, out, divided, comm, &part.start[divided], &part.count[divided]);
    part.stored[divided] = part.count[divided];
    return arrays_map_of(&part);
}

ptrdiff_t dropin_allocation(const dropin_case *it, MPI_Comm comm, ptrdiff_t in_slots,
                            ptrdiff_t out_slots)
{
    const bool transpose = it->what == DROPIN_TRANSPOSE;
    const bool tin = it->flags & T_IN && !transpose, tout = it->flags & T_OUT || transpose;
    ptrdiff_t n[DROPIN_RANK], to[4], most = in_slots > out_slots ? in_slots : out_slots, size;
    for (int axis = 0; axis < it->rank; axis++)
        n[axis] = dropin_length(it, it->what == DROPIN_R2C, axis);
    if (it->howmany == 0)
        return 0;
    for (int side = 0; side < 2; side++) {
        ptrdiff_t block0 = !tin && (side == 0 || tout) ? it->in_block : !tout ? it->out_block : 0;
        ptrdiff_t block1 = tout && (side == 0 || !tin) ? it->out_block : tin ? it->in_block : 0;
        if (it->rank == 1)
            size = FFTW(mpi_local_size_many_1d)(n[0], it->howmany, comm,
                                                it->what == DROPIN_C2C ? it->sign : FFTW_FORWARD,
                                                it->flags, &to[0], &to[1], &to[2], &to[3]);
        else
            size = FFTW(mpi_local_size_many_transposed)(it->rank, n, it->howmany, block0, block1,
                                                        comm, &to[0], &to[1], &to[2], &to[3]);
        size *= it->what == DROPIN_R2R || transpose ? 1 : 2;
        most = size > most ? size : most;
    }
    return most;
}

/* The manual says that only complex-to-real transforms may destroy their input by default. */
bool dropin_preserves(const dropin_case *it)
{
    bool to_real = it->what == DROPIN_C2R;
    for (int axis = 0; it->what == DROPIN_R2R && axis < it->rank; axis++)
        to_real |= it->kind[axis] == FFTW_HC2R;
    if (it->in_place)
        return false;
    return it->flags & FFTW_PRESERVE_INPUT || !(to_real || it->flags & FFTW_DESTROY_INPUT);
}

const dropin_case dropin_samples[DROPIN_SAMPLES] = {
    {.what = DROPIN_C2C, .rank = 2, .n = {24, 20}, .sign = FFTW_BACKWARD},
    {.what = DROPIN_C2C, .rank = 3, .n = {9, 8, 5}, .flags = T_OUT, .in_place = true},
    {.what = DROPIN_R2C, .rank = 3, .n = {12, 12, 7}, .flags = T_OUT},
    {.what = DROPIN_R2C, .rank = 2, .n = {16, 10}, .in_place = true},
    {.what = DROPIN_C2R, .rank = 2, .n = {16, 10}, .flags = T_IN},
    {.what = DROPIN_R2R, .rank = 2, .n = {12, 9}, .kind = {FFTW_REDFT10, FFTW_HC2R}},
    {.what = DROPIN_TRANSPOSE, .rank = 2, .n = {12, 18}, .in_place = true},
    {.what = DROPIN_C2C, .rank = 1, .n = {64}, .in_place = true},
    {.what = DROPIN_C2R, .rank = 2, .n = {16, 10}, .in_place = true},
    {.what = DROPIN_R2R, .rank = 3, .n = {8, 3, 4}, .in_place = true},
    {.what = DROPIN_TRANSPOSE, .rank = 2, .n = {10, 10}},
    {.what = DROPIN_TRANSPOSE, .rank = 2, .n = {7, 12}, .flags = T_IN},
};

dropin_case dropin_single(const dropin_case *it, unsigned flags)
{
    dropin_case single = *it;
    single.howmany = 1;
    single.sign = it->sign ? it->sign : FFTW_FORWARD;
    single.entry = DROPIN_MANY;
    single.flags |= flags;
    return single;
}

void dropin_forget(void)
{
    FFTW(forget_wisdom)();
    WEFT(forget_wisdom)();
}

void dropin_describe(const dropin_case *it, char text[DROPIN_TEXT])
{
    static const char *const what[] = {"c2c", "r2c", "c2r", "r2r", "transpose"};
    weft_writer to = weft_write_to(text, DROPIN_TEXT);
    weft_write(&to, "%s", what[it->what]);
    for (int axis = 0; axis < it->rank; axis++)
        weft_write(&to, "%c%td", axis ? 'x' : ' ', it->n[axis]);
    weft_write(&to, " howmany %td blocks %td %td sign %d kinds", it->howmany, it->in_block,
               it->out_block, it->sign);
    for (int axis = 0; axis < it->rank; axis++)
        weft_write(&to, " %d", (int)it->kind[axis]);
    weft_write(&to, " flags%s%s%s%s 0x%x%s%s%s null %u shifts %d %d",
               it->flags & T_IN ? " TRANSPOSED_IN" : "", it->flags & T_OUT ? " TRANSPOSED_OUT" : "",
               it->flags & FFTW_MPI_SCRAMBLED_IN ? " SCRAMBLED_IN" : "",
               it->flags & FFTW_MPI_SCRAMBLED_OUT ? " SCRAMBLED_OUT" : "", it->flags & 0x7ffffff,
               it->in_place ? " in place" : "", it->new_arrays ? " new arrays" : "",
               it->other_place ? " otherwise" : "", it->null, it->shift, it->new_shift);
}

/* Calls the advanced function of a kind, the basic one, or the one for two or three dimensions. */
#define PLAN(kind, ...)                                                                            \
    (it->entry == DROPIN_MANY                                                                      \
         ? FFTW(mpi_plan_many_##kind)(rank, n, many, from, to, in, out, comm, __VA_ARGS__)         \
     : !shaped   ? FFTW(mpi_plan_##kind)(rank, n, in, out, comm, __VA_ARGS__)                      \
     : rank == 2 ? FFTW(mpi_plan_##kind##_2d)(n[0], n[1], in, out, comm, __VA_ARGS__)              \
                 : FFTW(mpi_plan_##kind##_3d)(n[0], n[1], n[2], in, out, comm, __VA_ARGS__))

FFTW(plan) dropin_plan(const dropin_case *it, void *in, void *out, MPI_Comm comm)
{
    const int rank = it->rank;
    const unsigned flags = it->flags;
    const bool shaped = it->entry == DROPIN_SHAPED;
    const ptrdiff_t *n = it->n, many = it->howmany, from = it->in_block, to = it->out_block;
    const FFTW(r2r_kind) *kind = it->kind;
    switch (it->what) {
    case DROPIN_C2C:
        if (shaped && rank == 1)
            return FFTW(mpi_plan_dft_1d)(n[0], in, out, comm, it->sign, flags);
        return PLAN(dft, it->sign, flags);
    case DROPIN_R2C:
        return PLAN(dft_r2c, flags);
    case DROPIN_C2R:
        return PLAN(dft_c2r, flags);
    case DROPIN_R2R:
        if (shaped && rank == 2)
            return FFTW(mpi_plan_r2r_2d)(n[0], n[1], in, out, comm, kind[0], kind[1], flags);
        if (shaped)
            return FFTW(mpi_plan_r2r_3d)(n[0], n[1], n[2], in, out, comm, kind[0], kind[1], kind[2],
                                         flags);
        if (it->entry == DROPIN_BASIC)
            return FFTW(mpi_plan_r2r)(rank, n, in, out, comm, kind, flags);
        return FFTW(mpi_plan_many_r2r)(rank, n, many, from, to, in, out, comm, kind, flags);
    default:
        if (it->entry != DROPIN_MANY)
            return FFTW(mpi_plan_transpose)(n[0], n[1], in, out, comm, flags);
        return FFTW(mpi_plan_many_transpose)(n[0], n[1], many, from, to, in, out, comm, flags);
    }
}

void dropin_execute(const dropin_case *it, FFTW(plan) plan, void *in, void *out)
{
    const bool serial = it->by_libfftw3;
    /* Some programs call the real function for complex plans. */
    if (it->what == DROPIN_C2C && !(serial && it->howmany > 1))
        (serial ? FFTW(execute_dft) : FFTW(mpi_execute_dft))(plan, in, out);
    else if (it->what == DROPIN_R2C)
        (serial ? FFTW(execute_dft_r2c) : FFTW(mpi_execute_dft_r2c))(plan, in, out);
    else if (it->what == DROPIN_C2R)
        (serial ? FFTW(execute_dft_c2r) : FFTW(mpi_execute_dft_c2r))(plan, in, out);
    else
        (serial ? FFTW(execute_r2r) : FFTW(mpi_execute_r2r))(plan, in, out);
}

/* Short lengths, so that hundreds of cases take seconds. */
static ptrdiff_t any_length(unsigned *state, int rank)
{
    static const unsigned longest[] = {0, 200, 30, 11, 6, 4};
    return arrays_random(state, 8) == 0 ? 1 : 1 + (ptrdiff_t)arrays_random(state, longest[rank]);
}

static ptrdiff_t any_block(unsigned *state, const dropin_case *it, bool out, MPI_Comm comm)
{
    int order[DROPIN_RANK], ranks;
    MPI_Comm_size(comm, &ranks);
    ptrdiff_t n = dropin_length(it, out, dropin_arrange(it, out, order)),
              least = (n + ranks - 1) / ranks;
    if (arrays_random(state, 2))
        return 0;
    return least + arrays_random(state, (unsigned)(n - least + 2));
}

void dropin_options(dropin_case *it, unsigned *state, MPI_Comm comm)
{
    static const unsigned inputs[] = {0, 0, FFTW_DESTROY_INPUT, FFTW_PRESERVE_INPUT};
    it->flags |= arrays_random(state, 16) ? FFTW_ESTIMATE : FFTW_MEASURE;
    it->flags |= inputs[arrays_random(state, 4)];
    it->flags |= arrays_random(state, 8) ? 0 : FFTW_UNALIGNED;
    it->flags |= arrays_random(state, 8) ? 0 : FFTW_CONSERVE_MEMORY;
    it->sign = arrays_random(state, 2) ? FFTW_FORWARD : FFTW_BACKWARD;
    it->howmany = arrays_random(state, 3) ? 1 : 1 + (ptrdiff_t)arrays_random(state, 5);
    it->nulls = arrays_random(state, 2);
    it->new_arrays = arrays_random(state, 3) == 0;
    it->shift = arrays_random(state, 8) ? 0 : 1 + (int)arrays_random(state, 3);
    it->new_shift = (int)arrays_random(state, 4);
    for (int axis = 0; axis < it->rank; axis++) {
        it->kind[axis] = (FFTW(r2r_kind))arrays_random(state, 11);
        if (it->kind[axis] == FFTW_REDFT00 && it->n[axis] < 2)
            it->kind[axis] = FFTW_RODFT00;
    }
    it->in_block = it->out_block = 0;
    if (arrays_random(state, 3) == 0) {
        it->in_block = any_block(state, it, false, comm);
        it->out_block = any_block(state, it, true, comm);
    }
    const bool shaped = it->rank == 2 || it->rank == 3;
    it->entry = it->howmany > 1 || it->in_block || it->out_block ? DROPIN_MANY
                : shaped ? (dropin_entry)arrays_random(state, 3)
                         : DROPIN_BASIC;
}

/* In two dimensions the real side of a real transform cannot be transposed. */
unsigned dropin_orders(dropin_what what, int rank, unsigned wanted)
{
    const bool in = wanted & 1 && rank > 1 && what != DROPIN_R2C,
               out = wanted & 2 && rank > 1 && what != DROPIN_C2R;
    return (in ? T_IN : 0U) | (out ? T_OUT : 0U);
}

void dropin_any(dropin_case *it, unsigned *state, MPI_Comm comm)
{
    static const int ranks[] = {1, 2, 2, 2, 3, 3, 3, 4};
    *it = (dropin_case){.what = (dropin_what)arrays_random(state, 5)};
    it->rank = it->what == DROPIN_TRANSPOSE ? 2 : ranks[arrays_random(state, 8)];
    if (it->rank == 1 && it->what != DROPIN_R2R)
        it->what = DROPIN_C2C;
    for (int axis = 0; axis < it->rank; axis++)
        it->n[axis] = any_length(state, it->rank);
    if (it->rank == 1 && it->what == DROPIN_C2C && it->n[0] == 1)
        it->n[0] = 2; /* FFTW-MPI crashes */
    it->in_place = arrays_random(state, 2);
    it->flags = dropin_orders(it->what, it->rank, arrays_random(state, 4));
    dropin_options(it, state, comm);
}
