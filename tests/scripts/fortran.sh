#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fortran programs with our fftw3-mpi.f03, and with FFTW's where it is installed.
. "${srcdir:-.}/tests/scripts/tools.sh"
test -n "$FC" || skip 'no Fortran compiler was found'
include=
for flag in $FFTW_CPPFLAGS -I/usr/include; do
    test -f "${flag#-I}/fftw3.f03" && include=${flag#-I} && break
done
test -n "$include" || skip "FFTW's fftw3.f03 is not there"

# check NAME DIRECTORY: with the fftw3-mpi.f03 of that directory.
check() {
    $FC -I"$2" -I"$include" -c "$srcdir/tests/fortran/transforms.f90" \
        -o $programs/transforms.o || fail "$2/fftw3-mpi.f03 does not compile"
    $CC $INSTRUMENT_CFLAGS "$srcdir/tests/fortran/main.c" $programs/transforms.o -o "$programs/test_$1" \
        $weft_libs -lgfortran || fail "a program with $2/fftw3-mpi.f03 does not link"
    for ranks in 1 2 3; do
        run "$1" $ranks || fail "a program with $2/fftw3-mpi.f03 on $ranks ranks"
    done
}

check fortran_weft "$srcdir/api"
if test -f "$include/fftw3-mpi.f03" && test -f "$include/fftw3l-mpi.f03"; then
    check fortran_fftw "$include"
else
    echo "FFTW's fftw3-mpi.f03 is not there: only ours was tried"
fi
