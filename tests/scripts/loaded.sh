#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Libraries that a program loads: Weft prints them if WEFT_VERBOSE asks for it, and ends the program with a sentence if
# its plans cannot run: with an MPI of another kind, relinked, preloaded or opened, or with another library's
# fftw_execute.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/loaded
source=$srcdir/tests/dropin/loaded.c program=$srcdir/tests/install/program.c
weft=$PWD/.libs/libweft.so
drop_in="-L.libs -Wl,-rpath,$PWD/.libs -lfftw3_mpi"

# library COMPILER NAME OPTION...: makes a shared library from that source.
library() {
    compiler=$1 name=$2
    shift 2
    $compiler -fPIC -shared "$source" -o "$name" "$@" -ldl || fail "$name does not compile"
}

# alone OPTIONS COMMAND: runs one process without a launcher; gives its status and output.
alone() {
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 env "$@" >$out.log 2>&1 </dev/null
    status=$?
}

# ends WHAT SENTENCE: the program ended early, with status 1 and a sentence that contains SENTENCE.
ends() {
    test $status -eq 1 || fail "$1: status $status: $(cat $out.log)"
    test "$(grep -c '^weft: ' $out.log)" -eq 1 && grep -q "^weft: .*$2" $out.log || fail "$1: $(cat $out.log)"
    ! grep -q '^largest error' $out.log || fail "$1: the program continued"
}

goes_on() {
    test $status -eq 0 && grep -q '^largest error' $out.log || fail "$1: status $status: $(cat $out.log)"
}

# shellcheck disable=SC2086
$CC -I"$srcdir/api" $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS "$program" -o $programs/test_loaded $drop_in $FFTW_LDFLAGS -lfftw3 -lm ||
    fail 'the program does not compile'

# Rank 0 prints one line per process, and only if WEFT_VERBOSE asks for it.
WEFT_VERBOSE=1 run loaded 3 >$out.log 2>&1 || fail "$(cat $out.log)"
test "$(grep -c '^weft: Weft [0-9]' $out.log)" -eq 1 || fail "it does not print once that it is Weft: $(cat $out.log)"
grep -q "^weft: Weft [0-9.]* (double), $PWD/.libs/libfftw3_mpi.so.3, on fftw-3.*libfftw3.so.* and .*MPI.*/libmpi" $out.log ||
    fail "it does not name the loaded libraries: $(cat $out.log)"
WEFT_VERBOSE=1 LD_PRELOAD=$weft run loaded 1 >$out.log 2>&1 || fail "$(cat $out.log)"
grep -q "^weft: Weft [0-9.]* (double), $weft, on" $out.log || fail "it does not name the preloaded one: $(cat $out.log)"
run loaded 2 >$out.log 2>&1 || fail "$(cat $out.log)"
! grep -q '^weft:' $out.log || fail "it prints without WEFT_VERBOSE: $(cat $out.log)"

# Another fftw_execute: of a library with another version or other plans; and of a tool that calls FFTW's.
library cc $out.version.so '-DVERSION="FFTW 3.3.4 wrappers to another library"'
library cc $out.plans.so -DOWN_PLANS
library cc $out.tool.so
alone LD_PRELOAD=$out.version.so $programs/test_loaded
ends 'another version' 'fftw_execute is not FFTW.s but comes from .*loaded.version.so (FFTW 3.3.4 wrappers to another library)'
alone LD_PRELOAD=$out.plans.so $programs/test_loaded
ends 'other plans' 'fftw_execute is not FFTW.s but comes from .*loaded.plans.so'
alone LD_PRELOAD=$out.tool.so $programs/test_loaded
goes_on 'a tool between the program and FFTW'

# The other MPI.
case $($CC -E -dM -include mpi.h -x c /dev/null) in
*OPEN_MPI*) other=mpicc.mpich ;;
*) other=mpicc.openmpi ;;
esac
command -v $other >/dev/null || skip "there is no $other (the rest is right)"
case $other in
*openmpi) kinds='on Open MPI .*libmpi.so.*built for MPICH' ;;
*) kinds='on MPICH.*libmpich.so.*built for Open MPI' ;;
esac
# shellcheck disable=SC2086
$other -I"$srcdir/api" $FFTW_CPPFLAGS "$program" -o $out.relinked $drop_in $FFTW_LDFLAGS -lfftw3 -lm ||
    fail "the program does not compile with $other"
alone $out.relinked
ends 'relinked' "$kinds"
mkdir -p $out.stand-in
library $other $out.stand-in/libfftw3_mpi.so.3 -DSTAND_IN -Wl,-soname,libfftw3_mpi.so.3
# shellcheck disable=SC2086
$other -I"$srcdir/api" $FFTW_CPPFLAGS "$program" -o $out.preloaded $out.stand-in/libfftw3_mpi.so.3 \
    -Wl,-rpath,$PWD/$out.stand-in $FFTW_LDFLAGS -lfftw3 -lm || fail "it does not compile with $other"
alone LD_PRELOAD=$weft $out.preloaded
ends 'preloaded' "$kinds"
library $other $out.starter.so -DSTARTER
cc -DPLUGINS "$source" -o $out.plugins -ldl || fail 'the program of plug-ins does not compile'
alone $out.plugins $PWD/$out.starter.so $weft
ends 'opened' 'MPI.*, but this Weft .* was built for '

# And the tools.
tools/weft-info | grep -q "MPICC=$other" || fail "weft-info does not say how to take the other MPI"
alone tools/weft-bench --against "$PWD/$out.starter.so" 8x8
grep -q 'cannot be opened: it was built for another MPI than weft-bench' $out.log || fail "weft-bench: $(cat $out.log)"
