#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Records the results of FFTW-MPI again; the file must equal the one in tests/conformance. The new file stays in
# tests/scripts/programs. Skipped without an FFTW-MPI for this MPI: make check FFTW_MPI_LDFLAGS=-L... names its folder
# (tools/build-fftw-mpi builds it).
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/recorded
fftw_mpi recorded

$CC $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS -I. -I"$srcdir" "$srcdir/tests/conformance/record.c" \
    "$srcdir/tests/conformance/recorded.c" -o $programs/test_recorded $fftw_mpi_path $FFTW_LDFLAGS \
    -lfftw3_mpi -lfftw3 -lm || fail 'the program does not compile'
export srcdir
run recorded 9 >$out.tsv 2>$out.log || fail "it could not be recorded: $(cat $out.log)"
diff "$srcdir/tests/conformance/recorded.tsv" $out.tsv || fail "FFTW-MPI returns something else (>)"
