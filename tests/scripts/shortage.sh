#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs tests/mpi/test_shortage where /dev/shm is small, as in many containers: in a mount namespace
# of its own. Skipped where that is not allowed.
here=$(dirname "$0")
small='mount -t tmpfs -o size=60m tmpfs /dev/shm'
for user in '' --map-root-user; do
    # shellcheck disable=SC2086
    if unshare --mount $user sh -c "$small" 2>/dev/null; then
        result=$(unshare --mount $user sh -c "$small && exec \"\$@\"" sh \
            env SHARED_MEMORY=small sh "$here/../mpi/launch" tests/mpi/shortage-2.mpi 2>&1)
        status=$?
        printf '%s\n' "$result"
        case $status$result in
        0*'refused: '*) exit 0 ;;
        esac
        exit 1
    fi
done
echo "skipped: a small /dev/shm cannot be mounted here"
exit 77
