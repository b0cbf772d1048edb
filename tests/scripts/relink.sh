#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The line of README.md that relinks a program, on a system whose loader also knows an FFTW-MPI. The test runs in a
# separate mount namespace with another loader cache. Skipped if that is not allowed.
. "${srcdir:-.}/tests/scripts/tools.sh"
line=$(sed -n 's/^| relink | `mpicc program.o \([^`]*\)`.*/\1/p' "$srcdir/README.md" | sed "s|/usr/local/lib/weft|$libs|g")
test -n "$line" || fail 'README.md has no line to relink a program'

# loads OPTIONS: links the program and prints the libfftw3_mpi that it loads.
loads() {
    compile $out/linked $out/program.o $1
    ldd $out/linked | sed -n 's/.*libfftw3_mpi.so.3 => \([^ ]*\).*/\1/p'
}

if test -z "$INSIDE"; then
    unset LD_LIBRARY_PATH
    may_mount 'mount --bind /dev/null /etc/ld.so.cache' && command -v ldconfig >/dev/null || skip 'the cache of the loader cannot be replaced here'
    stand_in $out/system
    compile $out/program.o -c "$srcdir/tests/install/program.c"
    INSIDE=yes exec unshare --mount $user "${SHELL:-sh}" "$0"
fi
ldconfig -X -C $out/cache $out/system 2>/dev/null && mount --bind $out/cache /etc/ld.so.cache || fail 'no cache'
other=$(loads "$FFTW_LDFLAGS $(echo "$line" | sed 's/-Wl,-rpath,[^ ]*//')")
test "$other" = $out/system/libfftw3_mpi.so.3 || fail "without rpath $other is loaded, not the system's"
for order in "$line" "$(echo "$line" | sed 's/-lfftw3_mpi -lfftw3/-lfftw3 -lfftw3_mpi/')"; do
    ours=$(loads "$FFTW_LDFLAGS $order")
    test "$ours" = $libs/libfftw3_mpi.so.3 || fail "$order: $ours is loaded"
done
