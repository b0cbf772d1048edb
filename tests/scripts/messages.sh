#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# doc/messages.adoc lists all messages of the sources. For bad input each tool prints one message, and returns status 2.
. "${srcdir:-.}/tests/scripts/tools.sh"
here=$PWD
mkdir -p $out/here/folder $out/here/tree/tools
: >$out/here/empty
echo 'no wisdom' >$out/here/text
tools/weft-bench --seconds 0.01 --json 4x4 >$out/here/a.json
: >$out/here/a.svg
cp "$srcdir/tools/quickstart" $out/here/tree/tools
status=0
if command -v python3 >/dev/null; then
    python3 "$srcdir/tools/list-messages" --check >$out/log 2>&1 || fail 'doc/messages.adoc:'
fi

# refused MESSAGE TOOL ARGUMENT...
refused() {
    message=$1
    shift
    before=$(ls -R .)
    "$@" >$out/output 2>$out/log </dev/null
    code=$?
    test $code -eq 2 && grep -q -- "$message" $out/log && test "$(wc -l <$out/log)" -eq 1 &&
        test ! -s $out/output && test "$before" = "$(ls -R .)" && ! grep -q '\(weft-[a-z]*: \).*\1' $out/log && return
    echo "$*: status $code, $(cat $out/log $out/output)"
    status=1
}

bench=$here/tools/weft-bench tune=$here/tools/weft-tune info=$here/tools/weft-info run=$here/tools/weft-run
cd $out/here || exit 99
# An unknown option, no argument, an empty one, sizes of 0, half sizes, negative numbers.
refused 'there is no option --sidewards' $bench --sidewards 8x8
refused 'there is no size' $bench
refused '"" is not a size' $bench ''
refused '"0x8" is not a size' $bench 0x8
refused '"8x" is not a size' $bench 8x
refused 'there is no option -8;' $bench -8x8
refused '"8x-8" is not a size' $bench 8x-8
refused '--ranks is "-1"; it must be a whole number' $bench --ranks -1 8x8
refused '--threads is "0"; it must be' $bench --threads 0 8x8
refused '--seconds is "-1"; it must be' $bench --seconds -1 8x8
refused '--seconds is "nan"; it must be' $bench --seconds nan 8x8
refused '--howmany is ""; it must be' $bench --howmany '' 8x8
refused '--howmany is "9223372036854775808"; it must be' $bench --howmany 9223372036854775808 8x8
refused '"8x9223372036854775808" is not a size' $bench 8x9223372036854775808
refused '--rigor is "fast"; it must be one of estimate, measure' $bench --rigor fast 8x8
refused 'there is no backend "pigeon"' $bench --backends pigeon 8x8
refused "none cannot be opened: " $bench --against "$out/none" 8x8
refused "folder cannot be opened: " $bench --against "$out/folder" 8x8
refused '--plot is "folder"; the name must end with' $bench --plot folder 8x8
refused '--plot is "a.gif"; the name must end with' $bench --plot a.gif 8x8
refused '"8xx8" is not a size' $bench --plot b.svg 8xx8
refused 'none: No such file' $bench --plot b.svg none
refused 'empty: this is no file that weft-bench --json has written' $bench --plot b.svg empty
refused 'text: this is no file that weft-bench --json has written' $bench --plot b.svg text
refused 'folder: Is a directory' $bench --plot b.svg folder
refused 'a.svg exists; --force overwrites it' $bench --plot a.svg a.json
refused 'accepts only --force' $bench --plot b.svg --seconds 2 a.json
refused 'sizes or files of results, not both' $bench --plot b.svg 8x8 a.json
refused 'cannot be written: No such' $bench --plot none/b.svg a.json
refused 'option --kind needs a value' $bench --kind
refused '--kind is "c2x"; it must be c2c, ' $bench --kind c2x 8x8
refused '--layout is "bricks"; it must be one of rows, slabs, grid' $bench --layout rows,bricks 8x8x8
refused '--only is "r2c"; no case' $bench --only r2c 8x8
refused '--plot.* needs a value' $bench --plot
refused 'needs sizes' $bench --plot b.svg
refused 'prints a table' $bench --plot b.svg --json 8x8
refused '--force is for --plot' $bench --force 8x8
refused 'there is no option --sidewards' $tune --sidewards 8x8
refused 'there is no problem' $tune --wisdom new
refused '"" is not a size' $tune --wisdom new ''
refused '"0x8" is not a size' $tune --wisdom new 0x8
refused '--ranks is "-1"; it must be' $tune --wisdom new --ranks -1 8x8
refused 'there is no file of wisdom' $tune 8x8
refused 'none/new cannot be written' $tune --wisdom none/new 8x8
refused 'folder' $tune --wisdom folder 8x8
refused 'text contains no wisdom' $tune --wisdom text 8x8
refused 'none cannot be read' $tune --problems none --wisdom new
refused 'folder cannot be read' $tune --problems folder --wisdom new
refused 'there is no file none' $tune --list none
refused 'folder' $tune --list folder
refused '--list needs' $tune --list
refused '--merge needs' $tune --merge text
refused '-o is for --merge and --prune' $tune --wisdom new -o other 8x8
refused 'there is no option --in-place=3' $bench --in-place=3 8x8
refused '--prune is "old"; it must be' $tune --prune old text
refused '--rigor is "estimate"; it must be measure' $tune --rigor estimate 8x8
refused '--kinds is "redft12"' $tune --kinds redft12 8x8
refused '--flags is "upside"' $tune --flags upside 8x8
refused 'text, line [0-9]*: ' $tune --problems text --wisdom new
refused '--check accepts no other argument, and "--json" was given' $info --check --json
refused '--json accepts no other argument, and "--check" was given' $info --json --check
refused '--kind is "dct"' $info --plan 8x8 --kind dct
refused 'the grid 3x2 has 6 ranks, but -n is 8' $info --plan 8x8x8 -n 8 --grid 3x2
refused '--grid is "3y2"' $info --plan 8x8x8 -n 8 --grid 3y2
refused 'dimensions' $info --plan 8x8 -n 8 --grid 4x2
refused '--volume is "8x8x8y"' $info --volume 8x8x8y --gnuplot
refused 'needs a value' $info --plan 8x8 -n
refused '"8" is not an option' $info --plan 8x8 8
refused '--volume needs sizes' $info --volume 8x8x8 --check
refused 'the first option cannot be "--sidewards"' $info --sidewards
refused 'the first option cannot be "--grid"' $info --grid 4x2
refused 'the first option cannot be ""' $info ''
refused '--plan is ""' $info --plan ''
refused '--plan is "0x8"' $info --plan 0x8
refused '-n is "-1"; it must be' $info --plan 8x8 -n -1
refused 'there is no option -8 with --plan' $info --plan 8x8 -8
refused '-n is "0"; it must be' $info --plan 8x8 -n 0
refused '--grid is "0"' $info --plan 8x8 -n 2 --grid 0
refused '--plan: the sizes and howmany multiply' $info --plan 8x9223372036854775807
refused 'folder cannot be written\|folder exists' $info --plan 8x8 --svg folder
refused 'none/a.svg cannot be written' $info --plan 8x8 --svg none/a.svg
refused '--volume is ""' $info --volume ''
refused '--volume is "0x8x8"' $info --volume 0x8x8
refused '--volume: the sizes and howmany multiply' $info --volume 1048576x1048576x1048576x1048576

refused 'there is no option --sidewards' $run --sidewards program
refused 'there is no program' $run
refused 'the program "" cannot be found' $run ''
refused 'the program "none" cannot be found' $run none
refused 'folder is a directory' $run ./folder
refused 'is an empty file' $run ./empty
refused 'text is not a program' $run ./text

refused 'there is no job "sideways"' sh tree/tools/quickstart sideways
refused 'there is no job "check twice"' sh tree/tools/quickstart check twice
exit $status
