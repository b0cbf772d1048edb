#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A small /dev/shm, as in many containers: plans still share memory, because files without names are not in /dev/shm.
# The test runs in a mount namespace. Skipped if that is not allowed.
. "${srcdir:-.}/tests/scripts/tools.sh"
may_mount 'mount -t tmpfs tmpfs /dev/shm' || skip 'a small /dev/shm cannot be mounted here'
plan_program
export N=1000

# small SIZE: runs the program with a /dev/shm of that size.
small() {
    unshare --mount $user sh -c "mount -t tmpfs -o size=$1 tmpfs /dev/shm && SHARED_MEMORY=small exec sh '$srcdir/tests/mpi/launch' $programs/plan-2.mpi" >$out/log 2>&1
}
# A size of 0 would mean no limit. Sizes with which MPI itself cannot start are skipped.
for size in 4k 1m 16m; do
    if ! HOW=mpi small $size; then
        echo "$size: MPI does not start"
        continue
    fi
    WEFT_BACKEND=shared small $size && test "$(grep -c 'a plan, right' $out/log)" -eq 2 && continue
    # MPI may start one time and fail the next time.
    grep -q 'MPI_Init\|internal_Init' $out/log || fail "$size:"
    echo "$size: MPI does not start each time"
done
