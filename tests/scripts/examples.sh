#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compiles each example by the lines in its comment and runs it on 1 and 3 ranks. Each example compares its result
# with an exact solution. Examples with a line for FFTW-MPI also run with FFTW-MPI, if there is one for this MPI.
. "${srcdir:-.}/tests/scripts/tools.sh"
srcdir=$(cd "$srcdir" && pwd)
examples=$srcdir/examples

# The commands of these lines, for this build.
mpicc() {
    case $* in *-lcudart*) # without CUDA the stand-in has the functions that the example calls
        for argument; do
            shift
            case $argument in -lcudart) set -- "$@" "-I$srcdir/tests/device/cuda" "-I$srcdir" -ldl ;;
            *) set -- "$@" "$argument" ;; esac
        done ;;
    esac
    $CC $INSTRUMENT_CFLAGS "$@"
}
mpicxx() {
    $CXX_OF_MPI $INSTRUMENT_CFLAGS "$@"
}
mpifort() {
    $MPIFC $INSTRUMENT_CFLAGS "$@"
}
pkg_config() {
    case $* in
    *weft) echo "-I$FFTW_INCLUDEDIR $headers -L$libs -Wl,-rpath,$libs -lweft $FFTW_LDFLAGS -lfftw3" ;;
    *) echo "$headers $fftw_mpi_path $FFTW_LDFLAGS -lfftw3" ;;
    esac
}

# compiled SOURCE LIBRARY NAME: compiles by the line that names the library; the program is test_NAME.
compiled() {
    line=$(sed -n '/^.\{0,2\} *mpi[a-z]* .* -o .*'"$2"'/{s/^[^m]*//;s/ (FFTW-MPI)$//;p;q}' "$examples/$1")
    test -n "$line" || return
    (cd "$examples" && eval "$(echo "$line" | sed "s,-o [a-z0-9_-]*,-o '$out/test_$3',; s,pkg-config,pkg_config,")")
}

CXX_OF_MPI=$(command -v "$(echo "${CC%% *}" | sed 's/mpicc/mpicxx/')")
printf 'use mpi\nend\n' >$out/probe.f90
test -n "$MPIFC" && $MPIFC $out/probe.f90 -o $out/probe >/dev/null 2>&1 || MPIFC=
left_out=
tried=0
for source in "$examples"/*.c "$examples"/*.cc "$examples"/*.f90; do
    source=${source##*/}
    name=$(echo "$source" | tr . _)
    why=
    case $source in
    *.cc) test -n "$CXX_OF_MPI" || why='no C++ compiler of this MPI' ;;
    *.f90) test -n "$MPIFC" || why='no Fortran compiler of this MPI' ;;
    *_cuda.c) test -e .libs/libstandin.so || why='no stand-in for a device here' ;;
    esac
    if test -n "$why"; then left_out="$left_out $source ($why)"; continue; fi
    compiled "$source" weft "$name" || fail "$source does not compile: $line"
    for ranks in 1 3; do
        case $source in heat.* | turbulence.c | spectrum.c) file=$out/$name.$ranks ;; *) file= ;; esac
        (case $source in *_cuda.c) export WEFT_DEVICE=$libs/libstandin.so ;; esac
            run "$name" $ranks ${file:+"$file"}) >$out/log 2>&1 || fail "$source on $ranks ranks:"
        has 'largest error'
    done
    tried=$((tried + 1))
    test -z "$FFTW_MPI_LDFLAGS" || ! grep -q 'FFTW-MPI)$' "$examples/$source" || test "${source%.f90}" != "$source" ||
        { compiled "$source" fftw3_mpi "${name}_fftw" && run "${name}_fftw" 2; } || fail "$source with FFTW-MPI: $line"
done
test $tried -ge 4 || fail "only $tried examples were tried"

# Pictures and scripts are complete, and equal on 1 and 3 ranks. painted NAME LEAST-BYTES MOST-BYTES
# FIRST-BYTES
painted() {
    for ranks in 1 3; do
        bytes=$(wc -c <$out/$1.$ranks)
        test "$(head -c ${#4} $out/$1.$ranks)" = "$4" && test "$bytes" -ge "$2" && test "$bytes" -le "$3" ||
            fail "the file of $1 on $ranks ranks: $(head -c 100 $out/$1.$ranks)"
    done
    ! run $1 1 $out/none/file >$out/log 2>&1 || fail "$1 writes a file that cannot be written"
}
painted heat_c 24590 24590 P6
painted turbulence_c 27661 27661 P6
painted spectrum_c 500 5000 '$shells'
test ! -x $out/test_heat_f90 || painted heat_f90 50000 150000 P3
cmp $out/turbulence_c.1 $out/turbulence_c.3 >/dev/null || echo 'turbulence.c: pictures of 1 and 3 ranks differ by rounding'
if command -v gnuplot >/dev/null; then
    (cd $out && gnuplot spectrum_c.3 && grep -q measured spectrum.svg) || fail 'gnuplot does not draw the spectrum'
fi

# Wrong options give a message; taylor-green makes a picture.
! run taylor-green_c 1 --points 31 >$out/log 2>&1 || fail 'taylor-green takes an odd number of points'
has '--points does not make sense'
run taylor-green_c 2 --points 8 --time 0.1 --picture $out/slice.ppm >$out/log || fail 'no picture:'
test "$(head -c 3 $out/slice.ppm)" = P6 && test "$(wc -c <$out/slice.ppm)" -eq $((11 + 3 * 64)) || fail 'the picture is invalid'
test -z "$left_out" || skip "$left_out; the other examples are right"
