#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Disks that are full or read-only: Weft still makes plans, and warns that it cannot save wisdom. Functions that write
# return 0 with a sentence. Old files stay unchanged, and no new files appear. Parts of the test need the right to
# mount.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/test_disks

plan_program $out
export N=64 FLAGS=0 # measured

# written FILE WORD: the program writes everything to FILE and continues; WORD is its result of
# exporting wisdom.
written() {
    FILE=$1 WEFT_WISDOM=$1 run disks 2 >$out.log 2>&1 || fail "$1: the program ends: $(cat $out.log)"
    grep -q '^rank 0: a plan, right' $out.log && grep -q "^$2" $out.log || fail "$1: not \"$2\": $(cat $out.log)"
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
    grep -q '^rank 0: a plan, right' $out.log && grep -q '^not exported: .*/mnt/wisdom' $out.log || fail "$disk: $(cat $out.log)"
done
