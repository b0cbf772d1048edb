#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Libraries that a program loads: Weft prints them if WEFT_VERBOSE asks for it, and ends the program with a sentence if
# its plans cannot run: with an MPI of another kind, relinked, preloaded or opened, or with another library's
# fftw_execute.
. "${srcdir:-.}/tests/scripts/tools.sh"
source=$srcdir/tests/dropin/loaded.c program=$srcdir/tests/install/program.c
drop_in="-L.libs -Wl,-rpath,$libs -lfftw3_mpi $fftw_libs"

# ends SENTENCE ASSIGNMENT... COMMAND: the program ends early, with status 1 and the sentence.
ends() {
    sentence=$1
    shift
    alone "$@" >$out/log 2>&1
    test $? -eq 1 || fail "$*: the status is not 1:"
    has '^weft: ' 1
    has "^weft: .*$sentence"
    lacks '^largest error'
}

compile $out/test_loaded "$program" $drop_in

# Rank 0 prints one line per process, and only if WEFT_VERBOSE asks for it.
WEFT_VERBOSE=1 run loaded 3 >$out/log 2>&1 || fail 'on 3 ranks:'
has '^weft: Weft [0-9]' 1
has "^weft: Weft [0-9.]* (double), $libs/libfftw3_mpi.so.3, on fftw-3.*libfftw3.so.* and .*MPI.*/libmpi"
WEFT_VERBOSE=2147483648 LD_PRELOAD=$libs/libweft.so run loaded 1 >$out/log 2>&1 || fail preloaded:
has "^weft: Weft [0-9.]* (double), $libs/libweft.so, on"
run loaded 2 >$out/log 2>&1 || fail 'on 2 ranks:'
lacks '^weft:'

# Another fftw_execute: of a library with another version or other plans; and of a tool that calls FFTW's.
library $out/version.so "$source" '-DVERSION="FFTW 3.3.4 wrappers to another library"'
library $out/plans.so "$source" -DOWN_PLANS
library $out/tool.so "$source"
ends 'fftw_execute is not FFTW.s but comes from .*/version.so (FFTW 3.3.4 wrappers to another library)' \
    LD_PRELOAD=$out/version.so $out/test_loaded
ends 'fftw_execute is not FFTW.s but comes from .*/plans.so' LD_PRELOAD=$out/plans.so $out/test_loaded
alone LD_PRELOAD=$out/tool.so $out/test_loaded >$out/log 2>&1 || fail 'a tool between the program and FFTW:'
has '^largest error'

# The other MPI.
case $($CC -E -dM -include mpi.h -x c /dev/null) in
*OPEN_MPI*) other=mpicc.mpich kinds='on MPICH.*libmpich.so.*built for Open MPI' ;;
*) other=mpicc.openmpi kinds='on Open MPI .*libmpi.so.*built for MPICH' ;;
esac
command -v $other >/dev/null || skip "there is no $other (the rest is right)"
CC=$other INSTRUMENT_CFLAGS=
compile $out/relinked "$program" $drop_in
ends "$kinds" $out/relinked
stand_in $out/stand-in
compile $out/preloaded "$program" $out/stand-in/libfftw3_mpi.so.3 -Wl,-rpath,$out/stand-in $fftw_libs
ends "$kinds" LD_PRELOAD=$libs/libweft.so $out/preloaded
library $out/starter.so "$source" -DSTARTER
cc -DPLUGINS "$source" -o $out/plugins -ldl || fail 'the program of plug-ins does not compile'
ends 'MPI.*, but this Weft .* was built for ' $out/plugins $out/starter.so $libs/libweft.so

# And the tools.
tools/weft-info | grep -q "MPICC=$other" || fail "weft-info does not say how to take the other MPI"
alone tools/weft-bench --against $out/starter.so 8x8 >$out/log 2>&1
has 'cannot be opened: it was built for another MPI than weft-bench'
