#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that make FFTW's planner thread-safe and run plans in several threads (tests/dropin/threads.c).
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/threads
# (In libfftw3_omp fftw_make_planner_thread_safe does nothing.)
rm -f $programs/test_threads
for openmp in -fopenmp ''; do
    # shellcheck disable=SC2086
    $CC -I"$srcdir/api" $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS $openmp "$srcdir/tests/dropin/threads.c" \
        -o $programs/test_threads -L.libs -Wl,-rpath,"$PWD/.libs" -lweft $FFTW_LDFLAGS -lfftw3_threads -lfftw3 \
        -lpthread -lm 2>$out.log && break
done
test -f $programs/test_threads || skip 'fftw3_threads is not there'

# once HOW RANKS BACKEND
once() {
    how=$1 ranks=$2
    WEFT_BACKEND=$3 HOW=$how run threads "$ranks" >$out.$how.$ranks 2>&1
    code=$?
    grep -q '^no threads$' $out.$how.$ranks && return
    test $code -eq 0 && grep -q "^$how: 0 wrong$" $out.$how.$ranks ||
        fail "$how, $ranks ranks, $3: $(head -n 20 $out.$how.$ranks)"
}
WEFT_BACKEND=auto HOW=same run threads 1 >$out.same 2>&1 && fail 'one plan was run by two threads at once'
grep -q '^no threads$' $out.same || grep -q 'runs in two threads at once' $out.same || fail "$(head -n 20 $out.same)"
export WEFT_PLUGINS="$PWD/.libs/libmeeting.so"
for backend in auto alltoallv alltoallw waitall bruck meeting; do
    once duplicates 2 $backend
    once one 3 $backend
done
unset WEFT_PLUGINS
for ranks in 1 2 3; do
    once planning $ranks auto
done
once turns 2 auto
once master 2 auto
