#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program that makes an invalid run ends on all ranks with a sentence and a status that is not 0: with plans on arrays
# of the host, and of the stand-in device if it is built.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/test_aborts

cat >$out.c <<'END'
#include <dlfcn.h>
#include <fftw3-mpi.h>
#include <weft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "tests/device/standin.h"

enum { N = 64, ROOM = N * N + 2, LARGE = 2048 };

static int is(const char *how)
{
    return strcmp(getenv("HOW"), how) == 0;
}

static void begun(void)
{
    printf("begun\n");
    fflush(stdout);
}

/* While a run has the workspace that plans share, one more needs its own. */
static void run_without_memory(void)
{
    static fftw_complex in[LARGE * LARGE], out[LARGE * LARGE];
    setenv("WEFT_BACKEND", "alltoallw", 1);
    fftw_plan plan[2];
    for (int i = 0; i < 2; i++)
        plan[i] = fftw_mpi_plan_dft_2d(LARGE, LARGE, in, out, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan[0]);
    begun();
    weft_execute_start(plan[0], in, out);
    setrlimit(RLIMIT_AS, &(struct rlimit){1 << 20, 1 << 20});
    fftw_execute(plan[1]);
}

static fftw_complex a[ROOM], b[ROOM];

static fftw_plan planned(fftw_complex *in, fftw_complex *out)
{
    return fftw_mpi_plan_dft_2d(N, N, in, out, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
}

static void run_on_device(void)
{
    fftw_complex *in, *out, *of[2][2];
    void *module = dlopen(getenv("WEFT_DEVICE"), RTLD_NOW);
    const weft_device_library *library = dlsym(module, WEFT_DEVICE_SYMBOL);
    const weft_standin_controls *controls = dlsym(module, STANDIN_SYMBOL);
    for (int device = 1; device >= 0; device--) {
        library->use(device);
        for (int i = 0; i < 2; i++)
            of[device][i] = weft_alloc_device_complex(ROOM, MPI_COMM_WORLD);
    }
    in = is("a plan of the host") ? a : of[0][0];
    out = is("a plan of the host") ? b : is("a plan in place") ? in : of[0][1];
    fftw_plan plan = planned(in, out);
    begun();
    if (is("on another device"))
        in = of[1][0], out = of[1][1];
    else if (is("on the host"))
        in = a, out = b;
    else if (is("a plan of the host") || is("a plan in place"))
        in = of[0][0], out = of[0][1];
    else if (is("in place"))
        out = in;
    else if (is("not aligned"))
        in = (fftw_complex *)((double *)in + 1);
    else
        controls->fail_at(1, is("from now on"));
    fftw_mpi_execute_dft(plan, in, out);
}

int main(int argc, char **argv)
{
    int rank;
    fftw_plan plan = NULL;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (getenv("WEFT_DEVICE"))
        run_on_device();
    if (is("no memory"))
        run_without_memory();
    if (is("one NULL array") || is("two NULL arrays"))
        plan = planned(is("two NULL arrays") || rank < 1 ? NULL : a, is("two NULL arrays") ? NULL : b);
    if (is("a plan of serial FFTW"))
        plan = fftw_plan_dft_1d(N, a, b, FFTW_FORWARD, FFTW_ESTIMATE);
    begun();
    if (is("no plan, r2r"))
        fftw_mpi_execute_r2r(plan, *a, *b);
    else if (is("one NULL array") || is("two NULL arrays"))
        fftw_execute(plan);
    else
        fftw_mpi_execute_dft(plan, a, b);
    printf("went on\n");
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD); /* for what another rank would not come to */
    MPI_Finalize();
    return 0;
}
END
$CC $INSTRUMENT_CFLAGS -I"$srcdir/api" -I"$srcdir" $FFTW_CPPFLAGS $out.c -o $out $weft_libs -ldl || fail 'the program does not compile'

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

export STANDIN_LEAKS=ignore WEFT_DEVICE="$PWD/.libs/libstandin.so"
if ! test -f "$WEFT_DEVICE"; then
    echo 'not tested: plans on a device, for there is no stand-in for one here'
    exit 0
fi
ends 'on the host' 'for arrays in memory of a device runs on arrays in memory of the host'
ends 'on another device' 'for arrays on device 0 runs on arrays on device 1'
ends 'a plan of the host' 'for arrays in memory of the host runs on arrays in memory of a device'
ends 'a plan in place' 'made in place runs out of place'
ends 'in place' 'made out of place runs in place'
ends 'not aligned' 'for aligned arrays runs on unaligned arrays'
ends 'once' 'fails on demand'
ends 'from now on' 'fails on demand'
