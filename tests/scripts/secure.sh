#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program that runs with the rights of another user (set-uid) ignores the environment: it loads no code, writes no
# files, and uses no setting from there. Skipped if the script cannot make such a program: it needs root and a disk that
# allows set-uid.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/test_secure
test "$(id -u)" -eq 0 && nobody=$(id -u nobody 2>/dev/null) || skip 'only root makes programs of other users'

plan_program $out
export FLAGS=0 # measured

# A folder in which that user may write every file that the environment names.
folder=$(mktemp -d) || fail 'there is no folder'
trap 'rm -rf "$folder"' EXIT
chown "$nobody" "$folder"

# says WHAT SETTING: prints the program's output with a setting.
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
