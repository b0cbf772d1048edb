#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# weft-bench: its output for cases and for whole lives of plans, and its messages about wrong options.
. "${srcdir:-.}/tests/scripts/tools.sh"

# bench OPTIONS: runs weft-bench on 2 ranks.
bench() {
    every 2 "exec '$PWD/tools/weft-bench' --seconds 0.01 $1" >$out/log 2>&1 || fail "weft-bench $1:"
}
# table PROGRAM WHAT: checks the output by awk.
table() {
    awk "$1" $out/log || fail "$2:"
}
bench '16x16x16 8x12'
table '$1 == "c2c" && $3 == "weft" && $4 > 0 && $5 > 0 && $5 <= $4 {
         split($2, n, "x"); points = n[1] * n[2] * (n[3] ? n[3] : 1)
         gigaflop = 5 * points * log(points) / log(2) / 1e6 # a millisecond is printed to 4 digits behind the point
         if ($6 < gigaflop / ($4 + 0.00006) - 0.001 || $6 > gigaflop / ($4 - 0.00006) + 0.001) exit 1
         seen++ }
     END { if (seen != 2) exit 1 }' 'the table'
tr '\n' '|' <$out/log | grep -Eq '# [^|]*, [0-9]+ cores, level 2 [0-9]+ KiB, last cache [0-9]+ KiB[|]# .*; [^|]*fftw-3[^;|]*[|]# 2 ranks, 2 on each node, [^|]*; rigor measure[|]' ||
    fail 'where was timed:'

bench "--lifecycle --against $libs/libweft.so 8x8x8 6x6"
has 'other Weft' 3
has '^all 2 in turn'
table '/e[+-][0-9]+$/ { if ($NF > 1e-12) exit 1; seen++ } END { if (seen != 6) exit 1 }' 'differences'

bench '--csv 8x8 6x6'
table 'BEGIN { FS = "," } /^c2c / { if (NF != 16 || $3 <= 0 || $4 > $3 || $9 < 5) exit 1; seen++ } END { if (seen != 2) exit 1 }' CSV
bench '--json --rigor estimate 8x8 6x6'
has '"level2_bytes": [1-9].*"last_cache_bytes": [1-9].*"fftw": ".*fftw-3.*"ranks": 2, .*"rigor": "estimate", "timed": "runs"'
! command -v python3 >/dev/null || sed 's/weft-bench: ranks .*//' $out/log |
    python3 -c 'import json, sys; assert len(json.load(sys.stdin)["cases"]) == 2' || fail 'not JSON:'

# Two ranks: with every backend each rank sends half of its numbers to the other, once if the output is transposed,
# otherwise twice. Backends of messages move bytes outside passes; backends of memory move them only in passes.
bench '--bytes --split --backends waitall,shared 16x16x16'
table '/passes ms +moving ms +waiting ms +moved MB +GB.s +memory MB/ { head++ }
     / (weft|waitall|shared) / && NF >= 13 { if ($(NF - 2) != "0.066" || $(NF - 1) <= 0 || $NF <= 0 || $(NF - 5) <= 0) exit 1
         if ($1 == "shared" ? $(NF - 4) != 0 || $(NF - 3) <= 0 : $1 == "waitall" && $(NF - 4) <= 0) exit 1
         seen++ }
     END { if (head != 1 || seen != 3) exit 1 }' 'bytes and split'
bench '--csv --kind r2c --transposed 16x12x10'
has '^r2c.*,9216,[0-9.e+]*,[0-9]*,[0-9.e-]*,[0-9.e-]*,[0-9.e-]*$'

# Unknown backends: one rank prints the message (messages.sh). The backend of a plug-in is known.
for ranks in 1 2 3; do
    for list in shared,nosuch nosuch:3 bruck:x 'shared,'; do
        every $ranks "exec '$PWD/tools/weft-bench' --backends $list 8x8" >$out/log 2>&1
        test $? -eq 2 || fail "the status of $list on $ranks ranks:"
        has 'there is no backend ".*"; there are ' 1
        lacks 8x8
    done
done
WEFT_PLUGINS=$libs/libturns.so bench '--backends turns 8x8'
has ' turns '

# A backend that these ranks cannot use has no row, but a reason below the table; the table has at most 100 columns.
bench '--rigor estimate --backends all 128x128x16'
has '^not timed: .*direct.*: .'
lacks '^ *direct'
table '/^(case|c2c| )/ && length($0) > 100 { print; exit 1 }' 'a long line'

# Several layouts: each of two ranks sends half of its numbers, in every layout.
bench '--bytes --layout slabs,grid,rows 16x16x16'
table '/^c2c 16x16x16 / { if ($(NF - 2) != "0.033") exit 1; where[++seen] = $3 " " $4 " " $5 " " $6 }
     END { if (seen != 3 || where[1] !~ /^on 2 weft/ || where[2] !~ /^on 2x1 weft/ || where[3] != "on 2 in rows") exit 1 }' layouts

# Plans made while other processes use the cores, which must end afterwards; and plans made for
# other machines.
bench '--disturbed --machines 24x20'
table '/(weft|weft disturbed|as (l2=.*|unknown)) +[0-9.]+ +[0-9.]+ .*e[-+][0-9]+$/ { if ($NF > 1e-12) exit 1; seen++ }
     END { if (seen != 7) exit 1 }' 'plans under load or for other machines'
! grep -q '[w]hile :; do :; done' /proc/[0-9]*/cmdline 2>/dev/null || fail 'a busy process is left'

# On a terminal a progress bar, which the table replaces.
if command -v python3 >/dev/null; then
    on_terminal tools/weft-bench --seconds 0.01 8x8 6x6
    has '^\[#*\.*\] 2 of 2, about [0-9]*:[0-9][0-9] left: c2c 6x6'
    has "^$(printf '\033\\[K')c2c 6x6  *weft"
fi

# An older Weft, whose reports lack the times; and FFTW-MPI, if installed: bytes computed from its layout.
cat >$out/stub.c <<'END'
#include <stdio.h>
int weft_plan_report_json(void *plan, FILE *file);
int weft_plan_report_json(void *plan, FILE *file)
{
    (void)plan;
    return fputs("{\"workspace_bytes\": 5000000, \"exchanges\": [{\"bytes\": 1000}]}", file) > 0;
}
END
library $out/older.so -Wl,--no-as-needed $out/stub.c $weft_libs
bench "--json --weft $out/older.so 16x16"
has '"sent_bytes": 2000, .*"memory_bytes": 5000000}'
bench "--split --weft $out/older.so 16x16"
has 'c2c 16x16 *weft .* - *- *-$'
fftw_mpi=$(echo " $FFTW_MPI_LDFLAGS" | sed -n 's/.* -L\([^ ]*\).*/\1/p')/libfftw3_mpi.so
test -f "$fftw_mpi" || exit 0
for kind in '' --transposed '--kind r2c' '--kind c2r --transposed' '--kind r2r'; do
    bench "--bytes --against $fftw_mpi $kind 12x10x9"
    table '/FFTW-MPI/ { theirs = $(NF - 2); none = $NF } / weft / { ours = $(NF - 2) } END { exit theirs != ours || none != "-" }' \
        "bytes by layout, $kind"
done
