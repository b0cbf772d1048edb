#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Records the results of FFTW-MPI again; the file must equal the one in tests/conformance. The new file stays in
# tests/scripts/programs/recorded. Skipped without an FFTW-MPI for this MPI: make check FFTW_MPI_LDFLAGS=-L... names its folder
# (tools/build-fftw-mpi builds it).
. "${srcdir:-.}/tests/scripts/tools.sh"
fftw_mpi
compile $out/test_recorded -I. -I"$srcdir" "$srcdir/tests/conformance/record.c" "$srcdir/tests/conformance/recorded.c" \
    $fftw_mpi_path -lfftw3_mpi $fftw_libs
export srcdir
run recorded 9 >$out/recorded.tsv 2>$out/log || fail 'it could not be recorded:'
diff "$srcdir/tests/conformance/recorded.tsv" $out/recorded.tsv || fail "FFTW-MPI returns something else (>)"
