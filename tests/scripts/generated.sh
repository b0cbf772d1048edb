#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What is generated is what lies in the tree.
srcdir=${srcdir:-.}
status=0
for file in fftw3-mpi.h fftw3-mpi.f03 fftw3l-mpi.f03 weft.f03 weftl.f03 entries.h entries.c preload-entries.c; do
    if ! sh "$srcdir/api/generate" $file | cmp - "$srcdir/api/$file"; then
        echo "api/$file differs from what api/generate makes of api/functions" >&2
        status=1
    fi
done
if ! sh "$srcdir/kernels/base/generate-names" | cmp - "$srcdir/kernels/base/precision-names.h"; then
    echo "kernels/base/precision-names.h differs from what kernels/base/generate-names makes of kernels/base/names" >&2
    status=1
fi
exit $status
