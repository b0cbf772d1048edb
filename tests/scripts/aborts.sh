#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that run what cannot be run end, all ranks, with a sentence and a status that is not 0.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/test_aborts

cat >$out.c <<'END'
#include <fftw3-mpi.h>
#include <weft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* While a run has the workspace that plans share, one more needs its own. */
static void run_without_memory(void)
{
    enum { N = 2048 };
    static fftw_complex in[N * N], out[N * N];
    setenv("WEFT_BACKEND", "alltoallw", 1);
    fftw_plan plan[2];
    for (int i = 0; i < 2; i++)
        plan[i] = fftw_mpi_plan_dft_2d(N, N, in, out, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan[0]);
    printf("begun\n");
    fflush(stdout);
    weft_execute_start(plan[0], in, out);
    setrlimit(RLIMIT_AS, &(struct rlimit){1 << 20, 1 << 20});
    fftw_execute(plan[1]);
}

int main(int argc, char **argv)
{
    static fftw_complex a[64 * 64], b[64 * 64];
    const char *how = getenv("HOW");
    int rank;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(how, "no memory") == 0)
        run_without_memory();
    fftw_plan plan = NULL;
    fftw_complex *in = strcmp(how, "one NULL array") == 0 && rank < 1 ? NULL : a;
    if (strstr(how, "array"))
        plan = fftw_mpi_plan_dft_2d(64, 64, strstr(how, "two") ? NULL : in, strstr(how, "two") ? NULL : b, MPI_COMM_WORLD,
                                    FFTW_FORWARD, FFTW_ESTIMATE);
    else if (strstr(how, "serial"))
        plan = fftw_plan_dft_1d(64, a, b, FFTW_FORWARD, FFTW_ESTIMATE);
    printf("begun\n");
    fflush(stdout);
    if (strstr(how, "array"))
        fftw_execute(plan);
    else if (strcmp(how, "no plan, r2r") == 0)
        fftw_mpi_execute_r2r(plan, *a, *b);
    else
        fftw_mpi_execute_dft(plan, a, b);
    printf("went on\n");
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD); /* for what another rank would not come to */
    MPI_Finalize();
    return 0;
}
END
$CC $INSTRUMENT_CFLAGS -I"$srcdir/api" $FFTW_CPPFLAGS $out.c -o $out $weft_libs || fail 'the program does not compile'

# ends HOW SENTENCE
ends() {
    if HOW=$1 run aborts 2 >$out.log 2>&1; then
        fail "$1: the status is 0: $(cat $out.log)"
    fi
    grep -q begun $out.log && grep -q "weft: .*$2" $out.log || fail "$1: no \"$2\" in: $(cat $out.log)"
    ! grep -q 'not finished' $out.log || fail "$1: a rank was left waiting"
}
ends 'no plan' 'fftw_mpi_execute_dft: the plan is NULL'
ends 'no plan, r2r' 'fftw_mpi_execute_r2r: the plan is NULL'
ends 'a plan of serial FFTW' 'fftw_mpi_execute_dft: the plan was not made by'
ends 'two NULL arrays' 'array that is NULL, but this rank has'
ends 'no memory' 'no memory for a workspace of [0-9]* bytes'
ends 'one NULL array' 'on rank 0 with an input array that is NULL, but this rank has 32768 bytes'

# The same of plans whose arrays are on a device, or would have to be.
device=$PWD/.libs/libstandin.so
if ! test -f "$device"; then
    echo 'not tested: plans on a device, for there is no stand-in for one here'
    exit 0
fi
out=${out}_device
cat >$out.c <<'END'
#include <fftw3-mpi.h>
#include <weft.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/device/standin.h"

enum { N = 64, ROOM = N * N + 2 };

static int is(const char *how)
{
    return strcmp(getenv("HOW"), how) == 0;
}

int main(int argc, char **argv)
{
    static fftw_complex host[2][ROOM];
    fftw_complex *in, *out, *of[2][2];
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    void *module = dlopen(getenv("WEFT_DEVICE"), RTLD_NOW);
    const weft_device_library *library = dlsym(module, WEFT_DEVICE_SYMBOL);
    const weft_standin_controls *controls = dlsym(module, STANDIN_SYMBOL);
    for (int device = 1; device >= 0; device--) {
        library->use(device);
        for (int i = 0; i < 2; i++)
            of[device][i] = weft_alloc_device_complex(ROOM, MPI_COMM_WORLD);
    }
    in = is("a plan of the host") ? host[0] : of[0][0];
    out = is("a plan of the host") ? host[1] : is("a plan in place") ? in : of[0][1];
    fftw_plan plan = fftw_mpi_plan_dft_2d(N, N, in, out, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    printf("begun\n");
    fflush(stdout);
    if (is("on another device"))
        in = of[1][0], out = of[1][1];
    else if (is("on the host"))
        in = host[0], out = host[1];
    else if (is("a plan of the host") || is("a plan in place"))
        in = of[0][0], out = of[0][1];
    else if (is("in place"))
        out = in;
    else if (is("not aligned"))
        in = (fftw_complex *)((double *)in + 1);
    else
        controls->fail_at(1, is("from now on"));
    fftw_mpi_execute_dft(plan, in, out);
    printf("went on\n");
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
$CC $INSTRUMENT_CFLAGS -I"$srcdir/api" -I"$srcdir" $FFTW_CPPFLAGS $out.c -o $out $weft_libs -ldl ||
    fail 'the program of a device does not compile'
export STANDIN_LEAKS=ignore WEFT_DEVICE="$device"
aborts() {
    if HOW=$1 run aborts_device 2 >$out.log 2>&1; then
        fail "$1: the status is 0: $(cat $out.log)"
    fi
    grep -q begun $out.log && grep -q "weft: .*$2" $out.log || fail "$1: no \"$2\" in: $(cat $out.log)"
}
aborts 'on the host' 'for arrays in memory of a device runs on arrays in memory of the host'
aborts 'on another device' 'for arrays on device 0 runs on arrays on device 1'
aborts 'a plan of the host' 'for arrays in memory of the host runs on arrays in memory of a device'
aborts 'a plan in place' 'made in place runs out of place'
aborts 'in place' 'made out of place runs in place'
aborts 'not aligned' 'for aligned arrays runs on unaligned arrays'
aborts 'once' 'fails on demand'
aborts 'from now on' 'fails on demand'
