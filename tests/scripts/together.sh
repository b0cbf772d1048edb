#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Weft and FFTW's MPI library in one process, opened by dlopen (tests/dropin/together.c). Skipped without an FFTW-MPI
# for this MPI (tests/scripts/dropin.sh says how to name one).
. "${srcdir:-.}/tests/scripts/tools.sh"
fftw_mpi
# The shared library that the program has loaded.
library=$(ldd $out/test_fftw | sed -n 's/.*libfftw3_mpi[^ ]* => \([^ ]*\) .*/\1/p')
test -f "$library" || skip 'FFTW-MPI is not a shared library here'
compile $out/test_together -DWEFT_LIBRARY="\"$libs/libweft.so\"" -DFFTW_LIBRARY="\"$library\"" \
    "$srcdir/tests/dropin/together.c" $fftw_libs -ldl
for ranks in 1 2 3 5; do
    run together $ranks >$out/log 2>&1 || fail "$ranks ranks:"
done
