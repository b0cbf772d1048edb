/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks what a program asks for and fills in the defaults. Each check says what is wrong with
 * which argument, its value and what would be right. What FFTW-MPI accepts is accepted, but for
 * kinds of r2r that there are not, which it takes for R2HC, and more than WEFT_MAX_RANK dimensions.
 */
#include <stdint.h>
#include "kernels/base/error.h"
#include "api/local-size.h"
#include "api/request.h"
#include "api/holdings.h"

#define SCRAMBLED  (WEFT_SCRAMBLED_IN | WEFT_SCRAMBLED_OUT)
#define TRANSPOSED (WEFT_TRANSPOSED_IN | WEFT_TRANSPOSED_OUT)
#define KNOWN      (WEFT_SERIAL_FLAGS | SCRAMBLED | TRANSPOSED)
/* Bits without a meaning, which FFTW-MPI ignores as well: all that are left but the last. */
#define IGNORED (WEFT_SCRAMBLED_IN - 1)

/* The most bytes of a number: complex, long double. */
enum { LARGEST_NUMBER = 32 };

bool weft_sizes_valid(const char *function, int axes, const ptrdiff_t *size, ptrdiff_t howmany)
{
    if (axes < 1 || axes > WEFT_MAX_RANK) {
        weft_error("%s: the rank is %d; it must be 1 to %d", function, axes, WEFT_MAX_RANK);
        return false;
    }
    if (!size) {
        weft_error("%s: the array of sizes is NULL", function);
        return false;
    }
    if (howmany < 0) {
        weft_error("%s: howmany is %td; it must not be negative", function, howmany);
        return false;
    }
    ptrdiff_t bytes = LARGEST_NUMBER;
    bool overflows = __builtin_mul_overflow(bytes, howmany > 0 ? howmany : 1, &bytes);
    for (int axis = 0; axis < axes; axis++) {
        if (size[axis] < 1) {
            weft_error("%s: n[%d] is %td; sizes are at least 1", function, axis, size[axis]);
            return false;
        }
        /* As long as the last axis gets when it is padded. */
        ptrdiff_t length = size[axis];
        overflows |= axis == axes - 1 && __builtin_add_overflow(length, 2, &length);
        overflows |= __builtin_mul_overflow(bytes, length, &bytes);
    }
    if (overflows)
        weft_error("%s: the sizes and howmany multiply to more bytes than can be counted",
                   function);
    return !overflows;
}

bool weft_blocks_valid(const char *function, ptrdiff_t block0, ptrdiff_t block1)
{
    if (block0 >= 0 && block1 >= 0)
        return true;
    weft_error("%s: a block is %td; it must be positive, or FFTW_MPI_DEFAULT_BLOCK", function,
               block0 < 0 ? block0 : block1);
    return false;
}

bool weft_flags_valid(const char *function, unsigned flags)
{
    unsigned unknown = flags & ~(KNOWN | IGNORED);
    if (unknown == 0)
        return true;
    weft_error("%s: the flags hold unknown bits, 0x%x", function, unknown);
    return false;
}

/* Whether the flags suit the transform. */
static bool suits(const weft_request *request)
{
    const char *function = request->function;
    unsigned flags = request->flags;
    if (request->asked == WEFT_ASK_TRANSPOSE || request->axes > 1) {
        if (flags & SCRAMBLED) {
            weft_error("%s: FFTW_MPI_SCRAMBLED_IN and FFTW_MPI_SCRAMBLED_OUT are for one dimension",
                       function);
            return false;
        }
    } else if (flags & TRANSPOSED) {
        weft_error(
            "%s: FFTW_MPI_TRANSPOSED_IN and FFTW_MPI_TRANSPOSED_OUT need two dimensions at least",
            function);
        return false;
    }
    if (request->axes == 1 && request->asked == WEFT_ASK_R2R && flags & SCRAMBLED) {
        weft_error("%s: only complex transforms can be scrambled", function);
        return false;
    }
    if ((request->asked == WEFT_ASK_R2C || request->asked == WEFT_ASK_C2R)) {
        if (request->axes == 1) {
            weft_error("%s: the rank is 1; real transforms need two dimensions at least", function);
            return false;
        }
        unsigned real_side =
            request->asked == WEFT_ASK_R2C ? WEFT_TRANSPOSED_IN : WEFT_TRANSPOSED_OUT;
        if (request->axes == 2 && flags & real_side) {
            weft_error("%s: with two dimensions the real side cannot be transposed", function);
            return false;
        }
    }
    return true;
}

bool weft_kind_of(unsigned number, weft_kind *kind)
{
    static const weft_kind r2r[] = {
        [FFTW_R2HC] = WEFT_R2HC,       [FFTW_HC2R] = WEFT_HC2R,       [FFTW_DHT] = WEFT_DHT,
        [FFTW_REDFT00] = WEFT_REDFT00, [FFTW_REDFT01] = WEFT_REDFT01, [FFTW_REDFT10] = WEFT_REDFT10,
        [FFTW_REDFT11] = WEFT_REDFT11, [FFTW_RODFT00] = WEFT_RODFT00, [FFTW_RODFT01] = WEFT_RODFT01,
        [FFTW_RODFT10] = WEFT_RODFT10, [FFTW_RODFT11] = WEFT_RODFT11};
    if (number >= sizeof r2r / sizeof r2r[0])
        return false;
    *kind = r2r[number];
    return true;
}

static bool kinds_of(const weft_request *request, weft_problem *problem)
{
    static const weft_kind first[] = {WEFT_FORWARD, WEFT_FORWARD, WEFT_BACKWARD, WEFT_KEEP,
                                      WEFT_KEEP};
    weft_kind kind = first[request->asked];

    if (request->asked == WEFT_ASK_C2C && weft_sign(request->sign) == FFTW_BACKWARD)
        kind = WEFT_BACKWARD;
    for (int axis = 0; axis < request->axes; axis++)
        problem->kind[axis] = kind;
    if (request->asked == WEFT_ASK_R2C)
        problem->kind[request->axes - 1] = WEFT_R2C;
    if (request->asked == WEFT_ASK_C2R)
        problem->kind[request->axes - 1] = WEFT_C2R;
    if (request->asked != WEFT_ASK_R2R)
        return true;
    if (!request->kinds) {
        weft_error("%s: the array of kinds is NULL", request->function);
        return false;
    }
    for (int axis = 0; axis < request->axes; axis++) {
        unsigned number = (unsigned)request->kinds[axis];
        if (!weft_kind_of(number, &problem->kind[axis])) {
            weft_error("%s: kind[%d] is %d, which is no fftw_r2r_kind", request->function, axis,
                       (int)number);
            return false;
        }
        if (number == FFTW_REDFT00 && request->size[axis] < 2) {
            weft_error("%s: n[%d] is 1; FFTW_REDFT00 needs 2 at least", request->function, axis);
            return false;
        }
    }
    return true;
}

/* Along how many indices a side is divided: n0, or n1; the complex count for the last axis of r2c
 * and c2r. */
static ptrdiff_t divided(const weft_problem *problem, const weft_holding *side)
{
    const weft_kind kind = problem->kind[side->first];
    const ptrdiff_t size = problem->size[side->first];
    return kind == WEFT_R2C || kind == WEFT_C2R ? size / 2 + 1 : size;
}

/* One dimension: FFTW-MPI's own division for complex numbers; primes on rank 0. */
static void divide_line(const weft_request *request, int ranks, weft_problem *problem,
                        ptrdiff_t block[2])
{
    const ptrdiff_t n = problem->size[0];
    const bool complex_line = request->asked == WEFT_ASK_C2C, whole = weft_line_whole(n, ranks);
    const weft_line line = weft_line_of(
        n, problem->howmany, complex_line ? weft_sign(request->sign) : FFTW_FORWARD,
        request->flags & WEFT_SCRAMBLED_IN, request->flags & WEFT_SCRAMBLED_OUT, ranks);
    problem->from.scrambled = line.scrambled_in;
    problem->to.scrambled = line.scrambled_out;
    if (whole || (complex_line && !line.any)) {
        block[0] = whole ? n : line.in_block;
        block[1] = whole ? n : line.out_block;
    }
}

/* Both layouts. */
static bool sides_of(const weft_request *request, int ranks, weft_problem *problem)
{
    const ptrdiff_t asked[2] = {request->in_block, request->out_block};
    ptrdiff_t block[2];
    const bool transpose = problem->task == WEFT_TRANSPOSE;
    const bool transposed[2] = {request->flags & WEFT_TRANSPOSED_IN,
                                request->flags & WEFT_TRANSPOSED_OUT};
    /* a transpose goes from slabs of n0 to those of n1, and the flags turn the arrangement in
     * memory */
    problem->from.first = !transpose && transposed[0];
    problem->from.transposed = transposed[0];
    problem->to.first = transpose || transposed[1];
    problem->to.transposed = transpose != transposed[1];
    if (!weft_blocks_valid(request->function, asked[0], asked[1]))
        return false;
    for (int side = 0; side < 2; side++) {
        const ptrdiff_t n = divided(problem, side ? &problem->to : &problem->from);
        block[side] = weft_block(n, asked[side], ranks);
        if (!weft_block_fits(n, block[side], ranks)) {
            weft_error("%s: blocks of %td on %d ranks hold %td indices, not %td", request->function,
                       block[side], ranks, block[side] * ranks, n);
            return false;
        }
    }
    if (request->axes == 1)
        divide_line(request, ranks, problem, block);
    weft_holdings_slabs(problem, block[0], block[1]);
    return true;
}

/* The manual: only transforms to real numbers from complex ones may destroy their input unasked. */
bool weft_may_destroy(const weft_request *request, const weft_problem *problem)
{
    bool complex_to_real = request->asked == WEFT_ASK_C2R;
    for (int axis = 0; axis < problem->axes; axis++)
        complex_to_real |= problem->kind[axis] == WEFT_HC2R;
    return !(request->flags & FFTW_PRESERVE_INPUT) &&
           (complex_to_real || request->flags & FFTW_DESTROY_INPUT);
}

bool weft_request_valid(const weft_request *request, int rank, int ranks, weft_problem *problem)
{
    *problem = (weft_problem){
        .task = request->asked == WEFT_ASK_TRANSPOSE ? WEFT_TRANSPOSE : WEFT_TRANSFORM,
        .axes = request->axes,
        .howmany = request->howmany,
        .real = request->asked == WEFT_ASK_R2R || request->asked == WEFT_ASK_TRANSPOSE,
        .comm = request->comm,
        .rank = rank,
        .ranks = ranks,
        .in = request->in,
        .out = request->out,
        .flags = request->flags & KNOWN,
        .threads = 1};
    if (!weft_sizes_valid(request->function, request->axes, request->size, request->howmany) ||
        !weft_flags_valid(request->function, request->flags) || !suits(request))
        return false;
    for (int axis = 0; axis < request->axes; axis++)
        problem->size[axis] = request->size[axis];
    if (!kinds_of(request, problem) || !sides_of(request, ranks, problem))
        return false;
    problem->may_destroy = weft_may_destroy(request, problem);
    return true;
}
