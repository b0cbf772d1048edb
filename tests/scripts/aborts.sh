#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that run what cannot be run end, all ranks, with a sentence and a status that is not 0.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/test_aborts

cat >$out.c <<'END'
#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    static fftw_complex a[64 * 64], b[64 * 64];
    const char *how = getenv("HOW");
    int rank;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
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
ends 'two NULL arrays' 'array of NULL, of which the rank holds'
ends 'one NULL array' 'on rank 0 with an input array of NULL, of which the rank holds 32768 bytes'
