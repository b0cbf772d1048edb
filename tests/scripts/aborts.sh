#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program that makes an invalid run ends on all ranks with a sentence and a status that is not 0: with plans on arrays
# of the host, and of the stand-in device if it is built.
. "${srcdir:-.}/tests/scripts/tools.sh"

cat >$out/aborts.c <<'END'
#include <dlfcn.h>
#include <fftw3-mpi.h>
#include <weft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "tests/device/standin.h"

enum { N = 64, ROOM = N * N + 2, LARGE = 2048 };

static const weft_device_library *library;
static const weft_standin_controls *controls;
static int rank;

/* While a run has the workspace that plans share, one more needs its own. */
static void run_without_memory(void)
{
    static fftw_complex in[LARGE * LARGE], out[LARGE * LARGE];
    setenv("WEFT_BACKEND", "alltoallw", 1);
    fftw_plan plan[2];
    for (int i = 0; i < 2; i++)
        plan[i] = fftw_mpi_plan_dft_2d(LARGE, LARGE, in, out, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan[0]);
    puts("begun");
    fflush(stdout);
    weft_execute_start(plan[0], in, out);
    setrlimit(RLIMIT_AS, &(struct rlimit){1 << 20, 1 << 20});
    fftw_execute(plan[1]);
}

/* One of two arrays: h of the host, d and e of devices 0 and 1, u of device 0, not aligned; n is NULL, z is NULL on rank 0. */
static fftw_complex *array(const char *name)
{
    static fftw_complex host[2][ROOM], *made[2][2];
    const int which = name[1] == '1', device = name[0] == 'e';
    if (name[0] == 'n' || (name[0] == 'z' && rank == 0))
        return NULL;
    if (name[0] == 'h' || name[0] == 'z')
        return host[which];
    library->use(device);
    if (!made[device][which])
        made[device][which] = weft_alloc_device_complex(ROOM, MPI_COMM_WORLD);
    library->use(0);
    return name[0] == 'u' ? (fftw_complex *)((double *)made[0][which] + 1) : made[device][which];
}

int main(int argc, char **argv)
{
    char plan_in[9], plan_out[9], in[9] = "", out[9] = "";
    fftw_plan plan = NULL;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (getenv("WEFT_DEVICE")) {
        void *module = dlopen(getenv("WEFT_DEVICE"), RTLD_NOW);
        library = dlsym(module, WEFT_DEVICE_SYMBOL);
        controls = dlsym(module, STANDIN_SYMBOL);
    }
    sscanf(getenv("RUN"), "%8s %8s", in, out);
    if (sscanf(getenv("PLAN"), "%8s %8s", plan_in, plan_out) == 2)
        plan = fftw_mpi_plan_dft_2d(N, N, array(plan_in), array(plan_out), MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    else if (strcmp(plan_in, "serial") == 0)
        plan = fftw_plan_dft_1d(N, array("h0"), array("h1"), FFTW_FORWARD, FFTW_ESTIMATE);
    else if (strcmp(plan_in, "two") == 0)
        run_without_memory();
    fftw_complex *from = *out ? array(in) : array("h0"), *to = *out ? array(out) : array("h1");
    puts("begun");
    fflush(stdout);
    if (getenv("FAIL"))
        controls->fail_at(1, strcmp(getenv("FAIL"), "on") == 0);
    if (*out)
        fftw_mpi_execute_dft(plan, from, to);
    else if (strcmp(in, "r2r") == 0)
        fftw_mpi_execute_r2r(plan, *from, *to);
    else
        fftw_execute(plan);
    puts("went on");
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD); /* for what another rank would not come to */
    MPI_Finalize();
    return 0;
}
END
compile $out/test_aborts $out/aborts.c -I"$srcdir" $weft_libs -ldl

# ends PLAN RUN SENTENCE: the program with a plan for these arrays, run on those.
ends() {
    ! PLAN=$1 RUN=$2 run aborts 2 >$out/log 2>&1 || fail "$1, $2: the status is 0:"
    has begun
    has "weft: .*$3"
    lacks 'not finished'
}
ends none 'h0 h1' 'fftw_mpi_execute_dft: the plan is NULL'
ends none r2r 'fftw_mpi_execute_r2r: the plan is NULL'
ends serial 'h0 h1' 'fftw_mpi_execute_dft: the plan was not made by'
ends 'n0 n1' '' 'array that is NULL, but this rank has'
ends two '' 'no memory for a workspace of [0-9]* bytes'
ends 'z0 h1' '' 'on rank 0 with an input array that is NULL, but this rank has 32768 bytes'

export STANDIN_LEAKS=ignore WEFT_DEVICE=$libs/libstandin.so
if ! test -f "$WEFT_DEVICE"; then
    echo 'not tested: plans on a device, for there is no stand-in for one here'
    exit 0
fi
ends 'd0 d1' 'h0 h1' 'for arrays on device 0 runs on arrays on device -1 '
ends 'd0 d1' 'e0 e1' 'for arrays on device 0 runs on arrays on device 1'
ends 'h0 h1' 'd0 d1' 'for arrays on device -1 runs on arrays on device 0 '
ends 'd0 d0' 'd0 d1' 'made in place runs out of place'
ends 'd0 d1' 'd0 d0' 'made out of place runs in place'
ends 'd0 d1' 'u0 d1' 'for aligned arrays runs on unaligned arrays'
FAIL=once ends 'd0 d1' 'd0 d1' 'fails on demand'
FAIL=on ends 'd0 d1' 'd0 d1' 'fails on demand'
