/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests only: make check and tools/hosts/run preload this library into MPICH's ranks. It
 * changes two things.
 *
 * MPICH waits busily in ucp_worker_progress. A rank that waits for a rank without a core keeps its
 * own core until the scheduler takes it, up to 40 ms for a barrier. With this library a rank yields
 * its core whenever there was no progress, and a barrier takes about 10 us.
 *
 * In MPI_Finalize MPICH 4.0 closes its UCX connections, then it waits for the launcher. To close a
 * connection UCX 1.13 may need an answer from a rank that already waits for the launcher and makes
 * no more progress: with two ranks on each of two hosts, 7 of 10 programs hung. With this library a
 * rank makes progress while it waits for the launcher.
 *
 * Where MPICH was built without UCX, nothing calls this.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

typedef unsigned progress_function(void *worker);
typedef void destroy_function(void *worker);
typedef ssize_t read_function(int file, void *buffer, size_t bytes);

unsigned ucp_worker_progress(void *worker);
void ucp_worker_destroy(void *worker);

static progress_function *progress;
static void *last_worker;

unsigned ucp_worker_progress(void *worker)
{
    if (!progress)
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (!progress) { /* Python loads MPI and UCX for mpi4py only */
        void *ucx = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
        *(void **)&progress = ucx ? dlsym(ucx, "ucp_worker_progress") : NULL;
    }
    if (!progress)
        return 0;
    unsigned events = progress(worker);
    last_worker = worker;
    if (!events)
        sched_yield();
    return events;
}

void ucp_worker_destroy(void *worker)
{
    destroy_function *real;
    *(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_destroy");
    last_worker = NULL;
    if (real)
        real(worker);
}

/* MPICH reads the launcher's answers from the file whose number is in PMI_FD. */
ssize_t read(int file, void *buffer, size_t bytes)
{
    static read_function *real;
    const char *launcher = last_worker ? getenv("PMI_FD") : NULL;
    if (launcher && atoi(launcher) == file)
        while (poll(&(struct pollfd){file, POLLIN, 0}, 1, 1) == 0)
            progress(last_worker);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "read");
    return real(file, buffer, bytes);
}
