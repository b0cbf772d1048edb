#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each shared library exports every function of fftw3-mpi.h, its twin for Fortran where it takes a communicator, the
# functions of weft.h, and nothing else.
srcdir=${srcdir:-.}
status=0
found=
for letter in '' f l; do
    library=.libs/libweft$letter.so
    test -f $library || continue
    found=yes
    {
        awk -v prefix="fftw${letter}_mpi_" '/^#/ { next }
            { open = index($0, "("); split(substr($0, 1, open - 1), head, " "); print prefix head[2]
              if ($0 ~ /MPI_Comm/) print prefix head[2] "_f03" }' "$srcdir/api/functions"
        sed -n 's/.*WEFT_API .*W(\([a-z_0-9]*\)).*/weft'$letter'_\1/p' "$srcdir/api/weft.h"
    } | LC_ALL=C sort >symbols.expected
    nm -D --defined-only $library | awk '$2 == "T" || $2 == "D" || $2 == "B" || $2 == "R" { print $3 }' |
        LC_ALL=C sort >symbols.exported
    if ! diff symbols.expected symbols.exported; then
        echo "$library does not export what it should (<), or more (>)" >&2
        status=1
    fi
done
rm -f symbols.expected symbols.exported
if test -z "$found"; then
    echo 'no shared library was built'
    exit 77
fi
exit $status
