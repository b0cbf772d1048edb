#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A small /dev/shm, as in many containers: plans still share memory, because files without names are not in /dev/shm.
# The test runs in a mount namespace. Skipped if that is not allowed.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/test_small

cat >$out.c <<'END'
#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 96 };

/* Nothing but MPI; or a plan. The transform of a single 1 at the origin is 1 everywhere. */
int main(int argc, char **argv)
{
    ptrdiff_t n0, start;
    int ok = 1;
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    fftw_mpi_init();
    const ptrdiff_t size = fftw_mpi_local_size_3d(N, N, N, MPI_COMM_WORLD, &n0, &start);
    fftw_complex *in = fftw_alloc_complex(size), *out = fftw_alloc_complex(size);
    fftw_plan plan = NULL;
    if (!getenv("ONLY_MPI"))
        plan = fftw_mpi_plan_dft_3d(N, N, N, in, out, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    memset(in, 0, sizeof *in * size);
    in[0][0] = start == 0;
    if (plan)
        fftw_execute(plan);
    for (ptrdiff_t i = 0; plan && i < n0 * N * N; i++)
        ok &= out[i][0] > 0.999 && out[i][0] < 1.001 && out[i][1] > -0.001 && out[i][1] < 0.001;
    MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (start == 0)
        printf("%s\n", !plan ? "no plan" : ok ? "right" : "wrong");
    MPI_Finalize();
    return 0;
}
END
$CC $INSTRUMENT_CFLAGS -I"$srcdir/api" $FFTW_CPPFLAGS $out.c -o $out $weft_libs || fail 'the program does not compile'

may_mount 'mount -t tmpfs tmpfs /dev/shm' || skip 'a small /dev/shm cannot be mounted here'

# small SIZE CASE: runs the case with a /dev/shm of that size.
small() {
    # shellcheck disable=SC2086
    unshare --mount $user sh -c "mount -t tmpfs -o size=$1 tmpfs /dev/shm && shift && exec \"\$@\"" sh "$1" \
        env SHARED_MEMORY=small sh "$srcdir/tests/mpi/launch" "$2" >$out.log 2>&1
}
# A size of 0 would mean no limit. Sizes with which MPI itself cannot start are skipped.
for size in 4k 1m 16m; do
    if ! ONLY_MPI=yes small $size $programs/small-2.mpi; then
        echo "$size: MPI does not start"
        continue
    fi
    WEFT_BACKEND=shared small $size $programs/small-2.mpi && grep -q '^right$' $out.log && continue
    # MPI may start one time and fail the next time.
    grep -q 'MPI_Init\|internal_Init' $out.log || fail "$size: $(cat $out.log)"
    echo "$size: MPI does not start each time"
done
