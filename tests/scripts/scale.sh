#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# 64, 127 and 256 ranks, on 16 nodes that SimGrid simulates: every backend (not on 256 ranks) and the planner's
# choice, on slabs and grids, compared with serial FFTW. (tests/dropin/scale.c; the times of messages do not matter.)
srcdir=${srcdir:-.}
folder=tests/scripts/simulated
fail() {
    echo "failed: $*"
    exit 1
}
# 2 x 63 messages, of which 48 and 63 leave a node; 2 x 268 MB without the blocks that stay.
sh "$srcdir/tools/scale/arithmetic" 16 4096 | grep -qF '| 4096^3, 4096, 64 x 64; 268 MB | waitall | 126 | 111 | 466 MB |' ||
    fail 'arithmetic of 4,096 ranks'
for command in smpicc smpirun; do
    command -v $command >/dev/null || {
        echo "skipped: SimGrid is not there: no $command (Debian: apt-get install libsimgrid-dev)"
        exit 77
    }
done
# Settings of this test suite must not affect that build.
unset MPICC CC CFLAGS MPIEXEC LD_PRELOAD MAKEFLAGS MFLAGS
sh "$srcdir/tools/scale/build" $folder "$srcdir/tests/dropin/scale.c" || exit 1
cd $folder || exit 1
cat >nodes.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<cluster id="nodes" prefix="node" radical="0-15" suffix="" speed="1Gf" core="16" bw="12.5GBps" lat="1us"
         sharing_policy="FATPIPE" loopback_bw="10GBps" loopback_lat="300ns"/>
</platform>
END
awk 'BEGIN { for (rank = 0; rank < 256; rank++) print "node" int(rank / 16) }' >hosts

# run RANKS [turns [twice] | chosen]
run() {
    log="$*.log" ranks=$1
    shift
    smpirun -np "$ranks" -platform nodes.xml -hostfile hosts --cfg=network/crosstraffic:no \
        --cfg=smpi/send-is-detached-thresh:0 --cfg=smpi/coll-selector:mpich --cfg=smpi/simulate-computation:no \
        --cfg=smpi/list-leaks:20 --log=root.thres:error --log=smpi_utils.thres:info ./scale "$@" >"$log" 2>&1
    status=$?
    test $status -eq 0 && grep -q '^0 wrong$' "$log" || fail "$ranks simulated ranks: $(cat "$log")"
    # Weft keeps communicators and groups for the next plan until MPI_Finalize, where SimGrid does not allow to free them.
    ! grep 'leaked handles' "$log" | grep -Ev 'MPI_(Comm|Group)$' || fail "$ranks simulated ranks leave handles of MPI behind"
    echo "$ranks ranks: $(grep -c ': right$' "$log") right"
}
# kept: prints their numbers after the last run.
kept() {
    sed -n 's/.*\] \([0-9]* leaked handles of type MPI_[CG].*\)/\1/p' "$log"
}
# Two runs at a time. On 256 ranks only the backends that the planner chooses, and node.
trap wait EXIT
{ run 256 chosen && run 64; } &
others=$!
run 64 turns
once=$(kept)
run 64 turns twice
test -n "$once" && test "$(kept)" = "$once" ||
    fail "64 simulated ranks keep, when all is done once: $once; and when it is done twice: $(kept)"
run 127 turns
wait $others
