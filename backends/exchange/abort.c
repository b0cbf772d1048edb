/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * While MPI runs, MPI_Abort ends all ranks: otherwise the others would wait for this one. Launchers
 * may drop output that was printed just before the abort, so this rank first waits 0.3 s.
 *
 * MPI_Finalize first deletes the attributes of MPI_COMM_SELF, while MPI still works. The deletion
 * calls the functions of weft_at_finalize.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "backends/exchange/abort.h"
#include "kernels/base/error.h"

void weft_abort(const char *format, ...)
{
    int begun = 0;
    char text[1024]; /* one call prints it, so that sentences of ranks do not mix */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "weft: %s\n", text);
    nanosleep(&(struct timespec){.tv_nsec = 300 * 1000 * 1000}, NULL);
    MPI_Initialized(&begun);
    if (begun && !weft_mpi_is_over())
        MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

bool weft_mpi_is_over(void)
{
    int over = 0;
    MPI_Finalized(&over);
    return over;
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
        weft_abort("a message of a plan could not be sent: %s", weft_mpi_error(code, text));
}

static int finalizing(MPI_Comm comm, int key, void *value, void *extra)
{
    const bool over = weft_mpi_is_over();
    (void)comm, (void)extra;
    if (!over)
        MPI_Comm_free_keyval(&key);
    ((const weft_finalizer *)value)->end(over);
    return MPI_SUCCESS;
}

bool weft_at_finalize(weft_finalizer *it)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int key;
    pthread_mutex_lock(&lock);
    const bool set = it->set || (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalizing, &key,
                                                        NULL) == MPI_SUCCESS &&
                                 MPI_Comm_set_attr(MPI_COMM_SELF, key, it) == MPI_SUCCESS);
    it->set = set;
    pthread_mutex_unlock(&lock);
    return set || weft_error("MPI has no memory for an attribute");
}
