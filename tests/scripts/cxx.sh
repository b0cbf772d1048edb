#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A C++17 program includes both headers, links and runs.
. "${srcdir:-.}/tests/scripts/tools.sh"
mkdir -p tests/mpi
echo 'int main() { return nullptr != nullptr; }' >cxx_probe.cc
$CC -x c++ -std=c++17 cxx_probe.cc -o cxx_probe >/dev/null 2>&1 || no_cxx=yes
rm -f cxx_probe cxx_probe.cc
test -z "$no_cxx" || skip "$CC compiles no C++17"
$CC -x c++ -std=c++17 -Wall -Werror -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS -I"$srcdir/api" \
    -c "$srcdir/tests/scripts/cxx.cc" -o tests/mpi/cxx.o || fail 'the headers do not compile as C++'
$CC $INSTRUMENT_CFLAGS tests/mpi/cxx.o -o tests/mpi/test_cxx $weft_libs || fail 'the functions do not link'
run cxx 2
