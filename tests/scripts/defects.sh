#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What has been reported of FFTW's MPI library (tests/dropin/defects.c) is right with Weft. With FFTW_MPI_LDFLAGS set, or
# where the linker finds an FFTW-MPI for this MPI, the log says what that does; nothing is asked of it.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/test_defects
# Issues of FFTW's tracker, and on how many ranks.
cases='20:2 20:3 20:5 33:2 43:3 65:5 65:7 167:3 174:2 174:3 194:2 194:4'
$CC $INSTRUMENT_CFLAGS -I"$srcdir/api" $FFTW_CPPFLAGS "$srcdir/tests/dropin/defects.c" -o $out.weft $weft_libs ||
    fail 'the program does not compile'

# each PROGRAM: runs all cases.
each() {
    for case in $cases; do
        printf '#!/bin/sh\nexec "%s" %s\n' "$PWD/$1" "${case%:*}" >$out
        chmod +x $out
        printf '%s ranks, ' "${case#*:}"
        if TIME_LIMIT=${2:-120} run defects "${case#*:}" >$out.log 2>&1 && grep "^${case%:*}: " $out.log; then
            :
        else
            grep "^${case%:*}: " $out.log || echo "${case%:*}: the program ends, or hangs"
            bad="$bad $case"
        fi
    done
}
each $out.weft
test -z "$bad" || fail "$bad: $(cat $out.log)"

$CC $INSTRUMENT_CFLAGS $FFTW_CPPFLAGS "$srcdir/tests/dropin/defects.c" -o $out.fftw $fftw_mpi_path $FFTW_LDFLAGS \
    -lfftw3_mpi -lfftw3 -lm 2>$out.log && ldd $out.fftw | grep -q libfftw3_mpi || exit 0
echo 'FFTW-MPI:'
each $out.fftw 20 2>/dev/null
exit 0
