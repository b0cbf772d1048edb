#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that make FFTW's planner thread-safe and run plans in several threads (tests/dropin/threads.c).
. "${srcdir:-.}/tests/scripts/tools.sh"
# (In libfftw3_omp fftw_make_planner_thread_safe does nothing.)
for openmp in -fopenmp ''; do
    $CC $INSTRUMENT_CFLAGS $headers $openmp "$srcdir/tests/dropin/threads.c" -o $out/test_threads -lfftw3_threads \
        $weft_libs -lpthread 2>$out/log && break
done
test -f $out/test_threads || skip 'fftw3_threads is not there'

# once HOW RANKS BACKEND
once() {
    HOW=$1 WEFT_BACKEND=$3 run threads $2 >$out/log 2>&1
    code=$?
    ! grep -q '^no threads$' $out/log || return
    test $code -eq 0 || fail "$1, $2 ranks, $3:"
    has "^$1: 0 wrong$"
}
! HOW=same run threads 1 >$out/log 2>&1 || fail 'one plan was run by two threads at once'
has '^no threads$\|runs in two threads at once'
for backend in auto alltoallv alltoallw waitall bruck meeting; do
    export WEFT_PLUGINS=$libs/libmeeting.so
    once duplicates 2 $backend
    once one 3 $backend
done
unset WEFT_PLUGINS
for ranks in 1 2 3; do
    once planning $ranks auto
    once mixed $ranks auto
done
once turns 2 auto
once master 2 auto
