#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Rules of the source tree: no file includes a file of a higher floor, no two files include or call each other, no two
# types have the same name. tools/count-structure finds violations.
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

# found RULE: prints the tool's lines below the line of a rule.
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
# Nobody reads a glossary of more than 25 terms, or a map of more than 200 lines.
rows=$(sed -n '/^## Glossary/,/^## How/p' "$srcdir/HACKING.md" | grep -c '^| ' || true)
if test "$rows" -lt 3 || test "$rows" -gt 26; then
    echo "HACKING.md: the glossary has $((rows - 1)) terms; at most 25 are allowed" >&2
    status=1
fi
if test "$(wc -l <"$srcdir/HACKING.md")" -gt 200; then
    echo 'HACKING.md: more than 200 lines' >&2
    status=1
fi

# Words that the glossary has replaced, in names of the library, its tools and tests. weft-backend.h keeps its names for plug-ins.
retired='holdings? rooms? pieces? sections? deeds? marks? markers? marked shelf told tells? moves? frames? housed? wish(es)?
    choices? spared? lent'
if (cd "$srcdir" && find api planner backends kernels tools tests -name '*.[ch]' | LC_ALL=C sort |
    ctags --languages=C --langmap=C:.c.h --kinds-C=+lxz --fields= -f - -L -) |
    awk -F'\t' -v words="$retired" '
        BEGIN { gsub(/[ \n]+/, "|", words); pattern = "(^|_)(" words ")(_|$)" }
        /^!/ || $2 == "backends/weft-backend.h" && $1 ~ /^(weft_piece|piece_type|pieces)$/ { next }
        tolower($1) ~ pattern && !seen[$1, $2]++ { print "  " $2 ": " $1; found = 1 }
        END { exit !found }' >$out.found; then
    echo 'names with words that the glossary of HACKING.md has replaced:' >&2
    cat $out.found >&2
    status=1
fi
exit $status
