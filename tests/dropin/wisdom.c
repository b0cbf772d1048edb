/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with only serial FFTW: reads wisdom from WISDOM_FROM, makes a plan, and writes wisdom
 * to WISDOM_TO. */
#include <fftw3.h>
#include <stdlib.h>

int main(void)
{
    double *array = fftw_alloc_real(100);
    const char *from = getenv("WISDOM_FROM");
    const int read = !from || fftw_import_wisdom_from_filename(from);
    fftw_destroy_plan(fftw_plan_r2r_1d(100, array, array, FFTW_R2HC, FFTW_MEASURE));
    fftw_free(array);
    return !(read && fftw_export_wisdom_to_filename(getenv("WISDOM_TO")));
}
