#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The line of README.md that relinks a program, on a system whose loader also knows an FFTW-MPI. The test runs in a
# separate mount namespace with another loader cache. Skipped if that is not allowed.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/relink
line=$(sed -n 's/^| relink | `mpicc program.o \([^`]*\)`.*/\1/p' "$srcdir/README.md" | sed "s|/usr/local/lib/weft|$PWD/.libs|g")
test -n "$line" || fail 'README.md has no line to relink a program'
mkdir -p $out.system
$CC -fPIC -shared -DSTAND_IN "$srcdir/tests/dropin/loaded.c" -o $out.system/libfftw3_mpi.so.3 -Wl,-soname,libfftw3_mpi.so.3 ||
    fail 'the library of the system does not compile'
$CC -I"$srcdir/api" $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS -c "$srcdir/tests/install/program.c" -o $out.o || fail 'no object'

# loads NAME OPTIONS: links the program and prints the libfftw3_mpi that it loads.
loads() {
    # shellcheck disable=SC2086
    $CC $INSTRUMENT_CFLAGS $out.o -o $out.$1 $2 || fail "$1 does not link"
    ldd $out.$1 | sed -n 's/.*libfftw3_mpi.so.3 => \([^ ]*\).*/\1/p'
}

if test -z "$INSIDE"; then
    unset LD_LIBRARY_PATH
    may_mount 'mount --bind /dev/null /etc/ld.so.cache' && command -v ldconfig >/dev/null || skip 'the cache of the loader cannot be replaced here'
    INSIDE=yes
    export INSIDE
    # shellcheck disable=SC2086
    exec unshare --mount $user "${SHELL:-sh}" "$0"
fi
ldconfig -X -C $out.cache "$PWD/$out.system" 2>/dev/null && mount --bind $out.cache /etc/ld.so.cache || fail 'no cache'
other=$(loads without "$FFTW_LDFLAGS $(echo "$line" | sed 's/-Wl,-rpath,[^ ]*//')")
test "$other" = "$PWD/$out.system/libfftw3_mpi.so.3" || fail "without rpath $other is loaded, not the system's"
for order in "$line" "$(echo "$line" | sed 's/-lfftw3_mpi -lfftw3/-lfftw3 -lfftw3_mpi/')"; do
    ours=$(loads with "$FFTW_LDFLAGS $order")
    test "$ours" = "$PWD/.libs/libfftw3_mpi.so.3" || fail "$order: $ours is loaded"
done
