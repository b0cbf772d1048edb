/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slabs, and lines (arrays of one dimension): FFTW-MPI's distributions, their sizes, and the
 * problem of a request for them. The rules come from FFTW's manual and from tables of FFTW-MPI's
 * results (tests/conformance).
 *
 * The manual explains which indices a rank has. The allocation is the most that any step of
 * FFTW-MPI's algorithms might need, whether or not the chosen algorithm takes that step. With two
 * or more dimensions these steps are the input, the transposed array, and the array with all other
 * numbers divided evenly, so that each rank has n0, or n1, whole for its transform. With one
 * dimension they are both orders of the matrix, with whole blocks of it if the order is natural.
 *
 * Example: two ranks, digits 0 and 1; an array of 4 x 6 numbers, r2c; dots are padding:
 *
 *     input               transposed output
 *     0 0 0 0 0 0 . .     0 0 1 1
 *     0 0 0 0 0 0 . .     0 0 1 1     in memory
 *     1 1 1 1 1 1 . .     0 0 1 1     [n1][n0]
 *     1 1 1 1 1 1 . .     0 0 1 1
 */
#include "kernels/base/error.h"
#include "api/mpi-state.h"
#include "api/request.h"

#define SCRAMBLED  (WEFT_SCRAMBLED_IN | WEFT_SCRAMBLED_OUT)
#define TRANSPOSED (WEFT_TRANSPOSED_IN | WEFT_TRANSPOSED_OUT)

static ptrdiff_t larger(ptrdiff_t a, ptrdiff_t b)
{
    return a > b ? a : b;
}

/* a / b, rounded up, for a >= 0 */
static ptrdiff_t over(ptrdiff_t a, ptrdiff_t b)
{
    return a / b + (a % b != 0);
}

/* The block size: ceil(n / ranks), or the block that the program asked for, but at most n. */
static ptrdiff_t block_size(ptrdiff_t n, ptrdiff_t block, int ranks)
{
    if (block == 0)
        return over(n, ranks);
    return block < n ? block : n;
}

weft_span weft_block_span(ptrdiff_t n, ptrdiff_t block, int rank)
{
    if (block == 0 || rank >= over(n, block))
        return (weft_span){0, 0};
    ptrdiff_t start = block * rank;
    return (weft_span){start, n - start < block ? n - start : block};
}

static ptrdiff_t share(ptrdiff_t n, int rank, int ranks)
{
    return weft_block_span(n, over(n, ranks), rank).count;
}

/* The sizes of arrays with two or more dimensions. The output block is 0, the default, unless the
 * output is transposed. */
static weft_slab_size size_of_slabs(const weft_request *request, int rank, int ranks)
{
    const ptrdiff_t *n = request->size, howmany = request->howmany, block1 = request->out_block;
    const bool transposed = request->flags & WEFT_TRANSPOSED_OUT;
    ptrdiff_t in_block = block_size(n[0], request->in_block, ranks);
    ptrdiff_t out_block = block_size(n[1], block1, ranks);
    bool whole0 = in_block == n[0], whole1 = out_block == n[1];
    weft_slab_size size = {0, weft_block_span(n[0], in_block, rank),
                           weft_block_span(n[1], out_block, rank)};
    ptrdiff_t rest = 1;
    for (int axis = 2; axis < request->axes; axis++)
        rest *= n[axis];
    ptrdiff_t all = n[0] * n[1] * rest;
    if (howmany == 0)
        return size;

    /* Rank 0 has the whole array, so no step of the algorithm moves anything. */
    if (ranks == 1 || (whole0 && (!transposed || whole1))) {
        size.allocation = rank == 0 ? all * howmany : howmany;
        return size;
    }
    /* If the block is the whole of n1, rank 0 has the whole output. FFTW-MPI allocates for the
     * default block here, which is too little for rank 0, and returns all of n1 on every rank (its
     * issue 174). Weft returns it on rank 0 alone, with enough memory. */
    ptrdiff_t middle = size.out.count;
    if (whole1)
        middle = larger(block1 > 0 ? middle : 0, share(n[1], rank, ranks));
    ptrdiff_t most = larger(size.in.count * n[1] * rest, middle * n[0] * rest) * howmany;
    /* numbers are allocated in tuples of howmany */
    for (int axis = 0; axis < 2 && !whole0 && !(transposed && whole1 && block1 == 0); axis++)
        most = larger(most, over(n[axis] * share(all / n[axis] * howmany, rank, ranks), howmany) *
                                howmany);
    size.allocation = larger(most, howmany);
    return size;
}

/* The largest integer whose square is at most n. */
static ptrdiff_t root(ptrdiff_t n)
{
    ptrdiff_t low = 0, high = n;
    while (low < high) {
        ptrdiff_t middle = high - (high - low) / 2;
        if (middle <= n / middle)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The number of rows of the matrix: one for each rank if that divides n and leaves at least as many
 * columns; otherwise the largest divisor of n that leaves at least root(n) columns. It is 1 for
 * primes, which are not divided. */
static ptrdiff_t radix_of(ptrdiff_t n, int ranks)
{
    if (n % ranks == 0 && n / ranks >= ranks)
        return ranks;
    ptrdiff_t rows = n < 4 ? 1 : n / root(n);
    while (n % rows != 0)
        rows--;
    return rows;
}

static bool is_prime(ptrdiff_t n)
{
    return radix_of(n, 2) == 1; /* also for 1 */
}

/* How FFTW-MPI's algorithm divides one dimension: it treats n as a matrix of radix x n / radix. */
typedef struct {
    ptrdiff_t in_block, out_block;
    ptrdiff_t scrambled_in, scrambled_out; /* as in weft_problem */
    bool whole;                            /* the whole line is on rank 0 */
    bool any; /* howmany is large enough, so each rank makes whole transforms of a part of it:
                 FFTW-MPI then accepts other blocks, too; otherwise it ignores the blocks that the
                 program asks for, unless both are at least n and the order is natural */
    ptrdiff_t by_row, by_column; /* blocks of whole rows, of whole columns */
} line_division;

/* The matrix is one of rows x columns for the forward transform; for the backward transform rows
 * and columns are exchanged. FFTW-MPI cannot divide a prime n. */
static line_division division_of(const weft_request *request, int ranks)
{
    const ptrdiff_t n = request->size[0], radix = radix_of(n, ranks);
    const ptrdiff_t rows = request->sign == FFTW_FORWARD ? radix : n / radix, columns = n / rows;
    const bool scrambled_in = request->flags & WEFT_SCRAMBLED_IN,
               scrambled_out = request->flags & WEFT_SCRAMBLED_OUT,
               natural = !scrambled_in && !scrambled_out, many = request->howmany >= ranks,
               one_block = request->in_block >= n && request->out_block >= n;
    line_division line = {.whole = ranks == 1 || is_prime(n) || (natural && one_block && !many),
                          .any = ranks > 1 && natural && many,
                          .by_row = columns * over(rows, ranks),
                          .by_column = rows * over(columns, ranks)};
    if (line.whole || line.any) {
        line.in_block = line.out_block = line.whole ? n : block_size(n, request->in_block, ranks);
        return line;
    }
    line.in_block = scrambled_in ? line.by_column : line.by_row;
    line.out_block = scrambled_out ? line.by_row : line.by_column;
    line.scrambled_in = scrambled_in ? columns : 0;
    line.scrambled_out = scrambled_out ? rows : 0;
    return line;
}

static weft_slab_size size_of_line(const weft_request *request, int rank, int ranks)
{
    const line_division line = division_of(request, ranks);
    const ptrdiff_t n = request->size[0], howmany = request->howmany;
    weft_slab_size size = {0, weft_block_span(n, line.in_block, rank),
                           weft_block_span(n, line.out_block, rank)};
    if (howmany == 0)
        return size;
    ptrdiff_t most = larger(1, larger(size.in.count, size.out.count));
    if (line.any) {
        most = larger(most, over(n * share(howmany, rank, ranks), howmany));
    } else if (!line.whole) {
        most = larger(most, line.scrambled_out ? 0 : line.by_row);
        most = larger(most, line.scrambled_in ? 0 : line.by_column);
    }
    size.allocation = most * howmany;
    return size;
}

weft_slab_size weft_slab_size_of(const weft_request *request, int rank, int ranks)
{
    return request->axes == 1 ? size_of_line(request, rank, ranks)
                              : size_of_slabs(request, rank, ranks);
}

static bool blocks_valid(const weft_request *request)
{
    const ptrdiff_t in_block = request->in_block, out_block = request->out_block;
    return (in_block >= 0 && out_block >= 0) ||
           weft_error("%s: a block is %td; it must be positive, or FFTW_MPI_DEFAULT_BLOCK",
                      request->function, in_block < 0 ? in_block : out_block);
}

ptrdiff_t weft_slab_local(const weft_request *request, weft_local_place place)
{
    weft_slab_size size = {0};
    int rank, ranks;
    weft_error_clear();
    if (request->axes == 0) /* as FFTW-MPI: one index, on every rank */
        size = (weft_slab_size){request->howmany, {0, 1}, {0, 1}};
    else if (weft_comm_usable(request->function, request->comm, &rank, &ranks) &&
             weft_sizes_and_flags_valid(request) && blocks_valid(request))
        size = weft_slab_size_of(request, rank, ranks);
    weft_put_span(size.in, 0, place.start_in, place.local_n_in);
    weft_put_span(size.out, 0, place.start_out, place.local_n_out);
    return size.allocation;
}

/* Why the flags or the number of dimensions are not valid for the transform; NULL: they are. */
static const char *unsuited(const weft_request *request)
{
    const unsigned flags = request->flags;
    const bool to_complex = request->asked == WEFT_ASK_R2C,
               real = to_complex || request->asked == WEFT_ASK_C2R, one = request->axes == 1,
               line = one && request->asked != WEFT_ASK_TRANSPOSE;
    return !line && flags & SCRAMBLED
               ? "FFTW_MPI_SCRAMBLED_IN and FFTW_MPI_SCRAMBLED_OUT need an array of one dimension"
           : line && flags & TRANSPOSED
               ? "FFTW_MPI_TRANSPOSED_IN and FFTW_MPI_TRANSPOSED_OUT need at least two dimensions"
           : one && request->asked == WEFT_ASK_R2R && flags & SCRAMBLED
               ? "only complex transforms can be scrambled"
           : real && one ? "the rank is 1; real transforms need at least two dimensions"
           : real && request->axes == 2 &&
                   flags & (to_complex ? WEFT_TRANSPOSED_IN : WEFT_TRANSPOSED_OUT)
               ? "with two dimensions the real side cannot be transposed"
               : NULL;
}

/* One dimension: complex transforms are divided as by FFTW-MPI; rank 0 has the whole array if the
 * length is a prime. */
static void divide_line(const weft_request *request, int ranks, weft_problem *problem,
                        ptrdiff_t block[2])
{
    const line_division line = division_of(request, ranks);
    problem->from.scrambled = line.scrambled_in;
    problem->to.scrambled = line.scrambled_out;
    if (line.whole || (request->asked == WEFT_ASK_C2C && !line.any)) {
        block[0] = line.in_block;
        block[1] = line.out_block;
    }
}

static bool sides_of(const weft_request *request, int ranks, weft_problem *problem)
{
    /* as FFTW-MPI, ignores the blocks of a line of prime length, which stays on rank 0 */
    const bool prime = request->axes == 1 && is_prime(problem->size[0]);
    const ptrdiff_t asked[2] = {prime ? 0 : request->in_block, prime ? 0 : request->out_block};
    ptrdiff_t block[2];
    const bool transpose = problem->task == WEFT_TRANSPOSE;
    const bool transposed[2] = {request->flags & WEFT_TRANSPOSED_IN,
                                request->flags & WEFT_TRANSPOSED_OUT};
    /* A transpose goes from slabs of n0 to slabs of n1, and the flags change the order of the axes
     * in memory. */
    problem->from.first = !transpose && transposed[0];
    problem->from.transposed = transposed[0];
    problem->to.first = transpose || transposed[1];
    problem->to.transposed = transpose != transposed[1];
    if (!blocks_valid(request))
        return false;
    for (int side = 0; side < 2; side++) {
        /* n0 or n1; if that is the last axis, r2c and c2r halve it */
        const ptrdiff_t n =
            weft_complex_size(problem, (side ? &problem->to : &problem->from)->first);
        block[side] = block_size(n, asked[side], ranks);
        if (over(n, block[side]) > ranks)
            return weft_error("%s: the block is %td; such blocks on %d ranks contain %td indices, "
                              "but there are %td",
                              request->function, block[side], ranks, block[side] * ranks, n);
    }
    if (request->axes == 1)
        divide_line(request, ranks, problem, block);
    weft_divide_in_slabs(problem, block[0], block[1]);
    return true;
}

bool weft_slab_problem(const weft_request *request, int ranks, weft_problem *problem)
{
    bool backward;
    *problem = weft_problem_of(
        request, request->asked == WEFT_ASK_TRANSPOSE ? WEFT_TRANSPOSE : WEFT_TRANSFORM, ranks);
    const char *why = unsuited(request);
    if (why)
        return weft_error("%s: %s", request->function, why);
    return weft_kinds_valid(request, problem, &backward) && sides_of(request, ranks, problem);
}
