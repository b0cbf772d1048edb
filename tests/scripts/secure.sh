#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program that runs with the rights of another user (set-uid) ignores the environment: it loads no code, writes no
# files, and uses no setting from there. Skipped if the script cannot make such a program: it needs root and a disk that
# allows set-uid.
. "${srcdir:-.}/tests/scripts/tools.sh"
test "$(id -u)" -eq 0 && nobody=$(id -u nobody 2>/dev/null) || skip 'only root makes programs of other users'
plan_program
export FLAGS=0 # measured

# A folder in which that user may write every file that the environment names.
folder=$(mktemp -d) || fail 'there is no folder'
trap 'rm -rf "$folder"' EXIT
chown "$nobody" "$folder"

# says LINE ASSIGNMENT: the program with this variable prints the line.
says() {
    alone "$2" $out/test_plan >$out/log 2>$out/errors
    has "^$1"
}
says 'rank 0: no plan' WEFT_PLUGINS=/no/such.so
says 'rank 0: a plan, right' WEFT_WISDOM="$folder/wisdom"
test -s "$folder/wisdom" || fail 'WEFT_WISDOM has not written to a folder where it may'
rm "$folder/wisdom"
chown "$nobody" $out/test_plan && chmod u+s $out/test_plan || skip 'no program can be made set-uid here'
alone $out/test_plan >$out/log 2>&1
grep -q '^rank 0, set-uid' $out/log || skip "programs cannot become set-uid here: $(cat $out/log)"
for variable in WEFT_PLUGINS=/no/such.so WEFT_BACKEND=nonsense WEFT_WISDOM="$folder/wisdom"; do
    says 'rank 0, set-uid: a plan, right' "$variable"
done
test ! -e "$folder/wisdom" || fail 'WEFT_WISDOM has written a file with the rights of another user'
