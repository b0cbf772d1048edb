/* SPDX-License-Identifier: BSD-3-Clause */
/* While MPI runs, MPI_Abort ends all ranks: otherwise the others would wait for this one. Launchers
 * may drop output that was printed just before the abort, so this rank first waits 0.3 s. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "backends/exchange/abort.h"

void weft_abort(const char *format, ...)
{
    int begun = 0, over = 0;
    char text[1024]; /* one call prints it, so that sentences of ranks do not mix */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "weft: %s\n", text);
    nanosleep(&(struct timespec){.tv_nsec = 300 * 1000 * 1000}, NULL);
    MPI_Initialized(&begun);
    MPI_Finalized(&over);
    if (begun && !over)
        MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}
