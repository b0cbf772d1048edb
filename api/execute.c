/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans on other arrays than those of planning; collective, as fftw_execute is. */
#include "api/entries.h"
#include "kernels/base/error.h"
#include "planner/handle.h"
#include "api/names.h"

static void execute(const char *function, FFTW(plan) plan, void *in, void *out)
{
    if (!weft_handle_run(plan, in, out))
        weft_error("%s: the plan was not made by a function of this library", function);
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
    execute(NAME("execute_r2r"), p, in, out);
}
