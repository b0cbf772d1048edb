# SPDX-License-Identifier: BSD-3-Clause
# For test scripts that compile programs: CC, FC, the flags and MPIEXEC come from make. To be sourced.
srcdir=${srcdir:-.}
# What the scripts make lies in a folder of its own, which make clean removes.
programs=tests/scripts/programs
weft_libs="-L.libs -Wl,-rpath,$PWD/.libs -lweft $FFTW_LDFLAGS -lfftw3 -lm"

skip() {
    echo "skipped: $*"
    exit 77
}

fail() {
    echo "failed: $*" >&2
    exit 1
}

test -f .libs/libweft.so || skip 'no shared library was built'
mkdir -p $programs

# run NAME RANKS: test_NAME of that folder.
run() {
    ${SHELL:-sh} "$srcdir/tests/mpi/launch" "$programs/$1-$2.mpi"
}
