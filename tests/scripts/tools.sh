# SPDX-License-Identifier: BSD-3-Clause
# For test scripts that compile programs: CC, FC, the flags and MPIEXEC come from make. To be sourced.
srcdir=${srcdir:-.}
# What the scripts make lies in a folder of its own, which make clean removes.
programs=tests/scripts/programs
# Headers that make generated, which a tarball has beside weft.h.
FFTW_CPPFLAGS="-I$PWD/api $FFTW_CPPFLAGS"
weft_libs="-L.libs -Wl,-rpath,$PWD/.libs -lweft $FFTW_LDFLAGS -lfftw3 -lm"

# Where FFTW's MPI library lies, if not where the linker looks, it must be found when programs run, too; but after
# LD_LIBRARY_PATH, which is what the new tags mean.
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

# run NAME RANKS: test_NAME of that folder.
run() {
    ${SHELL:-sh} "$srcdir/tests/mpi/launch" "$programs/$1-$2.mpi"
}

# plan_program PROGRAM [LIBRARIES]: makes it of dropin/plan.c.
plan_program() {
    # shellcheck disable=SC2086
    $CC $INSTRUMENT_CFLAGS -I"$srcdir/api" $FFTW_CPPFLAGS "$srcdir/tests/dropin/plan.c" -o "$1" ${2:-$weft_libs} -ldl ||
        fail 'the program does not compile'
}

# command_of NAME SHELL: test_NAME of that folder does this.
command_of() {
    printf '#!/bin/sh\n%s\n' "$2" >"$programs/test_$1"
    chmod +x "$programs/test_$1"
}

# may_mount COMMAND: whether that can mount something in a mount namespace; $user is then what unshare needs besides.
may_mount() {
    for user in '' --map-root-user; do
        # shellcheck disable=SC2086
        unshare --mount $user sh -c "$1" 2>/dev/null && return
    done
    return 1
}

# same EXPECTED OUTPUT: what tests/dropin/program.c has printed, twice: the same lines, with numbers that differ by
# rounding at most. Prints the first line that is not.
same() {
    awk -v name="$2" '
        NR == FNR { line[FNR] = $0; lines = FNR; next }
        { split(line[FNR], expected, " "); difference = $3 - expected[3]; if (difference < 0) difference = -difference
          if ($1 != expected[1] || $2 != expected[2] || difference > 1e-11 * (1 + ($3 < 0 ? -$3 : $3))) {
              print name ": " $0 ", not " line[FNR]; wrong = 1; exit } }
        END { if (!wrong && (FNR != lines || lines < 100)) { print name ": " FNR " lines, not " lines; wrong = 1 }
              exit wrong }' "$1" "$2"
}

# fftw_mpi NAME: skips where there is no FFTW-MPI for this MPI, which a program of its that runs tells: test_NAME_fftw.
fftw_mpi() {
    $CC $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS "$srcdir/tests/dropin/program.c" -o "$programs/test_$1_fftw" \
        $fftw_mpi_path $FFTW_LDFLAGS -lfftw3_mpi -lfftw3 -lm 2>"$programs/$1.log" &&
        run "$1_fftw" 2 >"$programs/$1.fftw" 2>"$programs/$1.log" || skip 'there is no FFTW-MPI for this MPI'
}

# python_of MODULES: the Python named in PYTHON, or the first that has these.
python_of() {
    for candidate in $PYTHON python3 /usr/bin/python3; do
        ! "$candidate" -c "import $1" 2>/dev/null || { echo "$candidate"; return 0; }
    done
}
