#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program that runs with the rights of another user (set-uid) ignores the environment: it loads no code, writes no
# files, and uses no setting from there. Skipped if the script cannot make such a program: it needs root and a disk that
# allows set-uid.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/test_secure
test "$(id -u)" -eq 0 && nobody=$(id -u nobody 2>/dev/null) || skip 'only root makes programs of other users'

cat >$out.c <<'END'
#include <fftw3-mpi.h>
#include <stdio.h>
#include <sys/auxv.h>

int main(int argc, char **argv)
{
    static fftw_complex array[64];
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    fftw_plan plan = fftw_mpi_plan_dft_2d(8, 8, array, array, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE);
    printf("%s: %s\n", getauxval(AT_SECURE) ? "set-uid" : "plain", plan ? "a plan" : "no plan");
    if (plan)
        fftw_destroy_plan(plan);
    MPI_Finalize();
    return 0;
}
END
$CC $INSTRUMENT_CFLAGS -I"$srcdir/api" $FFTW_CPPFLAGS $out.c -o $out $weft_libs || fail 'the program does not compile'

# A folder in which that user may write every file that the environment names.
folder=$(mktemp -d) || fail 'there is no folder'
trap 'rm -rf "$folder"' EXIT
chown "$nobody" "$folder"

# says WHAT SETTING: prints the program's output with a setting.
says() {
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 env "$2" $out >$out.log 2>$out.errors </dev/null
    grep -qx "$1" $out.log || fail "$2: not \"$1\" but: $(cat $out.log $out.errors)"
}
says 'plain: no plan' WEFT_PLUGINS=/no/such.so
says 'plain: a plan' WEFT_WISDOM="$folder/wisdom"
test -s "$folder/wisdom" || fail 'WEFT_WISDOM has written nothing where it may'
rm "$folder/wisdom"
chown "$nobody" $out && chmod u+s $out || skip 'no program can be made set-uid here'
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 $out >$out.log 2>&1 </dev/null
grep -q '^set-uid' $out.log || skip "programs do not become set-uid here: $(cat $out.log)"
says 'set-uid: a plan' WEFT_PLUGINS=/no/such.so
says 'set-uid: a plan' WEFT_BACKEND=nonsense
says 'set-uid: a plan' WEFT_WISDOM="$folder/wisdom"
test ! -e "$folder/wisdom" || fail 'WEFT_WISDOM has written a file with the rights of another user'
