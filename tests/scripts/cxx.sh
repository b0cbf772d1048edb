#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A C++17 program includes both headers, links and runs.
. "${srcdir:-.}/tests/scripts/tools.sh"
echo 'int main() { return nullptr != nullptr; }' >$out/probe.cc
$CC -x c++ -std=c++17 $out/probe.cc -o $out/probe >/dev/null 2>&1 || skip "$CC compiles no C++17"
compile $out/cxx.o -x c++ -std=c++17 -fno-exceptions -Wall -Werror -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX -DUSE_WEFT_H \
    -c "$srcdir/tests/install/program.c"
$CC $INSTRUMENT_CFLAGS $out/cxx.o -o $out/test_cxx $weft_libs || fail 'the functions do not link'
run cxx 2
