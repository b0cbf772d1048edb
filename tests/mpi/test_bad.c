/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bad input of FFTW's interface and of weft.h: every rank gets NULL, or 0, and a sentence that says
 * what is wrong. (test_differing tests arguments that differ between ranks.)
 */
#include "api/fftw3-mpi.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/harness.h"
#include "kernels/base/precision.h"
#include "api/weft.h"

static FFTW(complex) a[4096], b[4096];
static weft_real *const ra = (weft_real *)a, *const rb = (weft_real *)b;
/* Grids: two dimensions of all ranks, one dimension of all ranks, and one of only this rank. */
static weft_grid two, one, alone;
static weft_distribution whole, cube, other_size, other_axes, lonely, six;
/* `across` is an intercommunicator, if there are several ranks. */
static MPI_Comm half, across;

#define WORLD  MPI_COMM_WORLD
#define GOOD   FFTW_ESTIMATE
#define N(...) ((const ptrdiff_t[]){__VA_ARGS__})
#define D(...) ((const int[]){__VA_ARGS__})

enum { F = WEFT_DFT_FORWARD, B = WEFT_DFT_BACKWARD, R2C = WEFT_DFT_R2C, C2R = WEFT_DFT_C2R };
enum { NONE = WEFT_NONE };

static const FFTW(r2r_kind) dct[] = {FFTW_REDFT10, FFTW_REDFT10, FFTW_REDFT10};

static FFTW(plan)
    dft(int axes, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block, int sign, unsigned flags)
{
    return FFTW(mpi_plan_many_dft)(axes, n, howmany, block, 0, a, b, WORLD, sign, flags);
}

static FFTW(plan) cosine(ptrdiff_t n0, int kind0)
{
    FFTW(r2r_kind) kinds[] = {(FFTW(r2r_kind))kind0, FFTW_REDFT10};
    return FFTW(mpi_plan_many_r2r)(2, (ptrdiff_t[]){n0, 6}, 1, 0, 0, ra, rb, WORLD, kinds, GOOD);
}

static weft_distribution boxes(int axes, const ptrdiff_t *start, const ptrdiff_t *count)
{
    return WEFT(distribution_boxes)(WORLD, axes, N(8, 8, 8), start, count);
}

static FFTW(plan) on(weft_grid grid, int sign, unsigned flags)
{
    return WEFT(plan_dft_3d)(8, 8, 8, a, b, grid, sign, GOOD | flags);
}

static weft_grid tuned(MPI_Comm comm, int dimensions, ptrdiff_t n1, int kind)
{
    return WEFT(grid_tune)(comm, dimensions, 3, N(8, n1, 8), 1, kind, GOOD);
}

static FFTW(plan) kinds(const int *kind)
{
    return WEFT(plan_many_kinds)(3, N(8, 8, 8), 1, a, b, two, kind, GOOD);
}

static FFTW(plan) operator(const int *kind, weft_operator apply, unsigned flags)
{
    return WEFT(plan_operator)(3, N(8, 8, 8), NULL, 1, a, b, two, kind, apply, NULL, WORLD,
                               GOOD | flags);
}

static FFTW(plan) fields(ptrdiff_t before, ptrdiff_t after, void *out)
{
    return WEFT(plan_fields)(3, N(8, 8, 8), NULL, before, after, a, out, two, D(F, NONE, NONE),
                             WEFT(derivative), NULL, WORLD, GOOD);
}

static FFTW(plan) convolution(const int *kind)
{
    return WEFT(plan_convolution)(3, N(8, 8, 8), NULL, 2, a, b, two, kind, WORLD, GOOD);
}

static FFTW(plan) times(const int *kind, const void *factors, int complex)
{
    return WEFT(plan_multiply)(3, N(8, 8, 8), NULL, 1, a, b, two, kind, factors, complex, WORLD,
                               GOOD);
}

static weft_distribution slabs(int axes, const ptrdiff_t *n)
{
    return WEFT(distribution_grid)(one, axes, n, NULL, 0);
}

/* Plans from slabs of 6 x 6 x 6 points to slabs of other sizes, in place or not; NULL for modes
 * means the function without modes. */
static FFTW(plan) from_six(const ptrdiff_t *to, const ptrdiff_t *modes, const int *kind, void *out)
{
    weft_distribution side = slabs(3, to);
    FFTW(plan)
    plan = modes ? WEFT(plan_between_modes)(six, side, modes, 1, a, out, kind, GOOD)
                 : WEFT(plan_between)(six, side, 1, a, out, kind, GOOD);
    WEFT(distribution_free)(side);
    return plan;
}

/* The last rank asks for 7 modes of a halved axis, the others for 6; both are 4 numbers. */
static FFTW(plan) other_modes(void)
{
    weft_distribution from = slabs(2, N(8, 9)), to = slabs(2, N(8, 4));
    FFTW(plan)
    plan = WEFT(plan_between_modes)(from, to, N(8, rank == ranks - 1 ? 7 : 6), 1, a, b, D(F, R2C),
                                    GOOD);
    WEFT(distribution_free)(from);
    WEFT(distribution_free)(to);
    return plan;
}

/* Slabs of three rows per rank and four columns in enclosing arrays. With `of_one` only the last
 * rank has the array of the arguments; the others have a correct one. */
static weft_distribution in_arrays(bool of_one, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t row,
                                   ptrdiff_t column)
{
    const bool odd = !of_one || rank == ranks - 1;
    const ptrdiff_t start[2] = {3 * rank, 0}, count[2] = {3, 4};
    weft_distribution bare = WEFT(distribution_boxes)(WORLD, 2, N(3 * ranks, 4), start, count);
    weft_distribution made = WEFT(distribution_embedded)(bare, odd ? N(rows, columns) : N(3, 5),
                                                         odd ? N(row, column) : N(0, 0));
    WEFT(distribution_free)(bare);
    return made;
}

static ptrdiff_t on_grid(int process, int axes, ptrdiff_t n0, ptrdiff_t howmany, weft_grid grid,
                         int kind, unsigned flags)
{
    return WEFT(local_size_process)(process, axes, N(n0, 8, 8), howmany, grid, kind, flags, NULL,
                                    NULL, NULL, NULL);
}

static bool is_size; /* the case prints nothing */

/* Makes the call of case *which; its result must be NULL or 0. Returns a text that the error must
 * contain. Returns NULL if there is no such case, and subtracts the number of cases from *which. */
static const char *made(int *which, const void **result)
{
    const bool first = rank == 0;
    const ptrdiff_t all[3] = {8, 8, 8}, zero[3] = {0};
    const ptrdiff_t hole[3] = {first ? 7 : 0, 8, 8}, beyond[3] = {first ? 1 : 0, 0, 0};
    const int products[3][2] = {{ranks + 1, 1}, {ranks + 1, 0}, {1 << 20, 1 << 20}};
    static const char unaligned[] = "needs a side whose first axis is whole";
    ptrdiff_t to[4];
#define SIZE(call, text) CASE((is_size = true, (const void *)(intptr_t)(call)), text)
#define CASE(call, text)                                                                           \
    if ((*which)-- == 0) {                                                                         \
        *result = call;                                                                            \
        return text;                                                                               \
    }
    CASE(dft(2, N(0, 4), 1, 0, -1, GOOD), "n[0] is 0")
    CASE(dft(2, N(4, -7), 1, 0, -1, GOOD), "n[1] is -7")
    CASE(dft(0, N(4, 4), 1, 0, -1, GOOD), "the rank is 0")
    CASE(dft(-1, N(4, 4), 1, 0, -1, GOOD), "the rank is -1")
    CASE(dft(1000, N(4, 4), 1, 0, -1, GOOD), "the rank is 1000")
    CASE(dft(2, NULL, 1, 0, -1, GOOD), "NULL")
    CASE(dft(2, N(4, 4), -2, 0, -1, GOOD), "howmany is -2")
    CASE(dft(2, N(4, 4), 1, -3, -1, GOOD), "a block is -3")
    CASE(dft(2, N(4, 4), 1, 0, -1, GOOD | 1U << 31), "unknown bits, 0x80000000")
    CASE(dft(2, N(PTRDIFF_MAX / 2, 4), 1, 0, -1, GOOD), "more bytes than can be counted")
    CASE(dft(3, N(1 << 30, 1 << 30, 1 << 30), 1, 0, -1, GOOD), "more bytes than can be counted")
    CASE(dft(2, N(1 << 30, 4), PTRDIFF_MAX / 8, 0, -1, GOOD), "more bytes than can be counted")
    CASE(dft(1, N(16), 1, 0, -1, GOOD | FFTW_MPI_TRANSPOSED_OUT), "need at least two dimensions")
    CASE(dft(2, N(4, 4), 1, 0, -1, GOOD | FFTW_MPI_SCRAMBLED_IN), "need an array of one dimension")
    CASE(FFTW(mpi_plan_dft_2d)(4, 4, a, b, MPI_COMM_NULL, -1, GOOD), "MPI_COMM_NULL")
    CASE(FFTW(mpi_plan_dft_r2c)(1, N(16), ra, b, WORLD, GOOD), "the rank is 1")
    CASE(FFTW(mpi_plan_dft_c2r)(1, N(16), a, rb, WORLD, GOOD), "the rank is 1")
    CASE(FFTW(mpi_plan_dft_r2c_2d)(4, 4, ra, b, WORLD, GOOD | FFTW_MPI_TRANSPOSED_IN), "real side")
    CASE(FFTW(mpi_plan_dft_c2r_2d)(4, 4, a, rb, WORLD, GOOD | FFTW_MPI_TRANSPOSED_OUT), "real side")
    CASE(cosine(6, 99), "kind[0] is 99")
    CASE(cosine(6, -1), "kind[0] is -1")
    CASE(cosine(1, FFTW_REDFT00), "for FFTW_REDFT00 it must be at least 2")
    CASE(FFTW(mpi_plan_r2r)(2, N(4, 4), ra, rb, WORLD, NULL, GOOD), "kinds is NULL")
    CASE(FFTW(mpi_plan_r2r)(1, N(4), ra, rb, WORLD, dct, GOOD | FFTW_MPI_SCRAMBLED_OUT), "complex")
    for (int i = 0; i < 3; i++)
        CASE(WEFT(grid_create)(WORLD, 2, products[i]), "the product of the grid's dimensions")
    CASE(WEFT(grid_create)(WORLD, 2, D(-1, 0)), "dimension 0 of the grid is -1")
    CASE(WEFT(grid_create)(WORLD, 0, NULL), "the grid has 0 dimensions")
    CASE(WEFT(grid_create)(WORLD, 1000, NULL), "the grid has 1000 dimensions")
    CASE(WEFT(grid_create)(MPI_COMM_NULL, 2, NULL), "MPI_COMM_NULL")
    CASE(WEFT(plan_dft_2d)(8, 8, a, b, two, FFTW_FORWARD, GOOD),
         "the grid has 2 dimensions and the array 2 axes")
    CASE(WEFT(plan_dft)(1, N(64), a, b, one, FFTW_FORWARD, GOOD), "the rank is 1")
    CASE(on(NULL, FFTW_FORWARD, 0), "the grid is NULL")
    CASE(on(two, 5, 0), "sign is 5")
    CASE(on(two, FFTW_FORWARD, WEFT_TRANSPOSED_IN), unaligned)
    CASE(on(two, FFTW_BACKWARD, WEFT_TRANSPOSED_OUT), unaligned)
    CASE(WEFT(plan_dft_r2c_3d)(8, 8, 8, ra, b, two, GOOD | WEFT_REVERSED), "WEFT_REVERSED")
    CASE(on(two, -1, WEFT_REVERSED | WEFT_SAME_LAYOUT), "WEFT_REVERSED")
    CASE(WEFT(plan_dft_r2c_3d)(8, 8, 8, ra, a, two, GOOD | WEFT_UNPADDED), "WEFT_UNPADDED")
    CASE(WEFT(plan_r2r_3d)(8, 8, 8, ra, rb, two, dct[0], (FFTW(r2r_kind))99, dct[0], GOOD),
         "kind[1] is 99")
    CASE(kinds(D(R2C, NONE, NONE)), "kind[0] is r2c or c2r")
    CASE(kinds(D(F, B, NONE)), "must have the same direction")
    CASE(kinds(D(B, NONE, R2C)), "must have the same direction")
    CASE(kinds(D(NONE, WEFT_R2R, NONE)), "kind[1] is")
    CASE(kinds(NULL), "NULL")
    CASE(operator(D(F, F, F), NULL, 0), "the operator is NULL")
    CASE(operator(D(B, NONE, R2C), WEFT(derivative), 0), "must have the same direction")
    CASE(WEFT(plan_operator)(1, N(8), NULL, 1, a, b, NULL, D(F), WEFT(derivative), NULL, WORLD,
                             GOOD),
         "with an operator it must be at least 2")
    CASE(fields(1, -1, b), "howmany is -1")
    CASE(fields(1, 2, a), "the output has another number of fields than the input")
    CASE(convolution(D(B, FFTW_DHT, NONE)), "kind[1] must be")
    CASE(convolution(D(NONE, NONE, R2C)), "kind[2] must be")
    CASE(operator(D(NONE, NONE, R2C), WEFT(derivative), WEFT_ROWS),
         "WEFT_ROWS cannot be combined with an operator")
    CASE(operator(D(NONE, NONE, R2C), WEFT(derivative), WEFT_REVERSED), "WEFT_REVERSED")
    CASE(times(D(NONE, NONE, R2C), NULL, 0), "the array of factors is NULL")
    CASE(times(D(NONE, FFTW_REDFT10, NONE), ra, 1),
         "the factors are complex, but r2r and c2r give real numbers")
    CASE(WEFT(plan_dft_3d)(8, 8, 8, NULL, NULL, two, 0, GOOD), "sign is 0")
    CASE(boxes(3, zero, hole), "leave a hole: they contain 448 of 512")
    CASE(boxes(3, beyond, all), "the box of rank 0 has 8 indices from index 1 on")
    CASE(boxes(3, N(first ? -1 : 0, 0, 0), all), "the box of rank 0 has 8 indices from index -1 on")
    CASE(boxes(3, zero, N(first ? -2 : 8, 8, 8)), "the box of rank 0 has -2")
    CASE(boxes(3, N(0, 0, first ? 7 : 0), N(8, 8, PTRDIFF_MAX)), "the box of rank 0 has")
    CASE(boxes(3, zero, N(0, 8, 8)), "leave a hole: they contain 0 of 512")
    CASE(boxes(3, NULL, all), "the start or the count of the box is NULL")
    CASE(boxes(0, zero, all), "the rank is 0")
    CASE(WEFT(distribution_boxes)(MPI_COMM_NULL, 3, N(8, 8, 8), zero, all), "MPI_COMM_NULL")
    CASE(WEFT(distribution_grid)(two, 1, N(8), NULL, 0), "the grid has 2 dimensions for 1 axes")
    CASE(WEFT(distribution_grid)(two, 3, N(8, 8, 8), D(1, 1), 0), "to divide axis 1")
    CASE(WEFT(distribution_grid)(two, 3, N(8, 8, 8), D(0, 3), 0), "to divide axis 3")
    CASE(WEFT(distribution_grid)(two, 3, N(8, 8, 8), NULL, WEFT_UNPADDED), "the flags are 0x")
    CASE(WEFT(distribution_grid)(NULL, 3, N(8, 8, 8), NULL, 0), "the grid is NULL")
    CASE(WEFT(plan_redistribute)(whole, NULL, 1, ra, rb, GOOD), "a distribution is NULL")
    CASE(WEFT(plan_redistribute)(whole, other_size, 1, ra, rb, GOOD),
         "axis 2 has a size of 8 in one distribution, of 9 in the other")
    CASE(WEFT(plan_redistribute)(whole, other_axes, 1, ra, rb, GOOD),
         "one distribution has 3 axes, the other 2")
    CASE(WEFT(plan_redistribute)(whole, cube, -3, ra, rb, GOOD), "howmany is -3")
    CASE(WEFT(plan_redistribute)(whole, cube, 1, ra, rb, GOOD | 1U << 24), "unknown bits")
    CASE(WEFT(plan_redistribute_boxes)(3, N(8, 8, 8), 1, zero, hole, zero, hole, ra, rb, WORLD,
                                       GOOD),
         "leave a hole")
    CASE(tuned(WORLD, 3, 8, WEFT_R2R), "the grid has 3 dimensions and the array 3 axes")
    CASE(tuned(WORLD, 0, 8, WEFT_R2R), "the grid has 0 dimensions")
    CASE(tuned(WORLD, 2, 8, 7), "the kind is 7")
    CASE(tuned(WORLD, 2, -8, WEFT_R2R), "n[1] is -8")
    CASE(tuned(MPI_COMM_NULL, 2, 8, WEFT_R2R), "MPI_COMM_NULL")
    CASE(WEFT(plan_between)(NULL, NULL, 1, a, b, D(0, 0, 0), GOOD), "both distributions are NULL")
    CASE(WEFT(plan_between_modes)(NULL, NULL, N(8, 8, 8), 1, a, b, D(0, 0, 0), GOOD),
         "both distributions are NULL")
    CASE(WEFT(plan_between)(NULL, NULL, 1, a, b, NULL, GOOD), "both distributions are NULL")
    CASE(WEFT(plan_r2r_3d)(8, 8, 8, ra, rb, two, dct[0], dct[0], (FFTW(r2r_kind))B, GOOD),
         "kind[2] is 66")
    CASE(dft(2, N(4, 4), rank == ranks - 1 ? -1 : 1, 0, -1, GOOD), "howmany is -1")
    CASE(dft(2, N(ranks + 1, 8), 1, 1, -1, GOOD), "the block is 1")
    CASE(from_six(N(6, 6, 6), NULL, D(F, F, R2C), b), "n / 2 + 1")
    CASE(from_six(N(6, 6, 4), NULL, D(F, F, F), b), "size of 6")
    CASE(from_six(N(6, 6, 11), NULL, D(F, F, C2R), b), "must have the same direction")
    CASE(from_six(N(6, 6, 4), NULL, D(F, F, R2C), a), "two arrays")
    CASE(from_six(N(6, 6, 6), NULL, D(F, 1000, F), b), "kind[1] is 1000")
    CASE(from_six(N(13, 6, 6), N(13, 6, 6), D(F, F, F), b),
         "modes[0] is 13; for 6 points it must be 1 to 12")
    CASE(from_six(N(6, 1, 6), N(6, 0, 6), D(F, F, F), b), "modes[1] is 0")
    CASE(from_six(N(6, 4, 4), N(6, 4, 6), D(F, NONE, R2C), b), "axis 1 has")
    CASE(from_six(N(6, 6, 4), N(6, 4, 6), D(F, NONE, R2C), b), "only axes with Fourier transforms")
    CASE(from_six(N(5, 6, 6), N(4, 6, 6), D(F, F, F), b), "has a size of 5")
    CASE(from_six(N(6, 6, 8), N(6, 6, 8), D(F, F, R2C), b), "modes / 2 + 1")
    CASE(from_six(N(6, 6, 3), N(6, 6, 4), D(F, F, R2C), a), "two arrays")
    CASE(WEFT(plan_between_modes)(six, six, NULL, 1, a, b, D(F, F, F), GOOD), "modes is NULL")
    for (int of_one = 0; of_one < 2; of_one++) {
        CASE(in_arrays(of_one, 2, 4, 0, 0),
             "3 indices along axis 0 does not fit an enclosing array of 2")
        CASE(in_arrays(of_one, 3, 4, 0, 1),
             "4 indices along axis 1 does not fit an enclosing array of 4 indices at offset 1")
        CASE(in_arrays(of_one, 4, 4, -1, 0), "at offset -1")
        CASE(in_arrays(of_one, -5, 4, 0, 0), "array of -5")
        CASE(in_arrays(of_one, PTRDIFF_MAX / 2, 8, 0, 0), "than can be counted")
    }
    CASE(WEFT(distribution_embedded)(six, N(6, 6, 7), NULL), "offsets is NULL")
    CASE(WEFT(distribution_embedded)(NULL, N(6, 6, 7), zero), "is NULL")
    SIZE(FFTW(mpi_local_size_2d)(0, 4, WORLD, &to[0], &to[1]), "n[0] is 0")
    SIZE(FFTW(mpi_local_size_many)(2, N(4, 4), -1, 0, WORLD, &to[0], &to[1]), "howmany is -1")
    SIZE(FFTW(mpi_local_size_many)(2, N(4, 4), 1, -9, WORLD, &to[0], &to[1]), "a block is -9")
    SIZE(FFTW(mpi_local_size)(-1, N(4, 4), WORLD, &to[0], &to[1]), "the rank is -1")
    SIZE(FFTW(mpi_local_size)(2, NULL, WORLD, &to[0], &to[1]), "NULL")
    SIZE(FFTW(mpi_local_size_2d)(4, 4, MPI_COMM_NULL, &to[0], &to[1]), "MPI_COMM_NULL")
    SIZE(FFTW(mpi_local_size_1d)(16, WORLD, 1, 1U << 31, &to[0], &to[1], &to[2], &to[3]), "unknown")
    SIZE(FFTW(mpi_local_size_3d)(1 << 30, 1 << 30, 1 << 30, WORLD, &to[0], &to[1]), "counted")
    SIZE(FFTW(mpi_local_size_2d_transposed)(4, 0, WORLD, &to[0], &to[1], &to[2], &to[3]),
         "n[1] is 0")
    SIZE(on_grid(0, 3, 8, 1, NULL, WEFT_R2R, 0), "the grid is NULL")
    SIZE(on_grid(-1, 3, 8, 1, two, WEFT_R2R, 0), "the process is -1; it must be 0 to")
    SIZE(on_grid(10000, 3, 8, 1, two, WEFT_R2R, 0), "the process is 10000; it must be 0 to")
    SIZE(on_grid(0, 3, 0, 1, two, WEFT_R2R, 0), "n[0] is 0")
    SIZE(on_grid(0, 3, 8, -1, two, WEFT_R2R, 0), "howmany is -1")
    SIZE(on_grid(0, 2, 8, 1, two, WEFT_R2R, 0), "the grid has 2 dimensions and the array 2 axes")
    SIZE(on_grid(0, 3, 8, 1, two, NONE, 0), "the kind is 64")
    SIZE(on_grid(0, 3, 8, 1, two, FFTW_REDFT10, 0), "the kind is")
    SIZE(on_grid(0, 3, 8, 1, two, C2R, WEFT_TRANSPOSED_OUT), unaligned)
    SIZE(on_grid(0, 3, 8, 1, two, WEFT_R2R, 1U << 31), "unknown bits")
    SIZE(WEFT(grid_dims)(NULL, NULL), "")
    SIZE(WEFT(distribution_box)(NULL, 0, NULL, NULL), "has no process 0")
    SIZE(WEFT(distribution_box)(whole, ranks, NULL, NULL), "has no process")
    SIZE(WEFT(distribution_box)(whole, -1, NULL, NULL), "has no process -1")
    if (ranks == 1)
        return NULL;
    CASE(dft(2, N(4, 6), 1, 4, -1, GOOD | (rank == ranks - 1 ? FFTW_DESTROY_INPUT : 0)),
         "--flags destroy-input 4x6 with")
    CASE(other_modes(), "--modes")
    CASE(FFTW(mpi_plan_dft_2d)(4, 4, a, b, across, -1, GOOD), "inter-communicator")
    CASE(WEFT(plan_redistribute)(whole, lonely, 1, ra, rb, GOOD),
         "the distributions belong to different communicators")
    CASE(boxes(3, zero, all), "the boxes of ranks 0 and 1 overlap")
#undef CASE
#undef SIZE
    return NULL;
}

enum { MOST = 1000 };

static int bad_arguments(void)
{
    const void *result;
    int beyond = MOST;
    made(&beyond, &result);
    return MOST - beyond;
}

TEST(bad_arguments_make_nothing, .count = bad_arguments)
{
    const void *result = NULL;
    int which = _i;
    const char *text = made(&which, &result);
    all_true(result == NULL, "case %d: made, where the error is \"%s\"", _i, text);
    all_true(strstr(WEFT(last_error)(), text) != NULL, "case %d: \"%s\" does not say \"%s\"", _i,
             WEFT(last_error)(), text);
}

/* Returns the number of bytes that a bad call prints; `text` gets the beginning. */
static long printed(int which, char text[200])
{
    const void *result = NULL;
    capture();
    made(&which, &result);
    return captured(text, 200);
}

TEST(nothing_is_printed_unless_asked_for)
{
    char text[200];
    for (int which = 0; which < 30; which++) {
        const long bytes = printed(which, text);
        all_true(bytes == 0, "case %d prints \"%s\"", which, text);
    }
    setenv("WEFT_VERBOSE", "1", 1);
    for (int which = bad_arguments() - 1; which >= 0; which--) {
        is_size = false;
        const long bytes = printed(which, text);
        all_true(rank > 0 ? which > 0 || bytes == 0 : is_size || strstr(text, "weft: "),
                 "case %d prints \"%s\"", which, text);
    }
    unsetenv("WEFT_VERBOSE");
}

/* A loop over these numbers would take minutes. The test has no arrays and runs no plan. */
TEST(numbers_beyond_memory_take_no_time, .to = 2)
{
    static const ptrdiff_t howmany[] = {PTRDIFF_MAX / 1048576, PTRDIFF_MAX / 32768};
    FFTW(plan)
    plan = FFTW(mpi_plan_many_dft)(3, N(5, 10, 6), howmany[_i], 0, 0, NULL, NULL, WORLD, -1, GOOD);
    all_true(plan || strstr(WEFT(last_error)(), "no memory") ||
                 strstr(WEFT(last_error)(), "counted"),
             "%s", WEFT(last_error)());
    FFTW(destroy_plan)(plan);
}

TEST(errors_are_forgotten_by_the_next_plan)
{
    FFTW(plan) plan = dft(2, N(0, 4), 1, 0, -1, GOOD);
    all_true(plan == NULL && WEFT(last_error)()[0] != '\0', "no error");
    plan = dft(2, N(4, 4), 1, 0, -1, GOOD);
    all_true(plan != NULL && WEFT(last_error)()[0] == '\0', "\"%s\"", WEFT(last_error)());
    FFTW(destroy_plan)(plan);
}

/* The bytes of the grid can be counted. The bytes of a spectrum with twice as many modes along both
 * axes cannot; of long double even the grid has no addresses. */
TEST(arrays_too_large_to_count_are_refused)
{
    static const int kind[2] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD};
    const ptrdiff_t large = (ptrdiff_t)1 << (sizeof(ptrdiff_t) > 4 ? 27 : 11),
                    n[2] = {2 * large, large}, modes[2] = {4 * large, 2 * large};
    weft_distribution side[2] = {slabs(2, n), slabs(2, modes)};
    FFTW(plan)
    plan = WEFT(plan_between_modes)(side[0], side[1], modes, 2, NULL, NULL, kind, FFTW_ESTIMATE);
    const char *said = WEFT(last_error)();
    all_true(side[1] && !plan &&
                 (strstr(said, "more bytes than can be counted") ||
                  (sizeof(weft_real) > sizeof(double) && strstr(said, "than can be addressed"))),
             "planned, or \"%s\"", said);
    WEFT(distribution_free)(side[0]);
    WEFT(distribution_free)(side[1]);
    weft_distribution bare = slabs(2, N(3, 4));
    side[0] = WEFT(distribution_embedded)(bare, N(PTRDIFF_MAX / 16, 4), N(0, 0));
    all_true(side[0], "%s", WEFT(last_error)());
    plan = WEFT(plan_between)(side[0], bare, 1, NULL, NULL, kind, FFTW_ESTIMATE);
    all_true(!plan && WEFT(last_error)()[0], "a plan for an array beyond any memory");
    WEFT(distribution_free)(side[0]);
    WEFT(distribution_free)(bare);
}

static void make_good_ones(void)
{
    ptrdiff_t start[3] = {0}, count[3] = {0};
    two = WEFT(grid_create)(WORLD, 2, NULL);
    one = WEFT(grid_create)(WORLD, 1, NULL);
    alone = WEFT(grid_create)(MPI_COMM_SELF, 1, NULL);
    whole = WEFT(distribution_grid)(one, 3, N(8, 8, 8), NULL, 0);
    cube = WEFT(distribution_grid)(two, 3, N(8, 8, 8), D(2, 0), WEFT_FFTW_BLOCKS);
    other_size = WEFT(distribution_grid)(one, 3, N(8, 8, 9), NULL, 0);
    lonely = WEFT(distribution_grid)(alone, 3, N(8, 8, 8), NULL, 0);
    for (int axis = 0; rank == 0 && axis < 2; axis++)
        count[axis] = 8;
    other_axes = WEFT(distribution_boxes)(WORLD, 2, N(8, 8), start, count);
    six = slabs(3, N(6, 6, 6));
    if (ranks == 1)
        return;
    MPI_Comm_split(WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 1, &across);
}

TEST(good_arguments_are_accepted)
{
    all_true(two && one && alone && whole && cube && other_size && other_axes && lonely, "%s",
             WEFT(last_error)());
    FFTW(plan) plan = WEFT(plan_redistribute)(whole, cube, 1, ra, rb, GOOD);
    all_true(plan && WEFT(last_error)()[0] == '\0', "\"%s\"", WEFT(last_error)());
    FFTW(destroy_plan)(plan);
}

/* MPICH's MPI_Dims_create chooses at most 20 dimensions. */
TEST(many_dimensions_can_be_chosen, .to = 3)
{
    static const int rows[] = {20, 21, 30};
    const int axes = rows[_i];
    int given[30] = {0}, dims[30] = {0}, product = 1;
    given[3] = ranks % 2 == 0 ? 2 : 1;
    weft_grid grid = WEFT(grid_create)(WORLD, axes, _i ? NULL : given);
    WEFT(grid_dims)(grid, dims);
    for (int g = 0; g < axes; g++)
        product *= dims[g];
    all_true(grid && product == ranks && (_i || dims[3] == given[3]), "%d dimensions: %d, \"%s\"",
             axes, product, WEFT(last_error)());
    WEFT(grid_free)(grid);
}

static void free_good_ones(void)
{
    weft_distribution distributions[] = {whole, cube, other_size, other_axes, lonely, six, NULL};
    weft_grid grids[] = {NULL, two, one, alone};
    for (int i = 0; i < NUMBER(distributions); i++)
        WEFT(distribution_free)(distributions[i]);
    for (int i = 0; i < NUMBER(grids); i++)
        WEFT(grid_free)(grids[i]);
    if (ranks == 1)
        return;
    MPI_Comm_free(&across);
    MPI_Comm_free(&half);
}

AROUND(.begin = make_good_ones, .end = free_good_ones)
