#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs compute the same bits in every run: with ESTIMATE and any backend, and with MEASURE once a file of FFTW's
# wisdom exists, which serial FFTW and fftw-wisdom can also read and write.
. "${srcdir:-.}/tests/scripts/tools.sh"
measure=0 estimate=64 wisdom_only=0x200000
compile $out/test_bits "$srcdir/tests/dropin/program.c" $weft_libs
compile $out/serial "$srcdir/tests/dropin/wisdom.c" $fftw_libs

# bits FLAGS FROM TO: writes the output to the file TO, and wisdom to TO.wisdom
bits() {
    export PROGRAM_FLAGS=$1 PROGRAM_FROM=${2:+$out/$2.wisdom} PROGRAM_TO=$out/$3.wisdom
    run bits 3 >$out/$3 2>$out/log || fail "$3: $(head -n 20 $out/$3)"
    test "$(wc -l <$out/$3)" -gt 1000 && ! grep cannot $out/$3 || fail "$3: $(head -n 5 $out/$3)"
}

# alike FIRST SECOND
alike() {
    diff $out/$1 $out/$2 >$out/diff || fail "$2 is not as $1: $(head -n 5 $out/diff)"
}

for backend in auto shared waitsome; do
    export WEFT_BACKEND=$backend
    bits $estimate '' first-$backend
    bits $estimate '' again-$backend
    alike first-$backend again-$backend
done
unset WEFT_BACKEND

bits $measure '' run1
bits $wisdom_only run1 run2
bits $measure run2 run3
alike run2 run3

WISDOM_FROM=$out/run3.wisdom WISDOM_TO=$out/serial.wisdom $out/serial || fail 'serial FFTW does not read it'
bits $wisdom_only serial run4
WISDOM_TO=$out/plain.wisdom $out/serial || fail 'serial FFTW does not write'
bits $estimate plain run5
alike first-auto run5

command -v fftw-wisdom >/dev/null || exit 0
fftw-wisdom -n -w $out/run3.wisdom -o $out/tool.wisdom 2>$out/log || fail fftw-wisdom:
bits $wisdom_only tool run6
alike run2 run6
