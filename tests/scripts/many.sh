#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Many ranks, of problems for which FFTW-MPI crashes while it plans: see tests/dropin/many.c. They need 3 GB of memory.
. "${srcdir:-.}/tests/scripts/tools.sh"
free=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo 2>/dev/null)
test "${free:-8}" -ge 6 || skip "only $free GB of memory are free"
$CC -I"$srcdir/api" $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS -O2 "$srcdir/tests/dropin/many.c" -o $programs/test_many \
    $weft_libs || fail 'the program does not compile'
run many 28 || fail '28 ranks'
# By messages: for shared memory, each of MPICH's ranks looks at every page of all of it, half a minute on two cores.
WEFT_BACKEND=waitall
export WEFT_BACKEND
run many 56 || fail '56 ranks'
