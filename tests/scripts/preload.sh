#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# libweft-preload: programs of each precision that are linked to FFTW-MPI run on Weft. If the library of a precision is
# missing, only programs of that precision end with a sentence. Programs without transforms load no MPI.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/preload
preload=$PWD/.libs/libweft-preload.so
mkdir -p $out.stand-in $out.alone
$CC -fPIC -shared -DSTAND_IN "$srcdir/tests/dropin/loaded.c" -o $out.stand-in/libfftw3_mpi.so.3 -Wl,-soname,libfftw3_mpi.so.3 ||
    fail 'the library in place of FFTW-MPI does not compile'

# preloaded NAME RANKS LIBRARY
preloaded() {
    command_of "preload$1" "LD_PRELOAD=$3\${LD_PRELOAD:+:\$LD_PRELOAD} exec $out.program$1"
    WEFT_VERBOSE=1 run preload$1 $2 >$out.log 2>&1
    status=$?
}

for precision in :double f:float l:long\ double; do
    letter=${precision%%:*}
    test -e .libs/libweft$letter.so || continue
    case $letter in
    f) option=-DWEFT_SINGLE ;;
    l) option=-DWEFT_LONG_DOUBLE ;;
    *) option= ;;
    esac
    # shellcheck disable=SC2086
    $CC $option -I"$srcdir/api" $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS "$srcdir/tests/install/program.c" -o $out.program$letter \
        $out.stand-in/libfftw3_mpi.so.3 -Wl,-rpath,$PWD/$out.stand-in $FFTW_LDFLAGS -lfftw3$letter -lm ||
        fail "the program of ${precision#*:} does not compile"
    for ranks in 1 3; do
        preloaded "$letter" $ranks $preload
        test $status -eq 0 && grep -q '^largest error' $out.log || fail "${precision#*:}, $ranks ranks: $(cat $out.log)"
        grep -q "^weft: Weft [0-9.]* (${precision#*:}), .*/libweft$letter.so.0, on" $out.log || fail "not Weft: $(cat $out.log)"
    done
    test "$letter" != f || float=yes
done

# Without the libraries of float and long double.
cp $preload .libs/libweft.so.0 $out.alone
preloaded '' 2 $PWD/$out.alone/libweft-preload.so
grep -q '^largest error' $out.log || fail "double alone: $(cat $out.log)"
if test -n "$float"; then
    preloaded f 1 $PWD/$out.alone/libweft-preload.so
    test $status -ne 0 && grep -q '^weft: libweft-preload cannot load .*libweftf.so.0' $out.log ||
        fail "float without its library: $(cat $out.log)"
fi

# Libraries that it loads into a program that does not call it.
! LD_PRELOAD=$preload ldd /bin/ls | grep -Ei 'libmpi|fftw' || fail 'it brings MPI or FFTW into every program'
