/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans on other arrays than those of planning; collective, as fftw_execute is. What is no plan of
 * this library's ends the program, since there is nobody to tell; but as FFTW-MPI's, execute_r2r
 * runs all that fftw_execute_r2r does.
 */
#include "api/entries.h"
#include "planner/abort.h"
#include "planner/handle.h"
#include "api/names.h"

static void check(const char *function, FFTW(plan) plan)
{
    if (!plan)
        weft_abort("%s: the plan is NULL; planning failed, and WEFT_VERBOSE=1 makes it say why",
                   function);
}

static void execute(const char *function, FFTW(plan) plan, void *in, void *out)
{
    check(function, plan);
    if (!weft_handle_run(plan, in, out))
        weft_abort("%s: the plan was not made by a function of fftw%s_mpi or weft", function,
                   WEFT_LETTER);
}

void weft_mpi_execute_dft(FFTW(plan) p, FFTW(complex) * in, FFTW(complex) * out)
{
    execute(NAME("execute_dft"), p, in, out);
}

void weft_mpi_execute_dft_r2c(FFTW(plan) p, weft_real *in, FFTW(complex) * out)
{
    execute(NAME("execute_dft_r2c"), p, in, out);
}

void weft_mpi_execute_dft_c2r(FFTW(plan) p, FFTW(complex) * in, weft_real *out)
{
    execute(NAME("execute_dft_c2r"), p, in, out);
}

void weft_mpi_execute_r2r(FFTW(plan) p, weft_real *in, weft_real *out)
{
    check(NAME("execute_r2r"), p);
    if (!weft_handle_run(p, in, out))
        FFTW(execute_r2r)(p, in, out);
}
