#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# make installcheck: builds and runs program.c against the installed Weft, in each way that users may.
# From the environment: CC, CFLAGS, LIBDIR, INCLUDEDIR, FFTW_CPPFLAGS, FFTW_LIBS, LAUNCH and what it needs.
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0

# Runs test_NAME on 2 ranks, with libraries looked for in a folder first.
launched() {
    echo "installcheck: $1: $3"
    LD_LIBRARY_PATH="$2${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" sh "$LAUNCH" "$scratch/$1-2.mpi" || {
        echo "installcheck: $1 failed" >&2
        failed=1
    }
}

# Compiles program.c as test_NAME: what follows are compiler options and libraries.
compiled() {
    name=$1
    shift
    # shellcheck disable=SC2086
    $CC $CFLAGS "$here/program.c" -o "$scratch/test_$name" "$@" -lm || {
        echo "installcheck: $name does not compile" >&2
        failed=1
        return 1
    }
}

# shellcheck disable=SC2046
by_pkg_config() {
    PKG_CONFIG_PATH=$LIBDIR/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
    export PKG_CONFIG_PATH
    static=
    test -e "$LIBDIR/libweft.so" || static=--static
    for letter in '' f l; do
        test -e "$LIBDIR/pkgconfig/weft$letter.pc" || continue
        case $letter in
        f) precision=-DWEFT_SINGLE ;;
        l) precision=-DWEFT_LONG_DOUBLE ;;
        *) precision=-DWEFT_DOUBLE ;;
        esac
        compiled pkgconfig$letter -DUSE_WEFT_H $precision \
            $(pkg-config $static --cflags --libs weft$letter) &&
            launched pkgconfig$letter "$LIBDIR" "pkg-config $static --cflags --libs weft$letter"
        if test -e "$LIBDIR/libweft$letter.a"; then
            compiled static$letter -DUSE_WEFT_H $precision $(pkg-config --cflags weft$letter) \
                "$LIBDIR/libweft$letter.a" $(pkg-config --static --libs weft$letter) &&
                launched static$letter "" "libweft$letter.a, pkg-config --static"
        fi
    done
}

by_cmake() {
    mkdir "$scratch/cmake"
    (cd "$scratch/cmake" && env -u CC CFLAGS="$CFLAGS" CMAKE_PREFIX_PATH="${LIBDIR%/*}" \
        cmake -Dweft_DIR="$LIBDIR/cmake/weft" "$here" && cmake --build .) >"$scratch/log" 2>&1 || {
        cat "$scratch/log"
        echo "installcheck: cmake failed" >&2
        failed=1
        return
    }
    for program in "$scratch"/cmake/test_cmake*; do
        cp "$program" "$scratch"
        name=${program##*/test_}
        launched "$name" "$LIBDIR" "find_package(weft)"
    done
}

by_drop_in() {
    # shellcheck disable=SC2086
    compiled dropin "-I$INCLUDEDIR/weft" $FFTW_CPPFLAGS "-L$LIBDIR/weft" "-Wl,-rpath,$LIBDIR/weft" \
        -lfftw3_mpi $FFTW_LIBS || return
    launched dropin "" "-L$LIBDIR/weft -Wl,-rpath,$LIBDIR/weft -lfftw3_mpi -lfftw3"
    if test -e "$LIBDIR/weft/libfftw3_mpi.so" && command -v ldd >/dev/null; then
        ldd "$scratch/test_dropin" |
            grep -qF "libfftw3_mpi.so.3 => $LIBDIR/weft/" || {
            echo "installcheck: the drop-in library was not used" >&2
            failed=1
        }
    fi
}

if command -v pkg-config >/dev/null; then
    by_pkg_config
else
    echo "installcheck: no pkg-config, that way is left out"
fi
if command -v cmake >/dev/null; then
    by_cmake
else
    echo "installcheck: no cmake, that way is left out"
fi
by_drop_in
test $failed -eq 0 && echo "installcheck: passed"
exit $failed
