#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One MPI call fails during planning, or while a plan runs, on the last rank or on all ranks, in a program that asks MPI
# to return errors (MPI_ERRORS_RETURN). Then either all ranks have a correct plan; or no rank has a plan, with a sentence, and the
# next plan is correct; or the program ends with a sentence that names an error of MPI. No run hangs or crashes. By
# default a sample of the calls fails, with WEFT_TEST_FAULTS=all every call (make check-faults).
. "${srcdir:-.}/tests/scripts/tools.sh"
plan_program "$libs/libwatch.so $weft_libs"
export N=12 TIME_LIMIT=60

# right RANKS: first all ranks have a plan, or none with a sentence; then all have one. The results are right.
right() {
    good=$(grep -c '^rank [0-9]*: a plan, right' $out/log) none=$(grep -c '^rank [0-9]*: no plan, .' $out/log)
    test "$good $none" = "$((2 * $1)) 0" || test "$good $none" = "$1 $1"
}

# one WHO RANKS NUMBER BACKEND: runs the program; call NUMBER fails. Open MPI's launcher sometimes loses the ranks'
# sentences and says so (ORTE_ERROR_LOG). MPICH's launcher sometimes reports a signal (Hangup) instead of the status
# 1. After MPI_Abort on one rank, the launcher of MPICH 5.0.2 sometimes does not end the other ranks, and
# tests/mpi/launch ends them (not finished).
one() {
    (test "$1" = last || export ALL=yes && NUMBER=$3 WEFT_BACKEND=$4 run plan "$2") >$out/log 2>&1
    status=$?
    if test $status -eq 0; then
        right "$2" || fail "call $3 of $1 fails, $2 ranks, backend $4:"
        kept=$((kept + 1))
    elif { grep -q 'not finished' $out/log && ! grep -q '^Abort(' $out/log; } ||
        grep -q 'watch:\|Segmentation\|Aborted\|Bus error\|Floating\|Illegal\|Caught' $out/log ||
        ! grep -q 'weft: .*MPI\|Fatal error in\|An error occurred\|ORTE_ERROR_LOG' $out/log; then
        fail "call $3 of $1 fails, $2 ranks, backend $4: status $status"
    else
        ended=$((ended + 1))
    fi
}

# every_call WHO RANKS BACKEND STEP FIRST
every_call() {
    NUMBER=0 WEFT_BACKEND=$3 run plan "$2" >$out/log 2>&1 || fail 'no call fails:'
    calls=$(sed -n 's/^calls //p' $out/log | head -n 1)
    test "$calls" -gt 2 || fail "$3 on $2 ranks makes \"$calls\" calls of MPI:"
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
export HOW=late
for backend in waitall waitsome overlap bruck; do every_call last 2 $backend 1 1; done
