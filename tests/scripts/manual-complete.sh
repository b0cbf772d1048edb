#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The manual is complete: it has each function and constant of weft.h, each environment variable that the code reads,
# each field of JSON, each installed program's man page with all its options, and each chapter.
srcdir=${srcdir:-.}
doc=$srcdir/doc

# lacks WHAT WHERE: reads names, one per line, and prints those that the text of a file lacks.
lacks() {
    while read -r name; do
        grep -q -- "$name\([^a-zA-Z0-9_-]\|\$\)" "$2" || echo "$2 lacks the $1 $name"
    done
}

functions() {
    grep -o 'W([a-z_0-9]*)' "$srcdir/api/weft.h" | sed 's/W(\(.*\))/weft_\1/' | sort -u
}
functions >manual-functions.tmp
# same TEXT: reads names; prints those that differ from the functions of weft.h.
same() {
    diff manual-functions.tmp - | sed -n "s,^[<>],$1: &,p"
}
{
    sed -n 's/^=== \(weft_[^:]*\):.*/\1/p' $doc/functions.adoc | tr -d ' ' | tr ',' '\n' | sort |
        same "functions of weft.h (<) and headings of $doc/functions.adoc (>) differ"
    sed -n 's/^    doc\/\(weft_[a-z0-9_]*\)\.3.*/\1/p' "$doc/Makefile.inc" | sort |
        same "functions of weft.h (<) and man pages of $doc/Makefile.inc (>) differ"
    sed -n 's/^#define \(WEFT_[A-Z_0-9]*\) *(.*/\1/p; s/^enum {\(.*\)};/\1/p' "$srcdir/api/weft.h" | grep -o 'WEFT_[A-Z0-9_]*' |
        grep -v -e '^WEFT_DEFINE_' -e '^WEFT_MANGLE_' | sort -u >manual-constants.tmp
    lacks constant $doc/functions.adoc <manual-constants.tmp
    # In C and Python a string that is exactly the name, in scripts $NAME. Variables of tests do not
    # count.
    find "$srcdir/api" "$srcdir/planner" "$srcdir/backends" "$srcdir/kernels" "$srcdir/tools" -type f ! -name '*.md' ! -path '*/packaging/*' \
        ! -name '*.[0-9]' -exec grep -hoE "[\"']WEFT_[A-Z_]*[A-Z][\"']|\\\$\{?WEFT_[A-Z_]+" {} + | grep -o 'WEFT_[A-Z_]*' |
        grep -vxF -f manual-constants.tmp | sort -u >manual-variables.tmp
    sed -n 's/^`\(WEFT_[A-Z_]*\)`::$/\1/p' $doc/environment.adoc >manual-terms.tmp
    lacks 'environment variable (`NAME`:: and a paragraph)' manual-terms.tmp <manual-variables.tmp | sed "s|manual-terms.tmp|$doc/environment.adoc|"
    lacks 'environment variable' $doc/cheat-sheet.adoc <manual-variables.tmp
    grep -ho '\\"[a-z_]*\\":' "$srcdir/planner/report.c" "$srcdir/tools/bench/table.c" | tr -d '\\":' | sort -u |
        lacks field $doc/reports.adoc
    sed -n 's/.*json_name("\([a-z_]*\)".*/\1/p; s/.*json_number("\([a-z_]*\)".*/\1/p' "$srcdir/planner/report.c" | sort -u |
        lacks field $doc/reports.adoc
    sed -n 's/^bin_PROGRAMS += tools\///p; s/^dist_bin_SCRIPTS += tools\///p' "$srcdir/tools/Makefile.inc" | while read -r tool; do
        page=$(find "$srcdir/tools" -name "${tool##*/}.1")
        test -n "$page" || { echo "${tool##*/} has no man page"; continue; }
        grep -q "${tool##*/}" $doc/*.adoc || echo "$doc does not mention ${tool##*/}"
        case $tool in *tune) page="$page $srcdir/tools/weft-bench.1" ;; esac # where its page says that problems are described
        "tools/${tool##*/}" --help | sed -n 's/^ *\(--[a-z-]*\).*/\1/p' | grep -vx -e --help | while read -r option; do
            cat $page | tr -d '\\' | grep -q -- "$option\([^a-z-]\|\$\)" || echo "${tool##*/}.1 lacks $option"
        done
    done
    for chapter in $doc/*.adoc; do
        test $chapter = $doc/manual.adoc || grep -q "^include::${chapter##*/}\[" $doc/manual.adoc || echo "$doc/manual.adoc does not include $chapter"
        grep -q "doc/${chapter##*/}" $doc/Makefile.inc || echo "$doc/Makefile.inc lacks $chapter"
    done
} >manual-lacks.tmp
cat manual-lacks.tmp
test ! -s manual-lacks.tmp
status=$?
echo "$(wc -l <manual-functions.tmp) functions, $(wc -l <manual-variables.tmp) environment variables"
rm -f manual-*.tmp
exit $status
