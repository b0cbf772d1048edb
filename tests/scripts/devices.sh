#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Arrays on a device that Weft cannot use: no device library or a wrong one, no driver or an old one, transforms that
# the library refuses, no free memory. Every rank gets NULL and a sentence.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/test_devices
device=$PWD/.libs/libstandin.so
test -f "$device" || skip 'there is no stand-in for a device here'

cat >$out.c <<'END'
#include <fftw3-mpi.h>
#include <weft.h>
#include <dlfcn.h>
#include <stdio.h>
#include "tests/device/standin.h"

enum { N = 256, ROOM = N * N, TEXT = 1000 };

/* The arrays exist, whether or not Weft finds a device. */
int main(int argc, char **argv)
{
    int plans = 0, rank, ranks;
    char said[2][TEXT];
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const weft_device_library *library = dlsym(dlopen(DEVICE, RTLD_NOW), WEFT_DEVICE_SYMBOL);
    fftw_complex *in = library->allocate(sizeof *in * ROOM), *out = library->allocate(sizeof *out * ROOM);
    fftw_plan plan = in && out ? fftw_mpi_plan_dft_2d(N, N, in, out, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE) : NULL;
    const int made = plan != NULL;
    MPI_Allreduce(&made, &plans, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    /* Rank 0 prints all lines, because a launcher may mix the lines of two ranks. */
    snprintf(said[rank], TEXT, "%d of %d plans, arrays %s; %s", plans, ranks, in && out ? "there" : "missing", weft_last_error());
    MPI_Gather(rank ? said[rank] : MPI_IN_PLACE, TEXT, MPI_CHAR, said, TEXT, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s\n%s\n", said[0], said[1]);
    if (plan)
        fftw_destroy_plan(plan);
    library->release(out);
    library->release(in);
    MPI_Finalize();
    return 0;
}
END
$CC $INSTRUMENT_CFLAGS -DDEVICE="\"$device\"" -I"$srcdir/api" -I"$srcdir" $FFTW_CPPFLAGS $out.c -o $out $weft_libs -ldl ||
    fail 'the program does not compile'

# says WHAT SENTENCE SETTING...: every rank prints the sentence, and the program continues to its
# end.
says() {
    what=$1 sentence=$2
    shift 2
    (export "$@" STANDIN_LEAKS=ignore && run devices 2) >$out.log 2>&1 || fail "$what: $(cat $out.log)"
    test "$(grep -c "$sentence" $out.log)" -ge 2 || fail "$what: not \"$sentence\" but: $(cat $out.log)"
}
says 'a device' '^2 of 2 plans, arrays there; $' WEFT_DEVICE="$device"
says 'no library' '^0 of 2 plans, .*WEFT_DEVICE names /no/such.so, which could not be loaded' WEFT_DEVICE=/no/such.so
says 'another library' '^0 of 2 plans, .*is no device library' WEFT_DEVICE="$PWD/.libs/libwatch.so"
says 'no driver' '^0 of 2 plans, .*there is no driver' WEFT_DEVICE="$device" STANDIN_REFUSE=driver
says 'an old driver' '^0 of 2 plans, .*the driver is too old' WEFT_DEVICE="$device" STANDIN_REFUSE=old
says 'refused transforms' '^0 of 2 plans, arrays there; .*device 0 cannot do .* FFTs of .*this plan is refused' WEFT_DEVICE="$device" STANDIN_REFUSE=transforms
says 'little memory' '^0 of 2 plans, arrays there; .*out of memory' WEFT_DEVICE="$device" STANDIN_BYTES=2200000
