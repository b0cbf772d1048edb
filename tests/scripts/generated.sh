#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The generators write the generated files of this build again, with every awk of this system.
srcdir=${srcdir:-.}
status=0
bin=tests/scripts/programs/generated.tmp
rm -rf $bin && mkdir -p $bin || exit

# compare FILE COMMAND...: compares the file with the output of the command. (A tarball has the file
# beside its list.)
compare() {
    file=$1
    shift
    test -f "$file" || file=$srcdir/$file
    PATH=$PWD/$bin:$PATH "$@" | cmp - "$file" && return
    echo "$file differs from what $* writes with $awk" >&2
    status=1
}

for awk in mawk gawk original-awk busybox; do
    path=$(command -v $awk) || continue
    ln -sf "$path" $bin/awk
    for name in fftw3-mpi.h fftw3-mpi.f03 fftw3l-mpi.f03 weft.f03 weftl.f03 entries.h entries.c preload-entries.c; do
        compare api/$name sh "$srcdir/api/generate" $name
    done
done
rm -rf $bin
compare kernels/base/precision-names.h sh "$srcdir/kernels/base/generate-names"
exit $status
