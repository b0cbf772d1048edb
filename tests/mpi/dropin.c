/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All ranks compute the whole reference, and each compares its part. A part is described by a map:
 * for every real number in local memory, which number of the global array it is (the parts of
 * complex numbers count as two), or -1 for padding.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mpi/dropin.h"
#include "mpi/harness.h"

#if defined(WEFT_SINGLE)
#define EPSILON FLT_EPSILON
#elif defined(WEFT_LONG_DOUBLE)
#define EPSILON LDBL_EPSILON
#else
#define EPSILON DBL_EPSILON
#endif

enum { GUARD = 8 };

/* What lies in memory that nobody should read. */
static const weft_real stale = 1234;

unsigned dropin_random(unsigned *state, unsigned bound)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % bound;
}

static bool halved(const dropin_case *it)
{
    return it->what == DROPIN_R2C || it->what == DROPIN_C2R;
}

/* Whether the numbers of a side are real. */
static bool real_side(const dropin_case *it, bool out)
{
    switch (it->what) {
    case DROPIN_C2C:
        return false;
    case DROPIN_R2C:
        return !out;
    case DROPIN_C2R:
        return out;
    default:
        return true;
    }
}

static ptrdiff_t length(const dropin_case *it, bool out, int axis)
{
    bool half = halved(it) && !real_side(it, out) && axis == it->rank - 1;
    return half ? it->n[axis] / 2 + 1 : it->n[axis];
}

/* Real numbers in the whole array of a side. */
static ptrdiff_t whole(const dropin_case *it, bool out)
{
    ptrdiff_t numbers = it->howmany * (real_side(it, out) ? 1 : 2);
    for (int axis = 0; axis < it->rank; axis++)
        numbers *= length(it, out, axis);
    return numbers;
}

typedef struct {
    ptrdiff_t slots;
    ptrdiff_t *global;
} map;

/* The axes of a side as they lie in memory, and which of them is divided. */
static int arrange(const dropin_case *it, bool out, int order[DROPIN_RANK])
{
    bool turned = it->flags & (out ? FFTW_MPI_TRANSPOSED_OUT : FFTW_MPI_TRANSPOSED_IN);
    int divided = it->what == DROPIN_TRANSPOSE ? out : turned;
    for (int i = 0; i < it->rank; i++)
        order[i] = i;
    if (it->what == DROPIN_TRANSPOSE ? turned != out : turned) {
        order[0] = 1;
        order[1] = 0;
    }
    return divided;
}

static bool prime(ptrdiff_t n)
{
    for (ptrdiff_t factor = 2; factor * factor <= n; factor++)
        if (n % factor == 0)
            return false;
    return true;
}

/* The part of the divided axis that is this rank's. One dimension is left on rank 0 when its size
 * is prime. */
static void span(const dropin_case *it, bool out, int divided, MPI_Comm comm, ptrdiff_t *start,
                 ptrdiff_t *count)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    ptrdiff_t n = length(it, out, divided), block = out ? it->out_block : it->in_block;
    /* One dimension is divided as the library says, unless there are transforms for all ranks. */
    bool natural = !(it->flags & (FFTW_MPI_SCRAMBLED_IN | FFTW_MPI_SCRAMBLED_OUT));
    if (it->rank == 1 && it->what == DROPIN_C2C && !(natural && it->howmany >= ranks)) {
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

static map map_of(const dropin_case *it, bool out, MPI_Comm comm)
{
    int order[DROPIN_RANK], divided = arrange(it, out, order);
    ptrdiff_t start, count, stored[DROPIN_RANK];
    ptrdiff_t tuple = it->howmany * (real_side(it, out) ? 1 : 2);
    const ptrdiff_t *index_at = out ? it->out_order : it->in_order;
    span(it, out, divided, comm, &start, &count);
    map made = {tuple, NULL};
    for (int i = 0; i < it->rank; i++) {
        int axis = order[i];
        stored[i] = axis == divided ? count : length(it, out, axis);
        if (halved(it) && real_side(it, out) && axis == it->rank - 1)
            stored[i] = 2 * (it->n[axis] / 2 + 1);
        made.slots *= stored[i];
    }
    made.global = malloc(sizeof *made.global * (size_t)(made.slots + 1));
    for (ptrdiff_t slot = 0; slot < made.slots; slot++) {
        ptrdiff_t rest = slot / tuple, index[DROPIN_RANK], place = 0;
        bool padding = false;
        for (int i = it->rank - 1; i >= 0; i--) {
            index[order[i]] = rest % stored[i] + (order[i] == divided ? start : 0);
            rest /= stored[i];
        }
        if (index_at)
            index[0] = index_at[index[0]];
        for (int axis = 0; axis < it->rank; axis++) {
            padding |= index[axis] >= length(it, out, axis);
            place = place * length(it, out, axis) + index[axis];
        }
        made.global[slot] = padding ? -1 : place * tuple + slot % tuple;
    }
    return made;
}

/* The whole arrays. Those of the last case are kept: cases that differ in flags alone follow each
 * other. */
typedef struct {
    dropin_case it;
    weft_real *in, *out;
    weft_real largest;
} reference;

static void transform(const dropin_case *it, weft_real *in, weft_real *out)
{
    int n[DROPIN_RANK], howmany = (int)it->howmany;
    for (int axis = 0; axis < it->rank; axis++)
        n[axis] = (int)it->n[axis];
    FFTW(complex) *complex_in = (FFTW(complex) *)in, *complex_out = (FFTW(complex) *)out;
    FFTW(plan) plan;
    if (it->what == DROPIN_C2C)
        plan = FFTW(plan_many_dft)(it->rank, n, howmany, complex_in, NULL, howmany, 1, complex_out,
                                   NULL, howmany, 1, it->sign, FFTW_ESTIMATE);
    else if (it->what == DROPIN_R2R)
        plan = FFTW(plan_many_r2r)(it->rank, n, howmany, in, NULL, howmany, 1, out, NULL, howmany,
                                   1, it->kind, FFTW_ESTIMATE);
    else
        plan = FFTW(plan_many_dft_r2c)(it->rank, n, howmany, in, NULL, howmany, 1, complex_out,
                                       NULL, howmany, 1, FFTW_ESTIMATE);
    FFTW(execute)(plan);
    FFTW(destroy_plan)(plan);
}

/* Complex to real is the way back from real to complex, times the number of points: its input has
 * to have the symmetry of real numbers' transforms. */
static void compute(const dropin_case *it, weft_real *in, weft_real *out)
{
    weft_real *real = it->what == DROPIN_C2R ? out : in;
    ptrdiff_t numbers = whole(it, it->what == DROPIN_C2R), points = 1;
    unsigned state = 17;
    for (ptrdiff_t i = 0; i < numbers; i++)
        real[i] = (weft_real)dropin_random(&state, 20001) / 10000 - 1;
    if (it->howmany == 0)
        return;
    if (it->what == DROPIN_TRANSPOSE) {
        memcpy(out, in, sizeof *in * (size_t)numbers);
    } else if (it->what == DROPIN_C2R) {
        transform(it, out, in);
        for (int axis = 0; axis < it->rank; axis++)
            points *= it->n[axis];
        for (ptrdiff_t i = 0; i < numbers; i++)
            out[i] *= (weft_real)points;
    } else {
        transform(it, in, out);
    }
}

static bool same_numbers(const dropin_case *a, const dropin_case *b)
{
    if (a->what != b->what || a->rank != b->rank || a->howmany != b->howmany || a->sign != b->sign)
        return false;
    for (int axis = 0; axis < a->rank; axis++)
        if (a->n[axis] != b->n[axis] || a->kind[axis] != b->kind[axis])
            return false;
    return true;
}

static const reference *reference_of(const dropin_case *it)
{
    static reference last;
    if (last.in && same_numbers(it, &last.it))
        return &last;
    FFTW(free)(last.in);
    FFTW(free)(last.out);
    last.it = *it;
    last.in = FFTW(malloc)(sizeof *last.in * (size_t)(whole(it, false) + 1));
    last.out = FFTW(malloc)(sizeof *last.out * (size_t)(whole(it, true) + 1));
    compute(it, last.in, last.out);
    last.largest = 0;
    for (ptrdiff_t i = 0; i < whole(it, true); i++)
        if (last.out[i] > last.largest || -last.out[i] > last.largest)
            last.largest = last.out[i] > 0 ? last.out[i] : -last.out[i];
    return &last;
}

/* What a program allocates, in real numbers: what local_size says, for the larger of the two sides.
 */
static ptrdiff_t allocation(const dropin_case *it, MPI_Comm comm, ptrdiff_t in_slots,
                            ptrdiff_t out_slots)
{
    ptrdiff_t n[DROPIN_RANK], to[4], most = in_slots > out_slots ? in_slots : out_slots, size;
    int parts = it->what == DROPIN_R2R || it->what == DROPIN_TRANSPOSE ? 1 : 2;
    for (int axis = 0; axis < it->rank; axis++)
        n[axis] = halved(it) && axis == it->rank - 1 ? it->n[axis] / 2 + 1 : it->n[axis];
    if (it->howmany == 0)
        return 0;
    if (it->rank == 1) {
        int sign = it->what == DROPIN_C2C ? it->sign : FFTW_FORWARD;
        size = FFTW(mpi_local_size_many_1d)(n[0], it->howmany, comm, sign, it->flags, &to[0],
                                            &to[1], &to[2], &to[3]);
        return size * parts > most ? size * parts : most;
    }
    for (int side = 0; side < 2 && it->rank > 1; side++) {
        bool tin = it->flags & FFTW_MPI_TRANSPOSED_IN, tout = it->flags & FFTW_MPI_TRANSPOSED_OUT;
        if (it->what == DROPIN_TRANSPOSE) {
            tin = false;
            tout = true;
        }
        ptrdiff_t block0 = !tin && (side == 0 || tout) ? it->in_block : !tout ? it->out_block : 0;
        ptrdiff_t block1 = tout && (side == 0 || !tin) ? it->out_block : tin ? it->in_block : 0;
        size = FFTW(mpi_local_size_many_transposed)(it->rank, n, it->howmany, block0, block1, comm,
                                                    &to[0], &to[1], &to[2], &to[3]);
        if (size * parts > most)
            most = size * parts;
    }
    return most;
}

/* Arrays with a guard behind what the program was told to allocate. */
static weft_real *fresh(ptrdiff_t numbers)
{
    weft_real *array = FFTW(malloc)(sizeof *array * (size_t)(numbers + GUARD));
    for (ptrdiff_t i = 0; i < numbers + GUARD; i++)
        array[i] = stale;
    return array;
}

static bool untouched(const weft_real *array, ptrdiff_t from, ptrdiff_t until)
{
    for (ptrdiff_t i = from; i < until; i++)
        if (!(array[i] == stale))
            return false;
    return true;
}

static FFTW(plan) plan_shaped(const dropin_case *it, weft_real *in, weft_real *out, MPI_Comm comm)
{
    const ptrdiff_t *n = it->n;
    const FFTW(r2r_kind) *kind = it->kind;
    FFTW(complex) *complex_in = (FFTW(complex) *)in, *complex_out = (FFTW(complex) *)out;
    bool flat = it->rank == 2;
    switch (it->what) {
    case DROPIN_C2C:
        if (it->rank == 1)
            return FFTW(mpi_plan_dft_1d)(n[0], complex_in, complex_out, comm, it->sign, it->flags);
        return flat ? FFTW(mpi_plan_dft_2d)(n[0], n[1], complex_in, complex_out, comm, it->sign,
                                            it->flags)
                    : FFTW(mpi_plan_dft_3d)(n[0], n[1], n[2], complex_in, complex_out, comm,
                                            it->sign, it->flags);
    case DROPIN_R2C:
        return flat ? FFTW(mpi_plan_dft_r2c_2d)(n[0], n[1], in, complex_out, comm, it->flags)
                    : FFTW(mpi_plan_dft_r2c_3d)(n[0], n[1], n[2], in, complex_out, comm, it->flags);
    case DROPIN_C2R:
        return flat ? FFTW(mpi_plan_dft_c2r_2d)(n[0], n[1], complex_in, out, comm, it->flags)
                    : FFTW(mpi_plan_dft_c2r_3d)(n[0], n[1], n[2], complex_in, out, comm, it->flags);
    case DROPIN_R2R:
        return flat ? FFTW(mpi_plan_r2r_2d)(n[0], n[1], in, out, comm, kind[0], kind[1], it->flags)
                    : FFTW(mpi_plan_r2r_3d)(n[0], n[1], n[2], in, out, comm, kind[0], kind[1],
                                            kind[2], it->flags);
    default:
        return FFTW(mpi_plan_transpose)(n[0], n[1], in, out, comm, it->flags);
    }
}

static FFTW(plan) plan_basic(const dropin_case *it, weft_real *in, weft_real *out, MPI_Comm comm)
{
    FFTW(complex) *complex_in = (FFTW(complex) *)in, *complex_out = (FFTW(complex) *)out;
    switch (it->what) {
    case DROPIN_C2C:
        return FFTW(mpi_plan_dft)(it->rank, it->n, complex_in, complex_out, comm, it->sign,
                                  it->flags);
    case DROPIN_R2C:
        return FFTW(mpi_plan_dft_r2c)(it->rank, it->n, in, complex_out, comm, it->flags);
    case DROPIN_C2R:
        return FFTW(mpi_plan_dft_c2r)(it->rank, it->n, complex_in, out, comm, it->flags);
    case DROPIN_R2R:
        return FFTW(mpi_plan_r2r)(it->rank, it->n, in, out, comm, it->kind, it->flags);
    default:
        return FFTW(mpi_plan_transpose)(it->n[0], it->n[1], in, out, comm, it->flags);
    }
}

static FFTW(plan) plan_many(const dropin_case *it, weft_real *in, weft_real *out, MPI_Comm comm)
{
    FFTW(complex) *complex_in = (FFTW(complex) *)in, *complex_out = (FFTW(complex) *)out;
    switch (it->what) {
    case DROPIN_C2C:
        return FFTW(mpi_plan_many_dft)(it->rank, it->n, it->howmany, it->in_block, it->out_block,
                                       complex_in, complex_out, comm, it->sign, it->flags);
    case DROPIN_R2C:
        return FFTW(mpi_plan_many_dft_r2c)(it->rank, it->n, it->howmany, it->in_block,
                                           it->out_block, in, complex_out, comm, it->flags);
    case DROPIN_C2R:
        return FFTW(mpi_plan_many_dft_c2r)(it->rank, it->n, it->howmany, it->in_block,
                                           it->out_block, complex_in, out, comm, it->flags);
    case DROPIN_R2R:
        return FFTW(mpi_plan_many_r2r)(it->rank, it->n, it->howmany, it->in_block, it->out_block,
                                       in, out, comm, it->kind, it->flags);
    default:
        return FFTW(mpi_plan_many_transpose)(it->n[0], it->n[1], it->howmany, it->in_block,
                                             it->out_block, in, out, comm, it->flags);
    }
}

FFTW(plan) dropin_plan(const dropin_case *it, weft_real *in, weft_real *out, MPI_Comm comm)
{
    if (it->entry == DROPIN_MANY)
        return plan_many(it, in, out, comm);
    return it->entry == DROPIN_SHAPED ? plan_shaped(it, in, out, comm)
                                      : plan_basic(it, in, out, comm);
}

static void execute(const dropin_case *it, FFTW(plan) plan, weft_real *in, weft_real *out)
{
    FFTW(complex) *complex_in = (FFTW(complex) *)in, *complex_out = (FFTW(complex) *)out;
    switch (it->what) {
    case DROPIN_C2C:
        FFTW(mpi_execute_dft)(plan, complex_in, complex_out);
        break;
    case DROPIN_R2C:
        FFTW(mpi_execute_dft_r2c)(plan, in, complex_out);
        break;
    case DROPIN_C2R:
        FFTW(mpi_execute_dft_c2r)(plan, complex_in, out);
        break;
    default:
        FFTW(mpi_execute_r2r)(plan, in, out);
    }
}

/* The manual: only transforms from complex numbers to real ones may destroy their input unasked. */
static bool preserves(const dropin_case *it)
{
    bool to_real = it->what == DROPIN_C2R;
    for (int axis = 0; it->what == DROPIN_R2R && axis < it->rank; axis++)
        to_real |= it->kind[axis] == FFTW_HC2R;
    if (it->in_place)
        return false;
    return it->flags & FFTW_PRESERVE_INPUT || !(to_real || it->flags & FFTW_DESTROY_INPUT);
}

static void fill(weft_real *in, const map *from, const weft_real *global)
{
    for (ptrdiff_t slot = 0; slot < from->slots; slot++)
        in[slot] = from->global[slot] < 0 ? stale : global[from->global[slot]];
}

/* What is wrong after a run; the first thing found. */
static void examine(const dropin_case *it, const reference *all, const map side[2],
                    const weft_real *in, const weft_real *out, ptrdiff_t numbers, char *text)
{
    weft_real allowed = 100 * EPSILON * all->largest;
    for (ptrdiff_t slot = 0; slot < side[1].slots; slot++) {
        if (side[1].global[slot] < 0)
            continue;
        weft_real expected = all->out[side[1].global[slot]], error = out[slot] - expected;
        if (!(error <= allowed && -error <= allowed)) {
            snprintf(text, DROPIN_TEXT, "number %td is %.8Lg, not %.8Lg", slot,
                     (long double)out[slot], (long double)expected);
            return;
        }
    }
    for (ptrdiff_t slot = 0; preserves(it) && slot < side[0].slots; slot++) {
        ptrdiff_t place = side[0].global[slot];
        if (!(in[slot] == (place < 0 ? stale : all->in[place]))) {
            snprintf(text, DROPIN_TEXT, "the input has changed at number %td", slot);
            return;
        }
    }
    if ((in && !untouched(in, numbers, numbers + GUARD)) ||
        (out && !untouched(out, numbers, numbers + GUARD)))
        snprintf(text, DROPIN_TEXT, "memory behind the %td numbers allocated was written", numbers);
}

static void run_and_examine(const dropin_case *it, FFTW(plan) plan, const reference *all,
                            const map side[2], weft_real *in, weft_real *out, bool given,
                            ptrdiff_t numbers, char *text)
{
    if (out && out != in)
        for (ptrdiff_t i = 0; i < numbers; i++)
            out[i] = stale;
    if (in)
        fill(in, &side[0], all->in);
    if (given)
        FFTW(execute)(plan);
    else
        execute(it, plan, in, out);
    if (text[0] == '\0')
        examine(it, all, side, in, out, numbers, text);
}

/* Small enough that a suite of hundreds takes seconds. */
static ptrdiff_t any_length(unsigned *state, int rank)
{
    static const unsigned longest[] = {0, 200, 30, 11, 6, 4};
    return dropin_random(state, 8) == 0 ? 1 : 1 + (ptrdiff_t)dropin_random(state, longest[rank]);
}

static ptrdiff_t any_block(unsigned *state, const dropin_case *it, bool out, MPI_Comm comm)
{
    int order[DROPIN_RANK], ranks;
    MPI_Comm_size(comm, &ranks);
    ptrdiff_t n = length(it, out, arrange(it, out, order)), least = (n + ranks - 1) / ranks;
    if (dropin_random(state, 2))
        return 0;
    return least + dropin_random(state, (unsigned)(n - least + 2));
}

void dropin_options(dropin_case *it, unsigned *state, MPI_Comm comm)
{
    static const unsigned inputs[] = {0, 0, FFTW_DESTROY_INPUT, FFTW_PRESERVE_INPUT};
    it->flags |= dropin_random(state, 16) ? FFTW_ESTIMATE : FFTW_MEASURE;
    it->flags |= inputs[dropin_random(state, 4)];
    it->flags |= dropin_random(state, 8) ? 0 : FFTW_UNALIGNED;
    it->flags |= dropin_random(state, 8) ? 0 : FFTW_CONSERVE_MEMORY;
    it->sign = dropin_random(state, 2) ? FFTW_FORWARD : FFTW_BACKWARD;
    it->howmany = dropin_random(state, 3) ? 1 : 1 + (ptrdiff_t)dropin_random(state, 5);
    it->nulls = dropin_random(state, 2);
    it->new_arrays = dropin_random(state, 3) == 0;
    for (int axis = 0; axis < it->rank; axis++) {
        it->kind[axis] = (FFTW(r2r_kind))dropin_random(state, 11);
        if (it->kind[axis] == FFTW_REDFT00 && it->n[axis] < 2)
            it->kind[axis] = FFTW_RODFT00;
    }
    it->in_block = it->out_block = 0;
    if (dropin_random(state, 3) == 0) {
        it->in_block = any_block(state, it, false, comm);
        it->out_block = any_block(state, it, true, comm);
    }
    it->entry = DROPIN_MANY;
    if (it->howmany == 1 && it->in_block == 0 && it->out_block == 0)
        it->entry =
            it->rank == 2 || it->rank == 3 ? (dropin_entry)dropin_random(state, 3) : DROPIN_BASIC;
}

/* Real transforms of two dimensions cannot have their real side transposed. */
unsigned dropin_orders(dropin_what what, int rank, unsigned wanted)
{
    unsigned flags =
        (wanted & 1 ? FFTW_MPI_TRANSPOSED_IN : 0) | (wanted & 2 ? FFTW_MPI_TRANSPOSED_OUT : 0);
    if (rank == 1)
        return 0;
    if (what == DROPIN_R2C)
        flags &= ~FFTW_MPI_TRANSPOSED_IN;
    if (what == DROPIN_C2R)
        flags &= ~FFTW_MPI_TRANSPOSED_OUT;
    return flags;
}

void dropin_any(dropin_case *it, unsigned *state, MPI_Comm comm)
{
    static const int ranks[] = {1, 2, 2, 2, 3, 3, 3, 4};
    *it = (dropin_case){.what = (dropin_what)dropin_random(state, 5)};
    it->rank = it->what == DROPIN_TRANSPOSE ? 2 : ranks[dropin_random(state, 8)];
    if (it->rank == 1 && it->what != DROPIN_R2R)
        it->what = DROPIN_C2C;
    for (int axis = 0; axis < it->rank; axis++)
        it->n[axis] = any_length(state, it->rank);
    if (it->rank == 1 && it->what == DROPIN_C2C && it->n[0] == 1)
        it->n[0] = 2; /* FFTW-MPI crashes */
    it->in_place = dropin_random(state, 2);
    it->flags = dropin_orders(it->what, it->rank, dropin_random(state, 4));
    dropin_options(it, state, comm);
}

void dropin_run(const dropin_case *it, MPI_Comm comm, char text[DROPIN_TEXT])
{
    const reference *all = reference_of(it);
    map side[2] = {map_of(it, false, comm), map_of(it, true, comm)};
    ptrdiff_t numbers = allocation(it, comm, side[0].slots, side[1].slots);
    bool none = it->nulls && side[0].slots == 0 && side[1].slots == 0;
    weft_real *in = none ? NULL : fresh(numbers);
    weft_real *out = none ? NULL : it->in_place ? in : fresh(numbers);
    text[0] = '\0';

    FFTW(plan) plan = dropin_plan(it, in, out, comm);
    int made = plan != NULL, all_made;
    MPI_Allreduce(&made, &all_made, 1, MPI_INT, MPI_MIN, comm);
    if (!all_made) {
        snprintf(text, DROPIN_TEXT, plan ? "a plan, but not on all ranks" : "no plan");
    } else {
        if (it->flags & FFTW_ESTIMATE && in &&
            (!untouched(in, 0, numbers + GUARD) || !untouched(out, 0, numbers + GUARD)))
            snprintf(text, DROPIN_TEXT, "planning with FFTW_ESTIMATE wrote to an array");
        run_and_examine(it, plan, all, side, in, out, true, numbers, text);
        if (it->new_arrays) {
            weft_real *other_in = fresh(numbers);
            weft_real *other_out = it->in_place ? other_in : fresh(numbers);
            run_and_examine(it, plan, all, side, other_in, other_out, false, numbers, text);
            if (!it->in_place)
                FFTW(free)(other_out);
            FFTW(free)(other_in);
        }
    }
    if (plan && all_made)
        FFTW(destroy_plan)(plan);
    if (out != in)
        FFTW(free)(out);
    FFTW(free)(in);
    free(side[0].global);
    free(side[1].global);
}

void dropin_check(const dropin_case *it, MPI_Comm comm)
{
    char name[DROPIN_TEXT], text[DROPIN_TEXT] = "";
    if (comm != MPI_COMM_NULL)
        dropin_run(it, comm, text);
    dropin_describe(it, name);
    all_true(text[0] == '\0', "%s: %s", name, text);
}

void dropin_describe(const dropin_case *it, char text[DROPIN_TEXT])
{
    static const char *const what[] = {"c2c", "r2c", "c2r", "r2r", "transpose"};
    int at = snprintf(text, DROPIN_TEXT, "%s", what[it->what]);
    for (int axis = 0; axis < it->rank; axis++)
        at += snprintf(text + at, DROPIN_TEXT - (size_t)at, "%c%td", axis ? 'x' : ' ', it->n[axis]);
    at += snprintf(text + at, DROPIN_TEXT - (size_t)at, " howmany %td blocks %td %td sign %d kinds",
                   it->howmany, it->in_block, it->out_block, it->sign);
    for (int axis = 0; axis < it->rank; axis++)
        at += snprintf(text + at, DROPIN_TEXT - (size_t)at, " %d", (int)it->kind[axis]);
    snprintf(text + at, DROPIN_TEXT - (size_t)at, " flags%s%s%s%s 0x%x%s%s",
             it->flags & FFTW_MPI_TRANSPOSED_IN ? " TRANSPOSED_IN" : "",
             it->flags & FFTW_MPI_TRANSPOSED_OUT ? " TRANSPOSED_OUT" : "",
             it->flags & FFTW_MPI_SCRAMBLED_IN ? " SCRAMBLED_IN" : "",
             it->flags & FFTW_MPI_SCRAMBLED_OUT ? " SCRAMBLED_OUT" : "", it->flags & 0x7ffffff,
             it->in_place ? " in place" : "", it->new_arrays ? " new arrays" : "");
}
