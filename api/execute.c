/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs plans on other arrays than those of planning. Like fftw_execute, these functions are
 * collective. FFTW's functions among them return no error, so a handle that is not a plan of this
 * library ends the program; execute_r2r, however, runs every plan that fftw_execute_r2r runs, as
 * FFTW-MPI's does.
 */
#include "api/entries.h"
#include "backends/exchange/abort.h"
#include "planner/handle.h"
#include "kernels/base/error.h"
#include "api/planning.h"
#include "api/weft.h"

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

int WEFT(execute_start)(FFTW(plan) plan, void *in, void *out)
{
    weft_error_clear();
    return weft_handle_start(OWN_NAME("execute_start"), plan, in, out);
}

int WEFT(execute_test)(FFTW(plan) plan)
{
    bool arrived;
    weft_error_clear();
    return weft_handle_test(OWN_NAME("execute_test"), plan, &arrived) && arrived;
}

int WEFT(execute_finish)(FFTW(plan) plan)
{
    weft_error_clear();
    return weft_handle_finish(OWN_NAME("execute_finish"), plan);
}

/* Checks that all plans are Weft's and can start, and that none is in the list twice. */
static bool startable(const char *function, int count, FFTW(plan) * plans, void **in, void **out)
{
    if (count > 0 && (!in || !out))
        return weft_error("%s: the array of inputs or of outputs is NULL", function);
    if (count < 0 || (count > 0 && !plans))
        return weft_error("%s: the number of plans is %d, or their array is NULL; the number must "
                          "not be negative, and only 0 plans may have no array",
                          function, count);
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++)
            if (plans[i] == plans[j])
                return weft_error(
                    "%s: plans %d and %d are the same plan; each plan may be in the list once",
                    function, j, i);
        if (!weft_handle_idle(function, plans[i]))
            return false;
    }
    return true;
}

int WEFT(execute_many)(int count, FFTW(plan) * plans, void **in, void **out)
{
    const char *function = OWN_NAME("execute_many");
    weft_error_clear();
    if (!startable(function, count, plans, in, out))
        return 0;
    for (int i = 0; i <= count; i++) {
        if (i < count && !weft_handle_start(function, plans[i], in[i], out[i]))
            return 0;
        if (i > 0)
            weft_handle_finish(function, plans[i - 1]);
    }
    return 1;
}
