#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Disks that are full or read-only: Weft still makes plans, and warns that it cannot save wisdom. Functions that write
# return 0 with a sentence. Old files stay unchanged, and no new files appear. Parts of the test need the right to
# mount.
. "${srcdir:-.}/tests/scripts/tools.sh"
export N=64 FLAGS=0 # measured
wisdom=$out/wisdom

# written FILE WORD: the program writes everything to FILE and continues; WORD is its result of
# exporting wisdom.
written() {
    FILE=$1 WEFT_WISDOM=$1 run plan 2 >$out/log 2>&1 || fail "$1: the program ends:"
    has '^rank 0: a plan, right'
    has "^$2"
}

if test -n "$INSIDE"; then # a disk that is full or read-only
    mount -t tmpfs -o size=8k tmpfs /mnt && cp $wisdom /mnt/wisdom || fail 'no disk'
    case $INSIDE in
    full) dd if=/dev/zero of=/mnt/zeros bs=4096 2>/dev/null ;;
    *) mount -o remount,ro /mnt ;;
    esac
    ls /mnt >$out/before
    written /mnt/wisdom 'not exported: .*/mnt/wisdom'
    cmp $wisdom /mnt/wisdom || fail 'the old wisdom is lost'
    ls /mnt | cmp - $out/before || fail 'another file is left beside the wisdom'
    exit 0
fi

plan_program
written $wisdom exported
lacks warning
for file in /dev/full /proc/weft.wisdom; do
    test -e "$(dirname $file)/full" || test -d /proc/self || continue
    written $file "not exported: .*$file"
    has "weft: warning: .*$file"
done
# Weft's messages and reports go to a full disk. (The program opens it, because launchers end if
# their own output fails.)
test ! -c /dev/full || WEFT_VERBOSE=3 PRINT=/dev/full REPORT=/dev/full written $wisdom exported

# The tools print to a full disk, without a launcher, which would read their output itself.
if test -c /dev/full; then
    for tool in weft-info 'weft-info --json' 'weft-info --volume 64x64x64' 'weft-info --plan 8x8x8' 'weft-info --nodes' \
        'weft-info --help' 'weft-bench --seconds 0.01 8x8' 'weft-bench --seconds 0.01 --json 8x8' 'weft-bench --help' \
        "weft-tune --list $wisdom" 'weft-tune --help' 'weft-run --help'; do
        tools/$tool >/dev/full 2>$out/log && fail "$tool >/dev/full: status 0"
        has "^${tool%% *}: the output could not be written"
    done
fi

may_mount 'mount -t tmpfs tmpfs /mnt' || { echo 'left out: no small disk can be mounted here' && exit; }
# The file has wisdom of another problem, and the disk has too little space for more.
sed 's/64x64/32x128/g' $wisdom >$out/other && mv $out/other $wisdom
for INSIDE in full read-only; do
    export INSIDE
    unshare --mount $user "${SHELL:-sh}" "$0" || fail "a disk that is $INSIDE"
done
