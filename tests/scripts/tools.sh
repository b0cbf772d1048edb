# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
# Functions for test scripts that compile programs. The scripts source this file; CC, FC, the flags and MPIEXEC come
# from make.
srcdir=${srcdir:-.}
# The folder for files that the script makes, empty at first; make clean removes it.
programs=tests/scripts/programs/$(basename "$0" .sh)
out=$PWD/$programs
libs=$PWD/.libs
# Generated headers. (A tarball has them beside weft.h.)
headers="-I$srcdir/api -I$PWD/api $FFTW_CPPFLAGS"
fftw_libs="$FFTW_LDFLAGS -lfftw3 -lm"
weft_libs="-L.libs -Wl,-rpath,$libs -lweft $fftw_libs"

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

# fail REASON: ends the test; prints also the log of the last run.
fail() {
    echo "failed: $*" >&2
    ! test -s $out/log || cat $out/log >&2
    exit 1
}

# has PATTERN [LINES], lacks PATTERN: whether lines of the log have it (that many lines).
has() {
    if test -n "$2"; then
        test "$(grep -c -- "$1" $out/log)" -eq "$2" || fail "not $2 lines with \"$1\":"
    else
        grep -q -- "$1" $out/log || fail "no line with \"$1\":"
    fi
}

lacks() {
    ! grep -q -- "$1" $out/log || fail "a line with \"$1\":"
}

test -f .libs/libweft.so || skip 'there is no libweft.so: this build has no shared libraries, or a suffix'
test -n "$INSIDE" || rm -rf $programs
mkdir -p $programs

# compile FILE ARGUMENT...: makes a program or an object.
compile() {
    made=$1
    shift
    $CC $INSTRUMENT_CFLAGS $headers "$@" -o "$made" || fail "$made does not compile"
}

# library FILE ARGUMENT...: makes a shared library, without sanitizers.
library() {
    made=$1
    shift
    $CC -fPIC -shared "$@" -o "$made" -ldl || fail "$made does not compile"
}

# stand_in FOLDER [ARGUMENT...]: makes a library there in place of FFTW's MPI library (dropin/loaded.c).
stand_in() {
    mkdir -p "$1"
    made=$1/libfftw3_mpi.so.3
    shift
    library "$made" -DSTAND_IN "$@" "$srcdir/tests/dropin/loaded.c" -Wl,-soname,libfftw3_mpi.so.3
}

# plan_program [LIBRARIES]: makes test_plan of dropin/plan.c.
plan_program() {
    compile $out/test_plan "$srcdir/tests/dropin/plan.c" -I"$srcdir" ${1:-$weft_libs} -ldl
}

# run NAME RANKS ARGUMENT...: runs test_NAME of the folder.
run() {
    case_file=$programs/$1-$2.mpi
    shift 2
    ${SHELL:-sh} "$srcdir/tests/mpi/launch" "$case_file" "$@"
}

# every RANKS COMMAND: every rank executes this command of the shell.
every() {
    printf '#!/bin/sh\n%s\n' "$2" >$out/test_command
    chmod +x $out/test_command
    run command "$1"
}

# alone ASSIGNMENT... COMMAND: runs one process without a launcher.
alone() {
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 env "$@" </dev/null
}

is_mpich() {
    $MPIEXEC --version 2>&1 | grep -q HYDRA
}

# may_mount COMMAND: whether the command can mount in a mount namespace; sets $user to the options that unshare
# needs.
may_mount() {
    for user in '' --map-root-user; do
        unshare --mount $user sh -c "$1" 2>/dev/null && return
    done
    return 1
}

# on_terminal COMMAND...: runs the command on a terminal; each state of a line there becomes a line of the log.
on_terminal() {
    python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) != 0)' "$@" >$out/terminal 2>&1
    status=$?
    tr '\r' '\n' <$out/terminal >$out/log
    test $status -eq 0 || fail 'on a terminal:'
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

# fftw_mpi: links dropin/program.c to FFTW's MPI library as test_fftw; skips the test if that does not run with this MPI.
fftw_mpi() {
    $CC $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS "$srcdir/tests/dropin/program.c" -o $out/test_fftw $fftw_mpi_path \
        -lfftw3_mpi $fftw_libs 2>$out/log && run fftw 2 >$out/fftw 2>$out/log || skip 'there is no FFTW-MPI for this MPI'
}

# python_of MODULES: prints the path of the first Python with these modules: those in PYTHON, then the system's.
python_of() {
    for candidate in $PYTHON python3 /usr/bin/python3; do
        ! "$candidate" -c "import $1" 2>/dev/null || { command -v "$candidate"; return 0; }
    done
}
