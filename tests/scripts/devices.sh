#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Arrays on a device that Weft cannot use: no device library or a wrong one, no driver or an old one, transforms that
# the library refuses, no free memory. Every rank gets NULL and a sentence.
. "${srcdir:-.}/tests/scripts/tools.sh"
DEVICE=$libs/libstandin.so
test -f "$DEVICE" || skip 'there is no stand-in for a device here'
plan_program
export DEVICE N=256 FLAGS=0 STANDIN_LEAKS=ignore

# says LINE SETTING...: both ranks print the line, and the program continues to its end.
says() {
    line=$1
    shift
    env "$@" sh "$srcdir/tests/mpi/launch" $programs/plan-2.mpi >$out/log 2>&1 || fail "$*:"
    has "^rank [01]: $line" 2
}
says 'a plan, $' WEFT_DEVICE="$DEVICE"
says 'no plan, .*WEFT_DEVICE names /no/such.so, which could not be loaded' WEFT_DEVICE=/no/such.so
says 'no plan, .*is no device library' WEFT_DEVICE=$libs/libwatch.so
says 'no plan, .*there is no driver' WEFT_DEVICE="$DEVICE" STANDIN_REFUSE=driver
says 'no plan, .*the driver is too old' WEFT_DEVICE="$DEVICE" STANDIN_REFUSE=old
says 'no plan, .*device 0 cannot do .* FFTs of .*this plan is refused' WEFT_DEVICE="$DEVICE" STANDIN_REFUSE=transforms
says 'no plan, .*out of memory' WEFT_DEVICE="$DEVICE" STANDIN_BYTES=2200000
