/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI that accepts memory of the stand-in device. A message has the contents of the memory at
 * the time of the call, even if the device's queues have not done their work. */
#include <dlfcn.h>
#include <mpi.h>
#include "tests/mpi/twins.h"

static bool lies;
static twins_messages large;

/* Returns the next definition of a function: the watch's (watch.c), or MPI's. */
static void *next(const char *function)
{
    return dlsym(RTLD_NEXT, function);
}

static void *inside(const void *array)
{
    const weft_standin_controls *controls = twins_controls();
    return controls ? controls->inside(array) : (void *)array;
}

int MPI_Isend(const void *array, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    static const char zeros[4096];
    const void *from = inside(array);
    int bytes;
    MPI_Type_size(type, &bytes);
    if (lies && from != array && (long)bytes * count <= (long)sizeof zeros)
        from = zeros;
    if (twins_controls() && (long)bytes * count > 1 << 16 && large.count++ == 0)
        large.waiting = twins_controls()->waiting();
    __typeof__(MPI_Isend) *send = next("MPI_Isend");
    return send(from, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *array, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    __typeof__(MPI_Irecv) *receive = next("MPI_Irecv");
    return receive(inside(array), count, type, from, tag, comm, request);
}

twins_messages twins_mpi_messages(void)
{
    const twins_messages those = large;
    large = (twins_messages){0};
    return those;
}

void twins_mpi_lies(bool lie)
{
    lies = lie;
}

void twins_mpi_begin(void)
{
    if (twins_controls())
        twins_controls()->mpi_knows(true);
}

static void *find(const char *function)
{
    return dlsym(RTLD_DEFAULT, function);
}

bool twins_mpi_reaches(void)
{
    return twins_library() && twins_library()->mpi_reaches(find);
}
