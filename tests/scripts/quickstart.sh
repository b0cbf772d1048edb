#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tools/quickstart in a tree with stubs for configure, make's targets and the comparison: it prints numbers before it
# builds the rest, states the result in a sentence, shows a bar on a terminal, and ends if a step fails.
. "${srcdir:-.}/tests/scripts/tools.sh"
tree=$out/tree
mkdir -p $tree/tools/bench $tree/bin && cp "$srcdir/tools/quickstart" $tree/tools

# stub FILE: makes a command whose script is standard input.
stub() {
    { echo '#!/bin/sh' && cat; } >"$1"
    chmod +x "$1"
}
echo 'echo " installed"' | stub "$tree/bin/dpkg-query"
echo 'exit 1' | stub "$tree/bin/apt-get"
stub $tree/configure <<'END'
echo '#define WEFT_MPI_REASON "one of ours"' >config.h
{
    echo 'MPIEXEC = launcher'
    echo 'all: ; @test ! -e fail && echo "  CC       rest" && echo "#!/bin/sh" >tools/weft-info && chmod +x tools/weft-info'
    echo 'libweft.la tools/weft-bench: early'
    echo 'early:'
    for i in 1 2 3 4 5 6; do printf '\t@echo "  CC       %s"; sleep $${PAUSE:-0}\n' $i; done
    printf '\t@mkdir -p tools\n.PHONY: all early\n'
} >Makefile
: >config.status
chmod +x config.status
END
cat >$tree/tools/bench/compare <<'END'
test "$AGAINST" != build || exit 0
test ! -e tools/weft-info || echo 'the rest is built already'
echo "case by: $AGAINST $PRECISIONS $*"
test "$AGAINST" = no || echo 'c2c 128x128x128  FFTW-MPI  10 9 5 1.00 1 0'
test "$AGAINST" = no || echo '                 weft       5 4 9 2.25 1 0'
echo 'weft-bench: ranks share a core: times say little' >&2
echo "weft: plan --kind c2c 128x128x128, double, 2 ranks, slab-2, measure" >&2
for exchange in $EXCHANGES; do echo "weft:   exchange 1: $exchange, among 2 ranks: ..." >&2; done
END

PATH=$tree/bin:$PATH
EXCHANGES="shared shared" $tree/tools/quickstart >$out/log 2>&1 || fail 'by shared memory:'
lacks 'the rest is built already'
sed -n 's/^case by: //p; s/^\(First times\).*/\1/p; s/^\(Building the rest\).*: [0-9]* s$/\1/p' $out/log |
    tr '\n' '|' | grep -qxF 'no double --backends all 128x128x128|First times|there double 128x128x128|Building the rest|' ||
    fail 'the order:'
has '^On this machine, 2 ranks: 2.25 times as fast as FFTW-MPI at 128^3, by shared memory.$'
has '^Created: build/ ([0-9.]*[KM]); '
has '^Ranks shared cores'
EXCHANGES="waitall bruck:2" $tree/tools/quickstart >$out/log 2>&1 || fail 'by messages:'
has 'at 128^3, by bruck:2 waitall\.$'

: >$tree/build/fail
! $tree/tools/quickstart >$out/log 2>&1 || fail 'a failure has the status 0:'
has '^tools/quickstart: failed: make'
rm $tree/build/fail

# Without apt: it names the package command of this system, and the packages; on an unknown system all
# package commands.
mkdir $tree/others
for command in sh awk cat cut date dirname getconf grep mkdir sed; do
    ln -s "$(command -v $command)" $tree/others
done
# names COMMANDS
names() {
    ! PATH=$tree/others $tree/tools/quickstart >$out/log 2>&1 || fail 'without a compiler:'
    has '^tools/quickstart: these commands are missing: autoreconf .* mpicc\. It installs'
    test "$(sed -n 's/^  \([^ ]*\).*/\1/p' $out/log | tr '\n' ' ')" = "$1" || fail "not the commands $1:"
}
for command in dnf zypper pacman apk brew spack; do
    all="$all$command "
    echo | stub $tree/others/$command
    names "$command "
    rm $tree/others/$command
done
names "$all"

command -v python3 >/dev/null || exit 0
PAUSE=0.4 on_terminal $tree/tools/quickstart
has '^\[####* *\] Building libweft.*: [0-9]* s, about [0-9]* s left'
