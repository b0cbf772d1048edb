#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# weft-bench: its output for cases and for whole lives of plans, and its messages about wrong options.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/bench.log

# bench RANKS OPTION...: runs weft-bench, returns its exit status; its output is in $out.
bench() {
    command_of bench "exec '$PWD/tools/weft-bench' $2"
    run bench "$1" >$out 2>&1
}
bench 2 '--seconds 0.01 16x16x16 8x12' || fail "$(cat $out)"
awk '$1 == "c2c" && $3 == "weft" && $4 > 0 && $5 > 0 && $5 <= $4 {
         split($2, n, "x"); points = n[1] * n[2] * (n[3] ? n[3] : 1)
         gigaflop = 5 * points * log(points) / log(2) / 1e6 # a millisecond is printed to 4 digits behind the point
         if ($6 < gigaflop / ($4 + 0.00006) - 0.001 || $6 > gigaflop / ($4 - 0.00006) + 0.001) exit 1
         seen++ }
     END { if (seen != 2) exit 1 }' $out || fail "the table: $(cat $out)"
tr '\n' '|' <$out | grep -Eq '# [^|]*, [0-9]+ cores, level 2 [0-9]+ KiB, last cache [0-9]+ KiB[|]# .*; [^|]*fftw-3[^;|]*[|]# 2 ranks, 2 on each node, [^|]*; rigor measure[|]' ||
    fail "where was timed: $(cat $out)"

bench 2 "--lifecycle --seconds 0.01 --against $PWD/.libs/libweft.so 8x8x8 6x6" || fail "$(cat $out)"
test "$(grep -c 'other Weft' $out)" -eq 3 || fail "the other library: $(cat $out)"
grep -q '^all 2 in turn' $out || fail "no cases in turn: $(cat $out)"
awk '/e[+-][0-9]+$/ { if ($NF > 1e-12) exit 1; seen++ } END { if (seen != 6) exit 1 }' $out || fail "differences: $(cat $out)"

bench 2 '--seconds 0.01 --csv 8x8 6x6' || fail "$(cat $out)"
awk -F, '/^c2c / { if (NF != 16 || $3 <= 0 || $4 > $3 || $9 < 5) exit 1; seen++ } END { if (seen != 2) exit 1 }' $out ||
    fail "CSV: $(cat $out)"
bench 2 '--seconds 0.01 --json --rigor estimate 8x8 6x6' || fail "$(cat $out)"
grep -q '"level2_bytes": [1-9].*"last_cache_bytes": [1-9].*"fftw": ".*fftw-3.*"ranks": 2, .*"rigor": "estimate", "timed": "runs"' $out || fail "JSON: $(cat $out)"
if command -v python3 >/dev/null; then
    sed 's/weft-bench: ranks .*//' $out | python3 -c 'import json, sys; assert len(json.load(sys.stdin)["cases"]) == 2' ||
        fail "not JSON: $(cat $out)"
fi

# Two ranks: with every backend each rank sends half of its numbers to the other, once if the output is transposed,
# otherwise twice. Backends of messages move bytes outside passes; backends of memory move them only in passes.
bench 2 '--seconds 0.01 --bytes --split --backends waitall,shared 16x16x16' || fail "$(cat $out)"
awk '/passes ms +moving ms +waiting ms +moved MB +GB.s +memory MB/ { head++ }
     / (weft|waitall|shared) / && NF >= 13 { if ($(NF - 2) != "0.066" || $(NF - 1) <= 0 || $NF <= 0 || $(NF - 5) <= 0) exit 1
         if ($1 == "shared" ? $(NF - 4) != 0 || $(NF - 3) <= 0 : $1 == "waitall" && $(NF - 4) <= 0) exit 1
         seen++ }
     END { if (head != 1 || seen != 3) exit 1 }' $out || fail "bytes and split: $(cat $out)"
bench 2 '--seconds 0.01 --csv --kind r2c --transposed 16x12x10' || fail "$(cat $out)"
grep -q '^r2c.*,9216,[0-9.e+]*,[0-9]*,[0-9.e-]*,[0-9.e-]*,[0-9.e-]*$' $out || fail "bytes of r2c: $(cat $out)"

# Unknown backends, on each number of ranks; the backend of a plug-in is known.
for ranks in 1 2 3; do
    for list in nosuch shared,nosuch nosuch:3 bruck:x shared,; do
        bench $ranks "--seconds 0.01 --backends $list 8x8"
        test $? -eq 2 && test "$(grep -c 'there is no backend ".*"; there are ' $out)" -eq 1 && ! grep -q 8x8 $out ||
            fail "$list on $ranks ranks: $(cat $out)"
    done
done
WEFT_PLUGINS=$PWD/.libs/libturns.so bench 2 '--seconds 0.01 --backends turns 8x8' && grep -q ' turns ' $out ||
    fail "a plug-in: $(cat $out)"

# A backend that these ranks cannot use has no row, but a reason below the table; the table has at most 100 columns.
bench 2 '--seconds 0.01 --rigor estimate --backends all 128x128x16' || fail "$(cat $out)"
grep -q '^not timed: .*direct.*: .' $out && ! grep -q '^ *direct' $out || fail "a backend that cannot be used: $(cat $out)"
awk '/^(case|c2c| )/ && length($0) > 100 { print; exit 1 }' $out || fail "a long line: $(cat $out)"

# Several layouts: each of two ranks sends half of its numbers, in every layout.
bench 2 '--seconds 0.01 --bytes --layout slabs,grid,rows 16x16x16' || fail "$(cat $out)"
awk '/^c2c 16x16x16 / { if ($(NF - 2) != "0.033") exit 1; where[++seen] = $3 " " $4 " " $5 " " $6 }
     END { if (seen != 3 || where[1] !~ /^on 2 weft/ || where[2] !~ /^on 2x1 weft/ || where[3] != "on 2 in rows") exit 1 }' $out ||
    fail "layouts: $(cat $out)"

# Plans made while other processes use the cores, which must end afterwards; and plans made for
# other machines.
bench 2 '--seconds 0.01 --disturbed --machines 24x20' || fail "$(cat $out)"
awk '/(weft|weft disturbed|as (l2=.*|unknown)) +[0-9.]+ +[0-9.]+ .*e[-+][0-9]+$/ { if ($NF > 1e-12) exit 1; seen++ }
     END { if (seen != 7) exit 1 }' $out || fail "plans made otherwise: $(cat $out)"
! grep -q '[w]hile :; do :; done' /proc/[0-9]*/cmdline 2>/dev/null || fail "a busy process is left"

# On a terminal a progress bar, which the table replaces.
if command -v python3 >/dev/null; then
    python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) != 0)' tools/weft-bench --seconds 0.01 8x8 6x6 >$out 2>&1 ||
        fail "on a terminal: $(cat $out)"
    tr '\r' '\n' <$out | grep -q '^\[#*\.*\] 2 of 2, about [0-9]*:[0-9][0-9] left: c2c 6x6' || fail "no bar: $(cat -v $out)"
    tr '\r' '\n' <$out | grep -q "^$(printf '\033\\[K')c2c 6x6  *weft" || fail "the bar stays: $(cat -v $out)"
fi

# An older Weft, whose reports lack the times; and FFTW-MPI, if installed: bytes computed from its layout.
cat >$programs/stub.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int weft_plan_report_json(void *plan, FILE *file);
int weft_plan_report_json(void *plan, FILE *file)
{
    (void)plan;
    return fputs("{\"workspace_bytes\": 5000000, \"exchanges\": [{\"bytes\": 1000}]}", file) > 0;
}
END
# shellcheck disable=SC2086
if $CC $INSTRUMENT_CFLAGS -shared -fPIC -Wl,--no-as-needed $programs/stub.c -o $programs/libweft-older.so $weft_libs 2>$out; then
    bench 2 "--seconds 0.01 --json --weft $PWD/$programs/libweft-older.so 16x16" || fail "an older Weft: $(cat $out)"
    grep -q '"sent_bytes": 2000, .*"memory_bytes": 5000000}' $out || fail "an older Weft: $(cat $out)"
    bench 2 "--seconds 0.01 --split --weft $PWD/$programs/libweft-older.so 16x16" || fail "an older Weft: $(cat $out)"
    grep -q 'c2c 16x16 *weft .* - *- *-$' $out || fail "an older Weft: $(cat $out)"
else
    fail "a library that stands for an older Weft: $(cat $out)"
fi
fftw_mpi=$(echo " $FFTW_MPI_LDFLAGS" | sed -n 's/.* -L\([^ ]*\).*/\1/p')/libfftw3_mpi.so
if test -f "$fftw_mpi"; then
    for kind in '' --transposed '--kind r2c' '--kind c2r --transposed' '--kind r2r'; do
        bench 2 "--seconds 0.01 --bytes --against $fftw_mpi $kind 12x10x9" || fail "$(cat $out)"
        awk '/FFTW-MPI/ { theirs = $(NF - 2); none = $NF } / weft / { ours = $(NF - 2) } END { exit theirs != ours || none != "-" }' $out ||
            fail "bytes by layout, $kind: $(cat $out)"
    done
fi

exit 0
