#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One program, compiled once with FFTW's header, runs in four ways: linked to FFTW's MPI library; the same binary with
# Weft preloaded; with Weft's library of that name found first; and linked to Weft. All give the same sizes, and the
# same numbers within rounding. Skipped without an FFTW-MPI for this MPI: make check FFTW_MPI_LDFLAGS=-L... names its
# folder (tools/build-fftw-mpi builds it).
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/dropin
object=$programs/dropin_program.o

# The header must be FFTW's, so no folder of Weft is in the include path.
$CC $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS -c "$srcdir/tests/dropin/program.c" -o $object 2>$out.log ||
    skip "FFTW's fftw3-mpi.h is not installed"
$CC $INSTRUMENT_CFLAGS $object -o $programs/test_dropin_weft $weft_libs || fail 'the program does not link to Weft'
$CC $INSTRUMENT_CFLAGS $object -o $programs/test_dropin_fftw $fftw_mpi_path $FFTW_LDFLAGS \
    -lfftw3_mpi -lfftw3 -lm 2>$out.log &&
    run dropin_fftw 2 >$out.2.fftw 2>$out.log || no_fftw_mpi=yes

# started NAME ASSIGNMENT: makes a script for mpiexec that runs the program linked to FFTW's library, with
# this environment variable.
started() {
    printf '#!/bin/sh\n%s\nexec %s\n' "$2" $programs/test_dropin_fftw >"$programs/test_$1"
    chmod +x "$programs/test_$1"
}
started dropin_preloaded "LD_PRELOAD=$PWD/.libs/libweft-preload.so\${LD_PRELOAD:+:\$LD_PRELOAD}; export LD_PRELOAD"
started dropin_found "LD_LIBRARY_PATH=$PWD/.libs\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}; export LD_LIBRARY_PATH"
ways='linked preloaded'
test ! -e .libs/libfftw3_mpi.so.3 || ways="$ways found"
cp $programs/test_dropin_weft $programs/test_dropin_linked

for ranks in 1 2 3 5; do
    if test -n "$no_fftw_mpi"; then
        run dropin_weft $ranks >$out.$ranks.linked 2>$out.log ||
            fail "$ranks ranks: $(cat $out.log)"
        continue
    fi
    run dropin_fftw $ranks >$out.$ranks.fftw 2>$out.$ranks.fftw.plans || fail "FFTW-MPI on $ranks ranks"
    ! grep -q '^plan (weft' $out.$ranks.fftw.plans || fail "the library found as FFTW's is Weft"
    for way in $ways; do
        run dropin_$way $ranks >$out.$ranks.$way 2>$out.$ranks.$way.plans ||
            fail "Weft, $way, on $ranks ranks: $(cat $out.$ranks.$way.plans)"
        same $out.$ranks.fftw $out.$ranks.$way || fail "FFTW-MPI and Weft ($way) differ on $ranks ranks"
        grep -q '^plan (weft' $out.$ranks.$way.plans || fail "the plans of the program ($way) are not Weft's"
    done
done
test -z "$no_fftw_mpi" || skip 'there is no FFTW-MPI for this MPI to compare with (the program did run on Weft)'
