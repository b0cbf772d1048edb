/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * While MPI runs, MPI_Abort ends all ranks: otherwise the others would wait for this one. Launchers
 * may drop output that was printed just before the abort, so this rank first waits 0.3 s.
 */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "backends/exchange/abort.h"

void weft_abort(const char *format, ...)
{
    char text[1024]; /* one call prints it, so that sentences of ranks do not mix */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "weft: %s\n", text);
    nanosleep(&(struct timespec){.tv_nsec = 300 * 1000 * 1000}, NULL);
    if (weft_has_world())
        MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

bool weft_mpi_is_over(void)
{
    int over = 0;
    MPI_Finalized(&over);
    return over;
}

bool weft_has_world(void)
{
    int begun = 0;
    MPI_Initialized(&begun);
    return begun && !weft_mpi_is_over();
}

int weft_process_rank(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(weft_has_world() ? MPI_COMM_WORLD : comm, &rank);
    return rank;
}

weft_handler weft_handler_replace(MPI_Comm comm, MPI_Errhandler by)
{
    weft_handler was = {.comm = comm, .handler = MPI_ERRHANDLER_NULL};
    MPI_Comm_get_errhandler(comm, &was.handler);
    MPI_Comm_set_errhandler(comm, by);
    return was;
}

void weft_handler_restore(weft_handler *was)
{
    if (was->handler == MPI_ERRHANDLER_NULL)
        return;
    MPI_Comm_set_errhandler(was->comm, was->handler);
    MPI_Errhandler_free(&was->handler);
}

const char *weft_mpi_error(int code, char text[MPI_MAX_ERROR_STRING])
{
    int length;
    MPI_Error_string(code, text, &length);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

void weft_mpi_must(int code)
{
    char text[MPI_MAX_ERROR_STRING];
    if (code != MPI_SUCCESS)
        weft_abort("an MPI call in the run of a plan failed: %s", weft_mpi_error(code, text));
}
