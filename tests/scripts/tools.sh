# SPDX-License-Identifier: BSD-3-Clause
# Functions for test scripts that compile programs. The scripts source this file; CC, FC, the flags and MPIEXEC come
# from make.
srcdir=${srcdir:-.}
# The folder for files that the scripts make; make clean removes it.
programs=tests/scripts/programs
# Generated headers. (A tarball has them beside weft.h.)
FFTW_CPPFLAGS="-I$PWD/api $FFTW_CPPFLAGS"
weft_libs="-L.libs -Wl,-rpath,$PWD/.libs -lweft $FFTW_LDFLAGS -lfftw3 -lm"

# Programs must also find FFTW's MPI library when they run, but after LD_LIBRARY_PATH: hence the new tags.
fftw_mpi_path=$FFTW_MPI_LDFLAGS
for flag in $FFTW_MPI_LDFLAGS; do
    case $flag in
    -L*) fftw_mpi_path="$fftw_mpi_path -Wl,--enable-new-dtags,-rpath,${flag#-L}" ;;
    esac
done

skip() {
    echo "skipped: $*"
    exit 77
}

fail() {
    echo "failed: $*" >&2
    exit 1
}

test -f .libs/libweft.so || skip 'there is no libweft.so: this build has no shared libraries, or a suffix'
mkdir -p $programs

# run NAME RANKS: runs test_NAME of that folder.
run() {
    ${SHELL:-sh} "$srcdir/tests/mpi/launch" "$programs/$1-$2.mpi"
}

# plan_program PROGRAM [LIBRARIES]: compiles dropin/plan.c as PROGRAM.
plan_program() {
    # shellcheck disable=SC2086
    $CC $INSTRUMENT_CFLAGS -I"$srcdir/api" $FFTW_CPPFLAGS "$srcdir/tests/dropin/plan.c" -o "$1" ${2:-$weft_libs} -ldl ||
        fail 'the program does not compile'
}

# command_of NAME SHELL: makes test_NAME of that folder, a script with this command.
command_of() {
    printf '#!/bin/sh\n%s\n' "$2" >"$programs/test_$1"
    chmod +x "$programs/test_$1"
}

# may_mount COMMAND: whether the command can mount in a mount namespace; sets $user to the options that unshare
# needs.
may_mount() {
    for user in '' --map-root-user; do
        # shellcheck disable=SC2086
        unshare --mount $user sh -c "$1" 2>/dev/null && return
    done
    return 1
}

# same EXPECTED OUTPUT: compares two outputs of tests/dropin/program.c. Numbers may differ by rounding. Prints the
# first line that differs.
same() {
    awk -v name="$2" '
        NR == FNR { line[FNR] = $0; lines = FNR; next }
        { split(line[FNR], expected, " "); difference = $3 - expected[3]; if (difference < 0) difference = -difference
          if ($1 != expected[1] || $2 != expected[2] || difference > 1e-11 * (1 + ($3 < 0 ? -$3 : $3))) {
              print name ": " $0 ", not " line[FNR]; wrong = 1; exit } }
        END { if (!wrong && (FNR != lines || lines < 100)) { print name ": " FNR " lines, not " lines; wrong = 1 }
              exit wrong }' "$1" "$2"
}

# fftw_mpi NAME: builds test_NAME_fftw with FFTW-MPI; skips the test if that does not run with this MPI.
fftw_mpi() {
    $CC $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS "$srcdir/tests/dropin/program.c" -o "$programs/test_$1_fftw" \
        $fftw_mpi_path $FFTW_LDFLAGS -lfftw3_mpi -lfftw3 -lm 2>"$programs/$1.log" &&
        run "$1_fftw" 2 >"$programs/$1.fftw" 2>"$programs/$1.log" || skip 'there is no FFTW-MPI for this MPI'
}

# python_of MODULES: prints the first Python with these modules: those in PYTHON, then the system's.
python_of() {
    for candidate in $PYTHON python3 /usr/bin/python3; do
        ! "$candidate" -c "import $1" 2>/dev/null || { echo "$candidate"; return 0; }
    done
}
