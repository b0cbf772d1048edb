/* SPDX-License-Identifier: BSD-3-Clause */
/* WEFT_WIRE=float: messages carry doubles as floats, with every backend of the table. */
#include "api/fftw3-mpi.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"
#include "api/weft.h"

static int backends(void)
{
    int count = 0;
    while (WEFT(backend_name)(count))
        count++;
    return count;
}

static const struct {
    bool in_place;
    unsigned flags;
} wires[] = {
    {false, 0},
    {true, 0},
    {false, FFTW_MPI_TRANSPOSED_OUT},
    {true, FFTW_MPI_TRANSPOSED_OUT},
    {true, FFTW_CONSERVE_MEMORY},
};

enum { N0 = 16, N1 = 16, N2 = 6, POINTS = N0 * N1 * N2 };

static weft_real value_at(ptrdiff_t i)
{
    return (weft_real)(i * 7919 % 1000) / 997 - (weft_real)0.5;
}

/* The spectrum by serial FFTW, whose largest number is `largest`. */
static void whole_spectrum(FFTW(complex) * whole, double *largest)
{
    FFTW(plan) plan = FFTW(plan_dft_3d)(N0, N1, N2, whole, whole, FFTW_FORWARD, FFTW_ESTIMATE);
    for (ptrdiff_t i = 0; i < POINTS; i++)
        whole[i][0] = value_at(2 * i), whole[i][1] = value_at(2 * i + 1);
    FFTW(execute)(plan);
    FFTW(destroy_plan)(plan);
    for (ptrdiff_t i = 0; i < POINTS; i++)
        *largest = fmax(*largest, hypot((double)whole[i][0], (double)whole[i][1]));
}

/* The largest error of a transform, as a part of the largest number; negative: there is no plan. */
static double wire_error(int i, const FFTW(complex) * whole, double largest)
{
    const bool transposed = wires[i].flags & FFTW_MPI_TRANSPOSED_OUT;
    ptrdiff_t rows, first, out_rows, out_first;
    const ptrdiff_t local = FFTW(mpi_local_size_3d_transposed)(N0, N1, N2, MPI_COMM_WORLD, &rows,
                                                               &first, &out_rows, &out_first);
    FFTW(complex) *in = FFTW(alloc_complex)((size_t)local + 1);
    FFTW(complex) *out = wires[i].in_place ? in : FFTW(alloc_complex)((size_t)local + 1);
    FFTW(plan)
    plan = FFTW(mpi_plan_dft_3d)(N0, N1, N2, in, out, MPI_COMM_WORLD, FFTW_FORWARD,
                                 FFTW_ESTIMATE | wires[i].flags);
    for (ptrdiff_t at = 0; at < rows * N1 * N2; at++) {
        in[at][0] = value_at(2 * (first * N1 * N2 + at));
        in[at][1] = value_at(2 * (first * N1 * N2 + at) + 1);
    }
    if (plan)
        FFTW(execute)(plan);
    double error = plan ? 0 : -1, worst;
    for (ptrdiff_t at = 0; plan && at < (transposed ? out_rows * N0 : rows * N1) * N2; at++) {
        const ptrdiff_t row = at / N2 / N0, column = at / N2 % N0,
                        there = transposed ? (column * N1 + out_first + row) * N2 + at % N2
                                           : first * N1 * N2 + at;
        error = fmax(error, hypot((double)(out[at][0] - whole[there][0]),
                                  (double)(out[at][1] - whole[there][1])));
    }
    MPI_Allreduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    FFTW(destroy_plan)(plan);
    if (out != in)
        FFTW(free)(out);
    FFTW(free)(in);
    return worst / largest;
}

/* Whether a transposition, which transforms nothing, moves the numbers as they are. */
static bool transposes_exactly(void)
{
    ptrdiff_t rows, first, out_rows, out_first;
    const ptrdiff_t local = FFTW(mpi_local_size_2d_transposed)(N0, N1, MPI_COMM_WORLD, &rows,
                                                               &first, &out_rows, &out_first);
    weft_real *array = FFTW(alloc_real)(2 * (size_t)local + 1);
    FFTW(plan)
    plan = FFTW(mpi_plan_transpose)(N0, N1, array, array, MPI_COMM_WORLD, FFTW_ESTIMATE);
    bool exact = plan;
    for (ptrdiff_t at = 0; at < rows * N1; at++)
        array[at] = value_at(first * N1 + at);
    if (plan)
        FFTW(execute)(plan);
    for (ptrdiff_t at = 0; at < out_rows * N0; at++)
        exact &= array[at] == value_at(at % N0 * N1 + out_first + at / N0);
    FFTW(destroy_plan)(plan);
    FFTW(free)(array);
    return exact;
}

/* With WEFT_WIRE=float, messages are rounded to floats; without it, never. */
TEST(messages_carry_floats_only_if_asked_to, .count = backends)
{
    FFTW(complex) *whole = FFTW(alloc_complex)(POINTS);
    double largest = 0;
    const char *const name = WEFT(backend_name)(_i);
    whole_spectrum(whole, &largest);
    setenv("WEFT_BACKEND", name, 1);
    for (size_t i = 0; i < sizeof wires / sizeof *wires; i++) {
        const double exact = wire_error((int)i, whole, largest);
        if (rank == 0) /* only the setting of rank 0 counts */
            setenv("WEFT_WIRE", "float", 1);
        const double rounded = wire_error((int)i, whole, largest);
        const char *said = WEFT(last_error)();
        unsetenv("WEFT_WIRE");
        all_true(exact < 1e-14, "%s: wrong by %g", name, exact);
        if (exact < 0) /* this backend is not for these ranks */
            continue;
        const bool shared = strcmp(name, "shared") == 0;
        if (shared && ranks > 1)
            all_true(rounded < 0 && strstr(said, "WEFT_WIRE=float is for"), "%s: \"%s\"", name,
                     said);
        else
            all_true(ranks == 1 ? rounded < 1e-14 : rounded > 1e-10 && rounded < 1e-7,
                     "%s, case %zu: wrong by %g, \"%s\"", name, i, rounded, said);
    }
    setenv("WEFT_BACKEND", "waitall", 1);
    if (rank == 0)
        setenv("WEFT_WIRE", "float", 1);
    const bool exact = transposes_exactly();
    unsetenv("WEFT_WIRE");
    unsetenv("WEFT_BACKEND");
    all_true(exact, "a transposition: \"%s\"", WEFT(last_error)());
    FFTW(free)(whole);
}
