#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# weft-info: its description of a plan is true, its pictures are XML, its JSON is valid, and it names bad input.
. "${srcdir:-.}/tests/scripts/tools.sh"
command -v python3 >/dev/null || skip 'there is no Python to look at the output with'

# plan KIND SIZES RANKS OPTION...
plan() {
    kind=$1 sizes=$2 ranks=$3
    shift 3
    tools/weft-info --plan "$sizes" -n "$ranks" --kind "$kind" --svg $out/plan.svg --force "$@" >$out/log 2>&1 &&
        python3 "$srcdir/tests/scripts/info.py" $out/log "$sizes" "$ranks" "$kind" $out/plan.svg || fail "$kind $sizes $ranks $*:"
}

plan c2c 24x20x18 4
plan c2c 24x20x18 4 --transposed
plan c2c 24x20x18 6 --backward
plan c2c 64x64x64 8 --grid 4x2
plan c2c 64x64x64 8 --grid 4x2 --one-node
plan c2c 17x9 3
plan c2c 9x8x7x6 12 --grid 3x2x2
plan r2c 12x10x8 5
plan r2c 12x10x8 5 --transposed
plan r2c 12x10x8 6 --grid 3x2
plan c2r 12x10x8 5
plan c2r 12x10x8 5 --transposed
tools/weft-info --plan 4x6x8 -n 16 >$out/log || fail 'more ranks than slabs'
has 'rank 15 .*nothing'

# The volume of exchanges: in rows exactly 1 - 1/P on up to n0 ranks, all blocks but those that stay twice on more, and
# always less than from bricks.
tools/weft-info --volume 64x64x64 >$out/log || fail 'weft-info --volume'
sed 1d $out/log >$out/table
awk '$1 ~ /^[0-9]+$/ { wanted = $1 <= 64 ? 1 - 1 / $1 : $1 <= 4096 ? 2 - 65 / $1 : $2
    if (($2 - wanted) ^ 2 > 1e-9 || $5 != "-" && $2 >= $5) exit 1; lines++ }
    END { exit lines != 13 }' $out/log || fail 'the volume:'
tools/weft-info --volume 64x64x64 --gnuplot >$out/log || fail 'weft-info --volume --gnuplot'
sed -n '/<< END$/,/^END$/p' $out/log | sed '1d;$d' | cmp -s - $out/table || fail 'another table:'
if command -v gnuplot >/dev/null; then
    gnuplot $out/log >$out/plot.svg && test "$(grep -c 'id="gnuplot_plot_' $out/plot.svg)" -eq 4 ||
        fail 'gnuplot does not draw the output of weft-info'
fi

# The settings in force, and their origin.
WEFT_TIMELIMIT=2 WEFT_BACKEND='é"b\' WEFT_BACKENDS=1 tools/weft-info --json >$out/log || fail 'weft-info --json'
python3 -c '
import json, sys
facts = json.load(open(sys.argv[1]))
settings = facts["Settings"]
assert settings["WEFT_TIMELIMIT"] == "2 (environment)", settings
assert settings["WEFT_BACKEND"] == "\u00e9\"b\\ (environment)", settings
assert settings["WEFT_WISDOM"].endswith("(default)"), settings
assert settings["unknown"].startswith("WEFT_BACKENDS "), settings
assert "fftw" in facts["Providers"]["fftw_execute"], facts
assert len(facts["Backends"]) > 5 and "shared" in facts["Backends"], facts
vectors, known = facts["Vector instructions"], open("/proc/cpuinfo").read().split()
assert ("avx2" in vectors["processor"].split()) == ("avx2" in known), vectors
assert ("--enable-avx2" in vectors["advice"]) == ("avx2" in known and "avx2" not in vectors["FFTW"].split()), vectors
' $out/log || fail 'the settings:'
WEFT_DEVICE=$libs/libstandin.so STANDIN_REFUSE=old tools/weft-info --json >$out/log || fail 'weft-info of devices'
test ! -e .libs/libstandin.so || python3 -c '
import json, sys
devices = json.load(open(sys.argv[1]))["Devices"]
assert devices["library"] == "stand-in, 2 devices", devices
assert devices["device 1"] == "stand-in; it cannot be used: the driver is too old", devices
' $out/log || fail 'the devices:'
WEFT_DEVICE=$PWD/none.so tools/weft-info >$out/log || fail 'weft-info'
for line in Settings Providers Machine Devices Backends MPI '  library .*none.so.*'; do
    has "^$line\$"
done

# It does not overwrite files.
tools/weft-info --plan 8x8 --svg $out/plan.svg >$out/text 2>$out/log
test $? -eq 2 && test ! -s $out/text || fail 'a picture was overwritten:'
has 'exists; --force overwrites it'
PMI_RANK=1 tools/weft-info --plan 8x8 --svg $out/plan.svg || fail 'another rank than 0 draws'
