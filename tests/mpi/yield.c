/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests only: preloaded under MPICH, whose ranks are often more than the cores, or run beside
 * another test. MPICH busy-waits in ucp_worker_progress; a rank that waits so for one that is not
 * running keeps it from running until the scheduler steps in, up to 40 ms for a barrier. Giving the
 * core away whenever there was no progress brings that to about 10 us. Where MPICH was built
 * without UCX, nothing calls this.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <sched.h>

typedef unsigned progress_function(void *worker);

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static progress_function *real;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (!real) { /* Python loads MPI, and UCX with it, for mpi4py alone */
        void *ucx = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
        *(void **)&real = ucx ? dlsym(ucx, "ucp_worker_progress") : NULL;
    }
    if (!real)
        return 0;
    unsigned progress = real(worker);
    if (!progress)
        sched_yield();
    return progress;
}
