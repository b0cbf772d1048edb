#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In a program that runs with the rights of another user (set-uid) the environment of who calls it neither loads code,
# nor has files written, nor is believed at all. Skipped where none can be made: by others than root, or on such a disk.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/test_secure
test "$(id -u)" -eq 0 && nobody=$(id -u nobody 2>/dev/null) || skip 'only root makes programs of other users'

plan_program $out
export FLAGS=0 # measured

# Where that user may write whatever the environment names.
folder=$(mktemp -d) || fail 'there is no folder'
trap 'rm -rf "$folder"' EXIT
chown "$nobody" "$folder"

# says WHAT SETTING: what the program says with it.
says() {
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 env "$2" $out >$out.log 2>$out.errors </dev/null
    grep -q "^$1" $out.log || fail "$2: not \"$1\" but: $(cat $out.log $out.errors)"
}
says 'rank 0: no plan' WEFT_PLUGINS=/no/such.so
says 'rank 0: a plan, right' WEFT_WISDOM="$folder/wisdom"
test -s "$folder/wisdom" || fail 'WEFT_WISDOM has written nothing where it may'
rm "$folder/wisdom"
chown "$nobody" $out && chmod u+s $out || skip 'no program can be made set-uid here'
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 $out >$out.log 2>&1 </dev/null
grep -q '^rank 0, set-uid' $out.log || skip "programs do not become set-uid here: $(cat $out.log)"
says 'rank 0, set-uid: a plan, right' WEFT_PLUGINS=/no/such.so
says 'rank 0, set-uid: a plan, right' WEFT_BACKEND=nonsense
says 'rank 0, set-uid: a plan, right' WEFT_WISDOM="$folder/wisdom"
test ! -e "$folder/wisdom" || fail 'WEFT_WISDOM has written a file with the rights of another user'
