#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# weft-bench: what it prints of cases and of whole lives of plans, and what it says of options that make no sense.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/bench.log

# bench RANKS OPTION...: its exit status; what it prints is in $out.
bench() {
    printf '#!/bin/sh\nexec "%s/tools/weft-bench" %s\n' "$PWD" "$2" >$programs/test_bench
    chmod +x $programs/test_bench
    run bench "$1" >$out 2>&1
}
# complains STATUS SENTENCE OPTIONS
complains() {
    bench 1 "$3"
    test $? -eq "$1" && grep -q -- "$2" $out || fail "$3: $(cat $out)"
}

bench 2 '--seconds 0.01 16x16x16 8x12' || fail "$(cat $out)"
awk '$1 == "c2c" && $3 == "weft" && $4 > 0 && $5 > 0 && $5 <= $4 {
         split($2, n, "x"); points = n[1] * n[2] * (n[3] ? n[3] : 1)
         gigaflop = 5 * points * log(points) / log(2) / 1e6 # a millisecond is printed to 4 digits behind the point
         if ($6 < gigaflop / ($4 + 0.00006) - 0.001 || $6 > gigaflop / ($4 - 0.00006) + 0.001) exit 1
         seen++ }
     END { if (seen != 2) exit 1 }' $out || fail "the table: $(cat $out)"

bench 2 "--lifecycle --seconds 0.01 --against $PWD/.libs/libweft.so 8x8x8 6x6" || fail "$(cat $out)"
test "$(grep -c 'other Weft' $out)" -eq 3 || fail "the other library: $(cat $out)"
grep -q '^all 2 in turn' $out || fail "no cases in turn: $(cat $out)"
awk '/e[+-][0-9]+$/ { if ($NF > 1e-12) exit 1; seen++ } END { if (seen != 6) exit 1 }' $out || fail "differences: $(cat $out)"

bench 2 '--seconds 0.01 --csv 8x8 6x6' || fail "$(cat $out)"
awk -F, '/^c2c / { if (NF != 10 || $3 <= 0 || $4 > $3 || $9 < 5) exit 1; seen++ } END { if (seen != 2) exit 1 }' $out ||
    fail "CSV: $(cat $out)"
bench 2 '--seconds 0.01 --json --rigor estimate 8x8 6x6' || fail "$(cat $out)"
grep -q '"ranks": 2, .*"rigor": "estimate", "timed": "runs"' $out || fail "JSON: $(cat $out)"
if command -v python3 >/dev/null; then
    sed 's/weft-bench: ranks .*//' $out | python3 -c 'import json, sys; assert len(json.load(sys.stdin)["cases"]) == 2' ||
        fail "not JSON: $(cat $out)"
fi

complains 2 'there is no option --sidewards' '--sidewards 8x8'
complains 2 '--kind needs a value' '--kind'
complains 2 '--kind does not take c2x' '--kind c2x 8x8'
complains 2 '--seconds does not take none' '--seconds none 8x8'
complains 2 'no case with "r2c"' '--only r2c 8x8'
complains 2 'not sizes' '8x'
exit 0
