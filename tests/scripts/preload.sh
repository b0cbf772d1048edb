#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# libweft-preload: programs of each precision that are linked to FFTW-MPI run on Weft. If the library of a precision is
# missing, only programs of that precision end with a sentence. Programs without transforms load no MPI.
. "${srcdir:-.}/tests/scripts/tools.sh"
preload=$libs/libweft-preload.so
stand_in $out/stand-in
mkdir $out/alone
# preloaded LETTER RANKS LIBRARY
preloaded() {
    WEFT_VERBOSE=1 every $2 "LD_PRELOAD=$3\${LD_PRELOAD:+:\$LD_PRELOAD} exec $out/program$1" >$out/log 2>$out/errors
    status=$? && cat $out/errors >>$out/log && return $status
}

for precision in :double f:float l:long\ double; do
    letter=${precision%%:*}
    test -e .libs/libweft$letter.so || continue
    case $letter in
    f) option=-DWEFT_SINGLE ;;
    l) option=-DWEFT_LONG_DOUBLE ;;
    *) option= ;;
    esac
    compile $out/program$letter $option "$srcdir/tests/install/program.c" $out/stand-in/libfftw3_mpi.so.3 \
        -Wl,-rpath,$out/stand-in $FFTW_LDFLAGS -lfftw3$letter -lm
    for ranks in 1 3; do
        preloaded "$letter" $ranks $preload || fail "${precision#*:}, $ranks ranks:"
        has '^largest error'
        has "^weft: Weft [0-9.]* (${precision#*:}), .*/libweft$letter.so.0, on"
    done
done

# Without the libraries of float and long double.
cp $preload .libs/libweft.so.0 $out/alone
preloaded '' 2 $out/alone/libweft-preload.so || fail 'double alone:'
has '^largest error'
if test -e $out/programf; then
    ! preloaded f 1 $out/alone/libweft-preload.so || fail 'float without its library:'
    has '^weft: libweft-preload cannot load .*libweftf.so.0'
fi

# Libraries that it loads into a program that does not call it.
! LD_PRELOAD=$preload ldd /bin/ls | grep -Ei 'libmpi|fftw' || fail 'it brings MPI or FFTW into every program'
