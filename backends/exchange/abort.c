/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI ends the ranks, while it runs: else the others would wait for this one. Launchers drop what
 * was printed just before, so they are given time to pass it on. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "backends/exchange/abort.h"

void weft_abort(const char *format, ...)
{
    int begun = 0, over = 0;
    char text[1024]; /* printed by one call, so that ranks do not mix their sentences */
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
