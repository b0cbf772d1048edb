#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# weft-bench --plot: gnuplot gets the numbers of the files; it makes pictures; and the tool names files that it cannot
# draw.
. "${srcdir:-.}/tests/scripts/tools.sh"
mkdir $out/bin

# result RANKS GFLOPS-OF-FFTW-MPI GFLOPS-OF-WEFT RATIO
result() {
    printf '{"processor": "A `date` processor'\''s", "mpi": "MPI 1", "ranks": %s, "rigor": "measure", "timed": "runs",\n' "$1"
    printf '"cases": [{"case": "c2c 4x4", "results": [{"by": "FFTW-MPI", "made": true, "median": 0.5, "gflops": %s, "ratio": 1},\n' "$2"
    printf '{"by": "weft", "made": true, "median": 0.25, "gflops": %s, "ratio": %s, "passes": 0.125, "moving": 0.0625, "waiting": 0.025}, {"by": "bruck", "made": false}]}]}\n' "$3" "$4"
}
result 1 2.5 3.5 1.25 >$out/1.json
result 4 4.5 8.5 1.75 >$out/4.json

# A gnuplot that saves its input and draws nothing.
printf '#!/bin/sh\ncat >%s/script\n' $out >$out/bin/gnuplot
chmod +x $out/bin/gnuplot
# drawn ARGUMENT...: weft-bench writes the script for this gnuplot.
drawn() {
    PATH=$out/bin:$PATH tools/weft-bench "$@" >$out/log 2>&1 || fail "weft-bench $*:"
}
drawn --plot $out/a.svg $out/1.json $out/4.json
PMI_RANK=1 tools/weft-bench --plot $out/a.svg $out/1.json || fail 'another rank than 0 draws'
# says LINES: the script for gnuplot has these lines in this order.
says() {
    tr '\n' '|' <$out/script | grep -qF "$1" || fail "$1 is not in $(cat $out/script)"
}
says '$speed << EOD|"FFTW-MPI" 0 2.5 ?|"Weft" 1 ? 3.5|EOD|'
says '$curve0 << EOD|1 3.5|4 8.5|EOD|'
says '$curve1 << EOD|1 2.5|4 4.5|EOD|'
says '$ratios << EOD|"FFTW-MPI" 0 ? ?|"Weft" 1 1.25 1.75|EOD|'
says '$split << EOD|"Weft" 1 25 12.5 5|EOD|'
says 'set xlabel "% of FFTW-MPI'\''s time"'
says '$line using (1*$1):2 with lines'
says 'A _date_ processor_s' # no text that gnuplot would run as a command
for ending in png pdf; do
    drawn --plot $out/a.$ending $out/1.json
    says "set terminal ${ending}cairo"
done

# One line per case, sorted by kind. More cases make the picture higher, not wider. many CASES:
# writes a result with so many cases.
many() {
    result 2 2.5 3.5 1.25 | head -n 1
    printf '"cases": ['
    for i in $(seq "$1"); do
        kind=$((i % 2)) && test "$i" -eq 1 || printf ,
        result 2 2.5 3.5 1.25 | sed -n "2,\$ { s/\"cases\": \[//; s/c2c 4x4/r${kind}c 4x$i transposed in place/; s/\]}\$//; p; }"
    done
    printf ']}\n'
}
height=0
for cases in 2 20 60; do
    many $cases >$out/many.json
    drawn --force --plot $out/a.svg $out/many.json
    labels=$(grep '^set ytics (' $out/script | grep -o '"r[01]c 4x[0-9]* transposed in place" [0-9.]*')
    test "$(echo "$labels" | wc -l)" -eq $cases || fail "of $cases cases these have a line: $labels"
    test "$(echo "$labels" | cut -c 2-3 | uniq | tr '\n' ' ')" = 'r1 r0 ' || fail "kinds are mixed: $labels"
    size=$(sed -n 's/^set terminal .* size \([0-9]*\),\([0-9]*\) .*/\1 \2/p' $out/script)
    test "${size% *}" -le 900 && test "${size#* }" -ge $((height + 20 * cases / 2)) && test "${size#* }" -ge $((18 * cases)) ||
        fail "$cases cases: $size, after $height"
    height=${size#* }
done

# One call times and draws sizes, and also prints the table.
drawn --seconds 0.01 --plot $out/sizes.svg 6x6 8x8
says 'set ytics ("c2c 6x6" 0, "c2c 8x8" 1)'
says '$split << EOD|'
has '^c2c 8x8  *weft '

# (messages.sh has the other wrong calls.)
command=$PWD/tools/weft-bench
PATH=/nowhere "$command" --plot $out/b.svg $out/1.json 2>$out/log
test $? -eq 2 && test ! -e $out/b.svg || fail 'a picture that cannot be drawn was started'
has 'gnuplot is not installed, so .*b.svg cannot be drawn'

command -v gnuplot >/dev/null || exit 0
tools/weft-bench --plot $out/a.svg --force $out/1.json $out/4.json >$out/log 2>&1 && test ! -s $out/log || fail 'gnuplot says:'
for text in FFTW-MPI waiting 'time goes' 'Over ranks' 'GFLOP/s' 'as fast as FFTW-MPI' 'c2c 4x4'; do
    grep -q "$text" $out/a.svg || fail "$text is not in the picture"
done
