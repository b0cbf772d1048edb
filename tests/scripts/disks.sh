#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Disks that are full or read-only: Weft still makes plans, and warns that it cannot save wisdom. Functions that write
# return 0 with a sentence. Old files stay unchanged, and no new files appear. Parts of the test need the right to
# mount.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/test_disks

cat >$out.c <<'END'
#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "weft.h"

/* A plan that is timed, so that wisdom is written where WEFT_WISDOM says; FILE gets wisdom, REPORT
 * reports, and PRINT what is printed on stderr. */
int main(int argc, char **argv)
{
    static fftw_complex a[64 * 64], b[64 * 64];
    const char *name = getenv("FILE");
    int rank;
    if (getenv("PRINT") && !freopen(getenv("PRINT"), "w", stderr))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fftw_plan plan = fftw_mpi_plan_dft_2d(64, 64, a, b, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE);
    if (plan)
        fftw_execute(plan);
    if (rank == 0) {
        const int kept = weft_export_wisdom_to_filename(name);
        printf("%s\n%s %s\n", plan ? "planned" : "no plan", kept ? "exported" : "not exported:",
               kept ? "" : weft_last_error());
    }
    FILE *file = rank == 0 && getenv("REPORT") ? fopen(getenv("REPORT"), "w") : NULL;
    if (file) {
        weft_plan_report(plan, file);
        weft_plan_report_json(plan, file);
        fclose(file);
    }
    if (plan)
        fftw_destroy_plan(plan);
    MPI_Finalize();
    return 0;
}
END
$CC $INSTRUMENT_CFLAGS -I"$srcdir/api" $FFTW_CPPFLAGS $out.c -o $out $weft_libs || fail 'the program does not compile'

# written FILE WORD: the program writes everything to FILE and continues; WORD is its result of
# exporting wisdom.
written() {
    FILE=$1 WEFT_WISDOM=$1 run disks 2 >$out.log 2>&1 || fail "$1: the program ends: $(cat $out.log)"
    grep -q '^planned$' $out.log && grep -q "^$2" $out.log || fail "$1: not \"$2\": $(cat $out.log)"
}
rm -f "$programs/disks.wisdom"
written "$programs/disks.wisdom" exported
! grep -q warning $out.log || fail "a warning of a disk that is well: $(cat $out.log)"
for file in /dev/full /proc/weft.wisdom; do
    test -e "$(dirname $file)/full" || test -d /proc/self || continue
    written $file "not exported: .*$file"
    grep -q "weft: warning: .*$file" $out.log || fail "$file: no word that wisdom is not kept: $(cat $out.log)"
done
# Weft's messages and reports go to a full disk. (The program opens it, because launchers end if
# their own output fails.)
test ! -c /dev/full || WEFT_VERBOSE=3 PRINT=/dev/full REPORT=/dev/full written "$programs/disks.wisdom" exported

# The tools print to a full disk, without a launcher, which would read their output itself.
if test -c /dev/full; then
    for tool in weft-info 'weft-info --json' 'weft-info --volume 64x64x64' 'weft-info --plan 8x8x8' 'weft-info --nodes' \
        'weft-info --help' 'weft-bench --seconds 0.01 8x8' 'weft-bench --seconds 0.01 --json 8x8' 'weft-bench --help' \
        "weft-tune --list $programs/disks.wisdom" 'weft-tune --help' 'weft-run --help'; do
        # shellcheck disable=SC2086
        tools/$tool >/dev/full 2>$out.log && fail "$tool >/dev/full: status 0, $(cat $out.log)"
        grep -q "^${tool%% *}: the output could not be written" $out.log || fail "$tool >/dev/full: $(cat $out.log)"
    done
fi

if ! may_mount 'mount -t tmpfs tmpfs /mnt'; then
    echo 'left out: no small disk can be mounted here'
    exit 0
fi
cat >$out.mounted <<'END'
. "${srcdir:-.}/tests/scripts/tools.sh"
mount -t tmpfs -o size=8k tmpfs /mnt || fail 'no disk'
cp "$programs/disks.wisdom" /mnt/wisdom
case $1 in
full) dd if=/dev/zero of=/mnt/zeros bs=4096 2>/dev/null ;;
*) mount -o remount,ro /mnt ;;
esac
ls /mnt >"$programs/disks.before"
FILE=/mnt/wisdom WEFT_WISDOM=/mnt/wisdom run disks 2 || fail "status $?"
cmp "$programs/disks.wisdom" /mnt/wisdom || fail 'the wisdom that was there is not any more'
ls /mnt | cmp - "$programs/disks.before" || fail 'something is left beside the wisdom'
END
# The file has wisdom of another problem, and the disk has too little space for more.
sed 's/64x64/32x128/g' "$programs/disks.wisdom" >$out.other && mv $out.other "$programs/disks.wisdom"
for disk in full read-only; do
    # shellcheck disable=SC2086
    unshare --mount $user ${SHELL:-sh} $out.mounted $disk >$out.log 2>&1 || fail "a disk that is $disk: $(cat $out.log)"
    grep -q '^planned$' $out.log && grep -q '^not exported: .*/mnt/wisdom' $out.log || fail "$disk: $(cat $out.log)"
done
