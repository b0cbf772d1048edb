#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tools/quickstart in a tree with stubs for configure, make's targets and the comparison: it prints numbers before it
# builds the rest, states the result in a sentence, shows a bar on a terminal, and ends if a step fails.
. "${srcdir:-.}/tests/scripts/tools.sh"
tree=$PWD/$programs/quickstart
out=$programs/quickstart.log
rm -rf "$tree" && mkdir -p "$tree/tools/bench" "$tree/bin" && cp "$srcdir/tools/quickstart" "$tree/tools"

# stub FILE: makes a command whose script is standard input.
stub() {
    { echo '#!/bin/sh' && cat; } >"$1"
    chmod +x "$1"
}
echo 'echo " installed"' | stub "$tree/bin/dpkg-query"
echo 'exit 1' | stub "$tree/bin/apt-get"
stub "$tree/configure" <<'END'
echo '#define WEFT_MPI_REASON "one of ours"' >config.h
{
    echo 'MPIEXEC = launcher'
    echo 'all: ; @test ! -e fail && echo "  CC       rest" && echo "#!/bin/sh" >tools/weft-info && chmod +x tools/weft-info'
    echo 'libweft.la tools/weft-bench: early'
    echo 'early:'
    for i in 1 2 3 4 5 6; do printf '\t@echo "  CC       %s"; sleep 0.4\n' $i; done
    printf '\t@mkdir -p tools\n.PHONY: all early\n'
} >Makefile
: >config.status
chmod +x config.status
END
cat >"$tree/tools/bench/compare" <<'END'
test "$AGAINST" != build || exit 0
test ! -e tools/weft-info || echo 'the rest is built already'
echo "case by: $AGAINST $PRECISIONS $*"
test "$AGAINST" = no || echo 'c2c 128x128x128  FFTW-MPI  10 9 5 1.00 1 0'
test "$AGAINST" = no || echo '                 weft       5 4 9 2.25 1 0'
echo 'weft-bench: ranks share a core: times say little' >&2
echo "weft: plan c2c-forward 128x128x128, double, 2 ranks, slab-2, measure" >&2
for exchange in $EXCHANGES; do echo "weft:   exchange 1: $exchange, among 2 ranks: ..." >&2; done
END

EXCHANGES="shared shared" PATH=$tree/bin:$PATH
export EXCHANGES PATH
"$tree/tools/quickstart" >$out 2>&1 || fail "$(cat $out)"
grep -q 'the rest is built already' $out && fail "the rest came first: $(cat $out)"
sed -n 's/^case by: //p; s/^\(First times\).*/\1/p; s/^\(Building the rest\).*: [0-9]* s$/\1/p' $out |
    tr '\n' '|' | grep -qxF 'no double --backends all 128x128x128|First times|there double 128x128x128|Building the rest|' ||
    fail "the order: $(cat $out)"
grep -qx 'On this machine, 2 ranks: 2.25 times as fast as FFTW-MPI at 128^3, by shared memory.' $out || fail "the sentence: $(cat $out)"
grep -q '^Created: build/ ([0-9.]*[KM]); ' $out || fail "the line of created files: $(cat $out)"
grep -q '^Ranks shared cores' $out || fail "no warning: $(cat $out)"
EXCHANGES="waitall bruck:2" "$tree/tools/quickstart" >$out 2>&1 || fail "$(cat $out)"
grep -q 'at 128^3, by bruck:2 waitall\.$' $out || fail "messages: $(cat $out)"

: >"$tree/build/fail"
"$tree/tools/quickstart" >$out 2>&1 && fail "a failure has the status 0: $(cat $out)"
grep -q '^tools/quickstart: failed: make' $out || fail "a failure: $(cat $out)"
rm "$tree/build/fail"

# Without apt: it names the package command of this system, and the packages; on an unknown system all
# package commands.
mkdir "$tree/others"
for command in sh awk cat cut date dirname getconf grep mkdir sed; do
    ln -s "$(command -v $command)" "$tree/others"
done
named() {
    PATH=$tree/others "$tree/tools/quickstart" >$out 2>&1 && fail "without a compiler: $(cat $out)"
    grep -q '^tools/quickstart: these commands are missing: autoreconf .* mpicc\. It installs' $out || fail "$(cat $out)"
    grep '^  ' $out | sed 's/^  //' | cut -d ' ' -f 1 | tr '\n' ' '
}
for command in dnf zypper pacman apk brew spack; do
    all="$all$command "
    echo | stub "$tree/others/$command"
    test "$(named)" = "$command " || fail "$command: $(cat $out)"
    rm "$tree/others/$command"
done
test "$(named)" = "$all" || fail "an unknown system: $(cat $out)"

command -v python3 >/dev/null || exit 0
python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) != 0)' "$tree/tools/quickstart" >$out 2>&1 || fail "on a terminal: $(cat $out)"
tr '\r' '\n' <$out | grep -q '^\[####* *\] Building libweft.*: [0-9]* s, about [0-9]* s left' || fail "no bar: $(cat -v $out)"
exit 0
