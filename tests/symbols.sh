#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compares the symbols of the libraries with the functions of api/functions and api/weft.h, and with the functions
# that Fortran needs for communicators. Static libraries hide no symbols, so every name there must have one of Weft's
# prefixes. Run it in the build folder.
api=$(dirname "$0")/../api
libs=.libs
NM=${NM:-nm}
export LC_ALL=C

exported() {
    $NM -D --defined-only "$1" | awk '{ print $NF }' | sed 's/@.*//' | grep -v -e '^_' -e '^mangle_path$' -e '^WEFT_[0-9]*$' | sort # gcov's; a version
}

if test ! -e $libs/libweft$SUFFIX.so; then
    echo "No shared libraries in $libs: nothing to compare."
    exit 77
fi
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
status=0
list=$scratch/list
{
    sed -n '/^#/d; s/^[^(]* \**\([a-z0-9_]*\)(/fftw_mpi_\1 /p' "$api/functions"
    tr '\n' ' ' <"$api/weft.h" | grep -o 'W([a-z_0-9]*)([^;]*;' | sed 's/W(\([a-z_0-9]*\))/weft_\1 /'
} | awk '{ print $1 } /MPI_Comm/ { print $1 "_f08" } /^fftw.*MPI_Comm/ { print $1 "_f03" }' >"$list"
test "$(wc -l <"$list")" -gt 150 || { echo "$list has too few names"; exit 1; }
# empty FILE TEXT: whether the file is; otherwise prints the text and the file.
empty() {
    test ! -s "$scratch/$1" && return
    echo "$2:"
    cat "$scratch/$1"
    status=1
}
# compare LIBRARY: compares its symbols with the wanted names, if it is there.
compare() {
    test -e "$libs/$1.so" || return
    exported "$libs/$1.so" | diff "$scratch/wanted" - | grep '^[<>]' >"$scratch/diff"
    empty diff "$1.so: '<' is missing, '>' should be hidden or be declared in the headers"
}

for letter in '' f l; do
    sed "s/^fftw_/fftw${letter}_/; s/^weft_/weft${letter}_/" "$list" | sort >"$scratch/wanted"
    for library in libweft$letter$SUFFIX libfftw3${letter}_mpi; do
        compare "$library"
        test -e "$libs/$library".a || continue
        $NM -g --defined-only "$libs/$library".a 2>/dev/null | awk 'NF == 3 { print $3 }' |
            grep -Ev "^_|^weft[fl]?_|^fftw[fl]?_mpi_" >"$scratch/others"
        empty others "$library.a: these names do not begin as Weft's do"
    done
done
# The library for arrays on a GPU exports only its table.
echo weft_device_library >"$scratch/wanted"
compare libweft-cuda$SUFFIX
# The library to preload exports FFTW-MPI's functions of all built precisions.
for letter in '' f l; do
    test ! -e $libs/libweft$letter$SUFFIX.so || sed -n "s/^fftw_/fftw${letter}_/p" "$list"
done | sort >"$scratch/wanted"
compare "libweft-preload$SUFFIX"
# The functions of libweft have versions, if the linker supports them. Functions with FFTW's names have none, like
# FFTW's.
for library in $libs/libweft$SUFFIX.so $libs/libweft[fl]$SUFFIX.so; do
    test "$VERSIONS" = yes && test -e $library || continue
    $NM -D --defined-only $library | grep -v '[@]WEFT_[0-9]*$' | grep ' T ' >"$scratch/plain"
    empty plain "$library: without a version"
done
for library in $libs/libfftw3*_mpi.so $libs/libweft-preload$SUFFIX.so; do
    test -e $library || continue
    $NM -D --defined-only $library | grep '[@]' >"$scratch/versions"
    empty versions "$library: with a version, which FFTW's library has not"
done
exit $status
