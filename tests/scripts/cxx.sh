#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A C++17 program includes both headers, links and runs.
. "${srcdir:-.}/tests/scripts/tools.sh"
echo 'int main() { return nullptr != nullptr; }' >$programs/probe.cc
$CC -x c++ -std=c++17 $programs/probe.cc -o $programs/probe >/dev/null 2>&1 || skip "$CC compiles no C++17"
$CC -x c++ -std=c++17 -fno-exceptions -Wall -Werror -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS -I"$srcdir/api" \
    -c "$srcdir/tests/scripts/cxx.cc" -o $programs/cxx.o || fail 'the headers do not compile as C++'
$CC $INSTRUMENT_CFLAGS $programs/cxx.o -o $programs/test_cxx $weft_libs || fail 'the functions do not link'
run cxx 2
