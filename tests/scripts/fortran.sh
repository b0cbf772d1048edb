#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fortran programs with Weft's fftw3-mpi.f03 and weft.f03, with FFTW's fftw3-mpi.f03 if it is installed, and with
# mpi_f08 if this MPI has it for this compiler. The libraries have every function of the interfaces.
. "${srcdir:-.}/tests/scripts/tools.sh"

interfaces=api
test -f api/weft.f03 || interfaces=$srcdir/api # of a tarball
precisions=one
test ! -e .libs/libweftf.so || test ! -e .libs/libweftl.so || precisions=all
if test $precisions = all; then
    ${NM:-nm} -D --defined-only .libs/libweft*.so | sed 's/.* //; s/@.*//' >$out/exported
    sed -n "s/.*bind(C, name='\(.*\)').*/\1/p" "$interfaces"/*.f03 ./*-f08.f03 >$out/named
    grep -vxFf $out/exported $out/named && fail 'these functions are not in the libraries'
    test "$(wc -l <$out/named)" -gt 400 || fail 'the interfaces name too few functions'
fi

test -n "$FC" || skip 'no Fortran compiler was found'
test -f "$FFTW_INCLUDEDIR/fftw3.f03" || skip "FFTW's fftw3.f03 is not there"

# object NAME SOURCE FLAG...
object() {
    object=$out/$1.o source=$2
    shift 2
    $FC "$@" -I"$FFTW_INCLUDEDIR" -c "$source" -o $object || fail "$source does not compile with $*"
}

# check NAME DEFINITION LIBRARIES OBJECT...: links main.c with the objects and runs it on 1 to 3
# ranks.
check() {
    name=$1 definition=$2 libraries=$3
    shift 3
    compile $out/test_$name $definition "$srcdir/tests/fortran/main.c" "$@" $libraries $weft_libs -lgfortran
    for ranks in 1 2 3; do
        run $name $ranks || fail "$name on $ranks ranks"
    done
}

# in_precision LETTER NAME KIND: changes the program for grids from double to another precision.
in_precision() {
    sed "s/weft_/weft$1_/g; s/weft$1_\(wave\|shells\)\>/weft_\1/; s/fftw_/fftw$1_/g; s/C_DOUBLE/$3/g; s/fortran_grids/fortran_grids_$2/" \
        "$srcdir/tests/fortran/grids.f90" >$out/grids_$2.f90
    object grids_$2 $out/grids_$2.f90 -I"$interfaces"
}

object transforms "$srcdir/tests/fortran/transforms.f90" -std=f2008 -I"$interfaces"
object grids "$srcdir/tests/fortran/grids.f90" -std=f2018 -I"$interfaces"
if test $precisions = all; then
    in_precision f float C_FLOAT
    in_precision l long C_LONG_DOUBLE
    check weft -DGRIDS '-lweftf -lfftw3f -lweftl -lfftw3l' $out/transforms.o $out/grids.o $out/grids_float.o $out/grids_long.o
else
    check weft -DDOUBLE '' $out/transforms.o
fi

if test -f "$FFTW_INCLUDEDIR/fftw3-mpi.f03" && test -f "$FFTW_INCLUDEDIR/fftw3l-mpi.f03"; then
    object transforms_fftw "$srcdir/tests/fortran/transforms.f90" -I"$FFTW_INCLUDEDIR"
    check fftw -DDOUBLE '' $out/transforms_fftw.o
else
    echo "FFTW's fftw3-mpi.f03 is not there: only ours was tried"
fi

# The same programs with mpi_f08 and its type of communicators.
printf 'use mpi_f08\ntype(MPI_Comm) :: comm\ncall MPI_Comm_dup(MPI_COMM_WORLD, comm)\nend\n' >$out/probe.f90
test -n "$MPIFC" && $MPIFC $out/probe.f90 -o $out/probe >$out/probe.log 2>&1 ||
    skip "there is no mpi_f08 of this MPI for a Fortran compiler (the other programs are right)"
FC=$MPIFC
for name in transforms grids; do
    sed -e "s/fortran_$name/${name}_f08/; s/integer(c_int32_t), value :: comm/type(MPI_Comm), intent(in) :: comm/" \
        -e "s/use, intrinsic :: iso_c_binding/use mpi_f08\n&/; s/\.f03/-f08.f03/" \
        -e '/^! The long double/,$d' "$srcdir/tests/fortran/$name.f90" >$out/${name}_f08.f90
    object ${name}_f08 $out/${name}_f08.f90 -I.
done
$MPIFC $INSTRUMENT_CFLAGS "$srcdir/tests/fortran/f08.f90" $out/transforms.o $out/grids.o \
    $out/transforms_f08.o $out/grids_f08.o -o $out/test_f08 $weft_libs ||
    fail 'the program with mpi_f08 does not link'
for ranks in 1 3; do
    run f08 $ranks || fail "mpi_f08 on $ranks ranks"
done
