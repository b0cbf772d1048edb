#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A small /dev/shm, as in many containers: plans still share memory, because files without names are not in /dev/shm.
# The test runs in a mount namespace. Skipped if that is not allowed.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/test_small

plan_program $out
export N=1000

may_mount 'mount -t tmpfs tmpfs /dev/shm' || skip 'a small /dev/shm cannot be mounted here'

# small SIZE CASE: runs the case with a /dev/shm of that size.
small() {
    # shellcheck disable=SC2086
    unshare --mount $user sh -c "mount -t tmpfs -o size=$1 tmpfs /dev/shm && shift && exec \"\$@\"" sh "$1" \
        env SHARED_MEMORY=small sh "$srcdir/tests/mpi/launch" "$2" >$out.log 2>&1
}
# A size of 0 would mean no limit. Sizes with which MPI itself cannot start are skipped.
for size in 4k 1m 16m; do
    if ! HOW=mpi small $size $programs/small-2.mpi; then
        echo "$size: MPI does not start"
        continue
    fi
    WEFT_BACKEND=shared small $size $programs/small-2.mpi && test "$(grep -c 'a plan, right' $out.log)" -eq 2 && continue
    # MPI may start one time and fail the next time.
    grep -q 'MPI_Init\|internal_Init' $out.log || fail "$size: $(cat $out.log)"
    echo "$size: MPI does not start each time"
done
