#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# make installcheck: builds programs with the installed Weft in each way of users, and runs them on 2 ranks. It names
# and skips ways for which a program is missing (cmake, a Fortran compiler). From the environment: CC, FC, MPIFC,
# CFLAGS, MAKE, PREFIX, SUFFIX, WEFT_INFO, LIBDIR, INCLUDEDIR, DROPINDIR, FFTW_CPPFLAGS, FFTW_LDFLAGS, LAUNCH and its
# variables. Run it in the build folder.
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0
shared=no
test ! -e "$LIBDIR/libweft$SUFFIX.so" || shared=yes
fortran=no
printf 'use mpi\nend\n' >"$scratch/probe.f90"
test -n "$MPIFC" && $MPIFC "$scratch/probe.f90" -o "$scratch/probe" >/dev/null 2>&1 && fortran=yes

failure() {
    echo "installcheck: $*" >&2
    failed=1
}

left_out() {
    echo "installcheck: $*: left out"
}

# launched NAME FOLDER WORDS: runs test_NAME, which searches libraries in FOLDER first. (A program with another MPI
# than the launcher's would run twice on 1 rank.)
launched() {
    echo "installcheck: $1: $3"
    LD_LIBRARY_PATH="$2${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" sh "$LAUNCH" "$scratch/$1-2.mpi" >"$scratch/out" || failure "$1 failed"
    cat "$scratch/out"
    grep -q 'on 2 ranks' "$scratch/out" || failure "$1 did not run on 2 ranks"
}

# tried NAME FOLDER WORDS OPTION...: makes test_NAME of program.c, or of program.f90 if Fortran is in the name, and runs it.
tried() {
    name=$1 folder=$2 words=$3
    shift 3
    case $name:$fortran in
    *fortran:no) left_out "$name: there is no Fortran compiler with this MPI" && return ;;
    *fortran:*) $MPIFC "$here/program.f90" -o "$scratch/test_$name" "$@" ;;
    *) $CC $CFLAGS "$here/program.c" -o "$scratch/test_$name" "$@" -lm ;;
    esac && launched $name "$folder" "$words" || failure "$name does not compile"
}

# threads FILE: prints "omp" if the file is linked to OpenMP's library.
threads() {
    ldd "$1" 2>/dev/null | grep -o 'omp\.so' | sort -u
}

# shellcheck disable=SC2046
by_pkg_config() {
    PKG_CONFIG_PATH=$LIBDIR/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
    export PKG_CONFIG_PATH
    static=
    test $shared = yes || static=--static
    for letter in '' f l; do
        test -e "$LIBDIR/pkgconfig/weft$letter$SUFFIX.pc" || continue
        case $letter in
        f) precision=-DWEFT_SINGLE ;;
        l) precision=-DWEFT_LONG_DOUBLE ;;
        *) precision=-DWEFT_DOUBLE ;;
        esac
        tried pkgconfig$letter "$LIBDIR" "pkg-config $static --cflags --libs weft$letter$SUFFIX" -DUSE_WEFT_H $precision \
            $(pkg-config $static --cflags --libs weft$letter$SUFFIX)
        if test -e "$LIBDIR/libweft$letter$SUFFIX.a"; then
            tried static$letter '' "libweft$letter$SUFFIX.a, pkg-config --static" -DUSE_WEFT_H $precision \
                $(pkg-config --cflags weft$letter$SUFFIX) -Wl,--as-needed "$LIBDIR/libweft$letter$SUFFIX.a" \
                $(pkg-config --static --libs weft$letter$SUFFIX)
            test $shared = no || test "$(threads "$LIBDIR/libweft$letter$SUFFIX.so")" = "$(threads "$scratch/test_static$letter")" ||
                failure "static$letter has threads where libweft$letter$SUFFIX.so has none, or the other way round"
        fi
    done
    tried pkgconfig_fortran "$LIBDIR" "Fortran, pkg-config $static --cflags --libs weft$SUFFIX" \
        $(pkg-config $static --cflags --libs weft$SUFFIX)
}

# cmake_configured OPTION...: configures the user's project with the compilers that CMake finds.
cmake_configured() {
    rm -rf "$scratch/cmake" && mkdir "$scratch/cmake"
    (cd "$scratch/cmake" && env -u CC -u CXX FC="$FC" CFLAGS="$CFLAGS" CXXFLAGS="$CFLAGS" \
        CMAKE_PREFIX_PATH="${LIBDIR%/*}" cmake -DPACKAGE=weft$SUFFIX -Dweft${SUFFIX}_DIR="$LIBDIR/cmake/weft$SUFFIX" "$@" "$here") >"$scratch/log" 2>&1
}

# A project for every set of languages.
by_cmake() {
    for languages in C CXX 'C;CXX' Fortran 'C;Fortran'; do
        case $languages:$fortran in
        *Fortran:no)
            left_out "CMake, $languages: there is no Fortran compiler with this MPI"
            continue
            ;;
        esac
        cmake_configured "-DLANGUAGES=$languages" && cmake --build "$scratch/cmake" >>"$scratch/log" 2>&1 &&
            ! grep -q 'but not for C' "$scratch/log" || {
            cat "$scratch/log"
            failure "cmake failed for $languages"
            continue
        }
        for program in "$scratch"/cmake/test_*; do
            cp "$program" "$scratch"
            launched "${program##*/test_}" "$LIBDIR" "find_package(weft$SUFFIX), languages $languages"
        done
    done
    for other in mpicc.mpich mpicc.openmpi; do
        case $CC in *$other*) continue ;; esac
        command -v $other >/dev/null || continue
        echo "installcheck: find_package(weft) after find_package(MPI) of $other"
        cmake_configured -DLANGUAGES=C -DFIRST=MPI "-DMPI_C_COMPILER=$(command -v $other)" &&
            failure "a project of $other takes this Weft"
        tr -s '\n ' '  ' <"$scratch/log" | grep -q 'Weft was built for' || failure "CMake does not say: Weft was built for..."
    done
}

by_drop_in() {
    line="-L$DROPINDIR -Wl,-rpath,$DROPINDIR $FFTW_LDFLAGS -lfftw3_mpi -lfftw3"
    tried dropin '' "$line" "-I$INCLUDEDIR" $FFTW_CPPFLAGS $line
    tried dropin_fortran '' "Fortran, $line" "-I$INCLUDEDIR" $line -lm
    if test $shared = yes && command -v ldd >/dev/null; then
        ldd "$scratch/test_dropin" | grep -qF "libfftw3_mpi.so.3 => $DROPINDIR/" || failure "the drop-in library was not used"
    fi
    test ! -e "$DROPINDIR/libfftw3_mpi.a" || tried dropin_static '' 'libfftw3_mpi.a -lfftw3' "-I$INCLUDEDIR" $FFTW_CPPFLAGS \
        "$DROPINDIR/libfftw3_mpi.a" $FFTW_LDFLAGS -lfftw3
}

# Uninstalling removes every installed file, but not FFTW's MPI library with the same names.
by_hand() {
    echo 'installcheck: make install, make uninstall'
    for target in install uninstall; do
        "$MAKE" -s $target DESTDIR="$scratch/root" >"$scratch/log" 2>&1 || failure "make $target with DESTDIR: $(cat "$scratch/log")"
        missing=$(find "$scratch/root" -name '*.md' -exec sh -c 'cd "${1%/*}" && sed "s/](/\n&/g" "$1" | sed -n "s/^](\([^):#]*\)).*/\1/p" | xargs -r ls -d' sh {} \; 2>&1 >/dev/null)
        test -z "$missing" || failure "links in installed texts: $missing"
    done
    # It also removes Weft's folders; a prefix outside the system is then empty.
    left=$(find "$scratch/root" ! -type d; find "$scratch/root$PREFIX" -name '*weft*' 2>/dev/null)
    case $PREFIX in
    /usr | /usr/*) ;;
    *) left="$left $(find "$scratch/root$PREFIX" -mindepth 1 2>/dev/null)" ;;
    esac
    test -z "${left# }" || failure "make uninstall leaves $left"
    mkdir -p "$scratch/root$DROPINDIR"
    echo 'of FFTW' >"$scratch/root$DROPINDIR/libfftw3_mpi.so.3"
    case $DROPINDIR in
    "$LIBDIR") "$MAKE" -s vacant DESTDIR="$scratch/root" 2>"$scratch/log" && failure "make install writes over FFTW's" ;;
    *) "$MAKE" -s vacant DESTDIR="$scratch/root" || failure 'make install takes offence at its own folder' ;;
    esac
}

# The installed libraries compute the same numbers as serial FFTW.
by_numbers() {
    ln -s "$WEFT_INFO" "$scratch/test_numbers"
    for ranks in 1 2; do
        echo "installcheck: $WEFT_INFO --check on $ranks"
        sh "$LAUNCH" "$scratch/numbers-$ranks.mpi" --check >"$scratch/out" || failure "weft-info --check on $ranks failed"
        cat "$scratch/out"
        grep -q "on $ranks rank" "$scratch/out" || failure "weft-info did not run on $ranks"
        test $shared = no || grep -q "^double: .*libweft$SUFFIX\.so" "$scratch/out" || failure 'weft-info does not check the installed library'
    done
}

if command -v pkg-config >/dev/null; then
    by_pkg_config
else
    left_out 'there is no pkg-config'
fi
if command -v cmake >/dev/null; then
    by_cmake
else
    left_out 'there is no cmake'
fi
by_drop_in
by_numbers
by_hand
test $failed -eq 0 || exit 1
echo "installcheck: passed"
