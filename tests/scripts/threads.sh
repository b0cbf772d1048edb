#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that make FFTW's planner safe for threads: see tests/dropin/threads.c.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/threads
library=
for library in -lfftw3_omp -lfftw3_threads ''; do
    test -n "$library" || skip 'neither fftw3_omp nor fftw3_threads is there'
    $CC -I"$srcdir/api" $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS "$srcdir/tests/dropin/threads.c" -o $programs/test_threads \
        -L.libs -Wl,-rpath,"$PWD/.libs" -lweft $FFTW_LDFLAGS $library -lfftw3 -lpthread -lm 2>$out.log && break
done
for ranks in 1 2 3; do
    run threads $ranks >$out.$ranks 2>&1 || fail "$ranks ranks: $(head -n 20 $out.$ranks)"
    grep -q '^world: 0 wrong$' $out.$ranks || fail "$ranks ranks: $(head -n 20 $out.$ranks)"
done
