#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One program, compiled once with FFTW's header, runs in four ways: linked to FFTW's MPI library; the same binary with
# Weft preloaded; with Weft's library of that name found first; and linked to Weft. All give the same sizes, and the
# same numbers within rounding. Skipped without an FFTW-MPI for this MPI: make check FFTW_MPI_LDFLAGS=-L... names its
# folder (tools/build-fftw-mpi builds it).
. "${srcdir:-.}/tests/scripts/tools.sh"

# The header must be FFTW's, so no folder of Weft is in the include path.
$CC $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS -c "$srcdir/tests/dropin/program.c" -o $out/program.o 2>$out/log ||
    skip "FFTW's fftw3-mpi.h is not installed"
compile $out/test_linked $out/program.o $weft_libs
$CC $INSTRUMENT_CFLAGS $out/program.o -o $out/test_fftw $fftw_mpi_path -lfftw3_mpi $fftw_libs 2>$out/log &&
    run fftw 2 >$out/fftw 2>$out/log || {
    run linked 2 >$out/linked 2>$out/log || fail 'on Weft:'
    skip 'there is no FFTW-MPI for this MPI to compare with (the program did run on Weft)'
}

# started NAME VARIABLE FILE: a program for mpiexec that runs the one linked to FFTW's library, with the file first in
# this environment variable.
started() {
    printf '#!/bin/sh\n%s="%s${%s:+:$%s}" exec %s\n' "$2" "$3" "$2" "$2" $out/test_fftw >$out/test_$1
    chmod +x $out/test_$1
}
started preloaded LD_PRELOAD $libs/libweft-preload.so
started found LD_LIBRARY_PATH $libs
ways='linked preloaded'
test ! -e .libs/libfftw3_mpi.so.3 || ways="$ways found"

for ranks in 1 2 3 5; do
    run fftw $ranks >$out/fftw 2>$out/log || fail "FFTW-MPI on $ranks ranks:"
    lacks '^plan (weft'
    for way in $ways; do
        run $way $ranks >$out/$way 2>$out/log || fail "Weft, $way, on $ranks ranks:"
        same $out/fftw $out/$way || fail "FFTW-MPI and Weft ($way) differ on $ranks ranks"
        has '^plan (weft'
    done
done
