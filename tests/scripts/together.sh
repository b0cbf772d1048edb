#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Weft and FFTW's MPI library in one process, opened by dlopen (tests/dropin/together.c). Skipped without an FFTW-MPI
# for this MPI (tests/scripts/dropin.sh says how to name one).
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/together

fftw_mpi together

# The shared library that the program has loaded.
library=$(ldd $programs/test_together_fftw | sed -n 's/.*libfftw3_mpi[^ ]* => \([^ ]*\) .*/\1/p')
test -f "$library" || skip 'FFTW-MPI is not a shared library here'
$CC $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS -DWEFT_LIBRARY="\"$PWD/.libs/libweft.so\"" -DFFTW_LIBRARY="\"$library\"" \
    "$srcdir/tests/dropin/together.c" -o $programs/test_together $FFTW_LDFLAGS -lfftw3 -ldl -lm ||
    fail 'the program does not compile'
for ranks in 1 2 3 5; do
    run together $ranks >$out.$ranks 2>&1 || fail "$ranks ranks: $(head -n 20 $out.$ranks)"
done
