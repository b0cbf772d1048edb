#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One program, linked in every way: libweft and libfftw3, each shared or static, and the shared ones in both orders.
# Weft makes the plans, libfftw3 runs them, and the numbers are equal. Ways whose archive is missing are skipped.
. "${srcdir:-.}/tests/scripts/tools.sh"
compile $out/program.o -c "$srcdir/tests/dropin/program.c"

# archive NAME: prints the static library of that name that the linker finds.
archive() {
    for flag in $FFTW_LDFLAGS; do
        case $flag in
        -L*) test ! -f "${flag#-L}/$1" || { echo "${flag#-L}/$1" && return; } ;;
        esac
    done
    found=$($CC -print-file-name="$1")
    test "$found" = "$1" || echo "$found"
}

weft_shared="-L.libs -Wl,-rpath,$libs -lweft"
fftw_shared="$FFTW_LDFLAGS -lfftw3"
weft_static=.libs/libweft.a
fftw_static=$(archive libfftw3.a)
# Other libraries that the static ones need, without libfftw3.
others=$(sed -n 's/^Libs.private://p' weft.pc | sed 's/ -lfftw3[a-z_]*/ /g')

# needs NAME LIBRARY yes/no: checks whether the program loads that shared library.
needs() {
    case $(ldd $out/test_$1) in
    *"$2"*) loaded=yes ;;
    *) loaded=no ;;
    esac
    test $loaded = "$3" || fail "$1: is $2 loaded? $loaded"
}

# way NAME WEFT FFTW LIBRARIES: links and runs; WEFT and FFTW: whether these libraries are shared.
way() {
    compile $out/test_$1 $out/program.o $4 $others
    needs "$1" libweft.so "$2"
    needs "$1" libfftw3.so "$3"
    run $1 2 >$out/$1 2>$out/log || fail "$1:"
    has '^plan (weft'
    same $out/weft_first $out/$1 || fail "$1: other numbers"
}

way weft_first yes yes "$weft_shared $fftw_shared"
way fftw_first yes yes "-Wl,--no-as-needed $fftw_shared $weft_shared"
missing=
if test -f "$fftw_static"; then
    way fftw_static yes yes "$weft_shared $fftw_static" # libweft.so brings the shared one along
else
    missing="libfftw3.a"
fi
if test -f $weft_static; then
    way weft_static no yes "$weft_static $fftw_shared"
    # By the linker options that programs use for FFTW's archives.
    test ! -f .libs/libfftw3_mpi.a || way fftws_line no yes "-L.libs -Wl,-Bstatic -lfftw3_mpi -Wl,-Bdynamic $fftw_shared"
    test -n "$missing" || way static no no "$weft_static $fftw_static"
else
    missing="$missing libweft.a"
fi
test -z "$missing" || skip "there is no ${missing# } (the other ways are right)"
