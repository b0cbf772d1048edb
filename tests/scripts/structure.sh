#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The rules of the tree: no file includes one of a higher floor, no two files include or call each other, no two types have
# one name. tools/count-structure finds them.
srcdir=${srcdir:-.}
out=tests/scripts/programs/structure.tmp

case $(ctags --version 2>/dev/null) in
*'Universal Ctags'*) ;;
*)
    echo 'skipped: there is no Universal Ctags (Debian: universal-ctags)'
    exit 77
    ;;
esac
mkdir -p tests/scripts/programs && sh "$srcdir/tools/count-structure" >$out || exit 1

# found RULE: the lines that the tool prints below the line of a rule.
found() {
    sed -n "/^$1: /,/^[^ ]/p" $out | grep '^  '
}

status=0
for rule in 'upward includes' 'include cycles' 'definition cycles' 'types named twice'; do
    if ! grep -q "^$rule: " $out; then
        echo "tools/count-structure says nothing of $rule" >&2
        status=1
    elif found "$rule" >$out.found; then
        echo "$rule:" >&2
        cat $out.found >&2
        status=1
    fi
done
exit $status
