#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# MPI calls that fail while a plan is made, one a run, on the last rank or on all, though the program has asked MPI to
# return errors (MPI_ERRORS_RETURN): either there is a plan on all ranks, which is right, or none, with a sentence, and the
# next plan is right; or the program ends with a sentence that names an error of MPI. None hangs or crashes. A sample of the
# calls by default, every one with WEFT_TEST_FAULTS=all (make check-faults).
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/test_errors

cat >$out.c <<'END_OF_PROGRAM'
#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "api/weft.h"
#include "tests/mpi/watch.h"

enum { N0 = 12, N1 = 10, N2 = 6 };

static fftw_complex in[N0 * N1 * N2 * 2], out[N0 * N1 * N2 * 2];

/* The transform of a single 1 at the origin is 1 everywhere. */
static int right(fftw_plan plan, MPI_Comm comm)
{
    ptrdiff_t n0, start;
    int ok = 1;
    fftw_mpi_local_size_3d(N0, N1, N2, comm, &n0, &start);
    memset(in, 0, sizeof in);
    in[0][0] = n0 > 0 && start == 0;
    fftw_execute(plan);
    for (ptrdiff_t i = 0; i < n0 * N1 * N2; i++)
        ok &= out[i][0] > 0.999 && out[i][0] < 1.001 && out[i][1] > -0.001 && out[i][1] < 0.001;
    MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return ok;
}

static fftw_plan planned(MPI_Comm comm)
{
    return fftw_mpi_plan_dft_3d(N0, N1, N2, in, out, comm, FFTW_FORWARD, FFTW_ESTIMATE);
}

int main(int argc, char **argv)
{
    const long number = atol(getenv("NUMBER"));
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    fftw_mpi_init();
    watch_fail(strcmp(getenv("WHO"), "all") == 0 || rank == ranks - 1 ? number : 0);
    fftw_plan plan = planned(MPI_COMM_WORLD);
    const long calls = watch_calls();
    const char *failed = watch_failed();
    watch_fail(0);
    if (rank == ranks - 1)
        printf("%s of %ld calls\n", failed ? failed : "none", calls);
    int made[2] = {plan != NULL, plan == NULL};
    const int sentence = plan || weft_last_error()[0];
    MPI_Allreduce(MPI_IN_PLACE, made, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    const char *wrong = made[0] + made[1] != 1 ? "not on all ranks alike" : !sentence ? "no sentence" : "";
    if (!*wrong && plan && !right(plan, MPI_COMM_WORLD))
        wrong = "a wrong result";
    if (plan)
        fftw_destroy_plan(plan);
    plan = planned(MPI_COMM_WORLD);
    if (!*wrong && (!plan || !right(plan, MPI_COMM_WORLD)))
        wrong = "the next plan is wrong, or none";
    if (*wrong)
        printf("wrong: %s\n", wrong);
    fflush(stdout);
    if (plan)
        fftw_destroy_plan(plan);
    MPI_Finalize();
    return *wrong ? 3 : 0;
}
END_OF_PROGRAM
$CC $INSTRUMENT_CFLAGS -I"$srcdir/api" -I"$srcdir" $FFTW_CPPFLAGS $out.c -o $out \
    $PWD/.libs/libwatch.so $weft_libs || fail 'the program does not compile'
TIME_LIMIT=60
export TIME_LIMIT

# one WHO RANKS NUMBER BACKEND: runs the program while call NUMBER fails. Open MPI's launcher sometimes loses the ranks'
# sentences and says so (ORTE_ERROR_LOG). MPICH's sometimes reports a signal (Hangup) instead of the status 1; that of
# MPICH 5.0.2 sometimes lets the other ranks run after one has called MPI_Abort, and launch ends them (not finished).
one() {
    NUMBER=$3 WHO=$1 WEFT_BACKEND=$4 run errors "$2" >$out.log 2>&1
    status=$?
    if test $status -eq 0; then
        kept=$((kept + 1))
    elif { grep -q 'not finished' $out.log && ! grep -q '^Abort(' $out.log; } ||
        grep -q 'wrong:\|watch:\|Segmentation\|Aborted\|Bus error\|Floating\|Illegal\|Caught' $out.log ||
        ! grep -q 'weft: .*MPI\|Fatal error in\|An error occurred\|ORTE_ERROR_LOG' $out.log; then
        cat $out.log
        fail "call $3 of $1 fails, $2 ranks, backend $4: status $status"
    else
        ended=$((ended + 1))
    fi
}

# every_call WHO RANKS BACKEND STEP
every_call() {
    NUMBER=0 WHO=$1 WEFT_BACKEND=$3 run errors "$2" >$out.log 2>&1 || fail "no call fails: $(cat $out.log)"
    calls=$(sed -n 's/^none of \([0-9]*\) calls$/\1/p' $out.log)
    test "$calls" -gt 30 || fail "$3 on $2 ranks makes \"$calls\" calls of MPI: $(cat $out.log)"
    kept=0 ended=0 number=$5
    while test "$number" -le "$calls"; do
        one "$1" "$2" "$number" "$3"
        number=$((number + $4))
    done
    echo "$3 on $2 ranks, $calls calls that fail on $1: with $kept of them the program goes on, with $ended it ends"
}

if test "$WEFT_TEST_FAULTS" = all; then
    for backend in auto shared waitall alltoallw; do
        for who in all last; do
            every_call $who 2 $backend 1 1
        done
    done
    every_call last 3 auto 1 1
else
    every_call last 2 auto 29 5
    every_call all 2 alltoallw 37 11
fi
