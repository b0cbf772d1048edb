#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# weft-tune and WEFT_RECORD: the file has each problem of a program once, even if several jobs write at the same time.
# After tuning the program has wisdom for them. weft-tune leaves out known problems, also after an interruption; it
# lists, merges and prunes files, does not overwrite them, and names wrong options and files.
. "${srcdir:-.}/tests/scripts/tools.sh"
tune=$PWD/tools/weft-tune

cat >$out/program.c <<'END'
#include <fftw3-mpi.h>
#include "weft.h"

static fftw_complex a[8192], b[8192];

static void nothing(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis, void *data)
{
}

int main(int argc, char **argv)
{
    const ptrdiff_t n[3] = {12, 10, 8}, modes[3] = {8, 6, 5};
    const fftw_r2r_kind kind[3] = {FFTW_REDFT10, FFTW_DHT, FFTW_RODFT00};
    const int dims[2] = {2, 1}, each[3] = {FFTW_REDFT00, WEFT_NONE, WEFT_DFT_FORWARD};
    const int there[3] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_R2C},
              back[3] = {WEFT_DFT_BACKWARD, WEFT_DFT_BACKWARD, WEFT_DFT_C2R};
    const unsigned estimate = FFTW_ESTIMATE;
    double *x = a[0], *y = b[0];
    MPI_Init(&argc, &argv);
    MPI_Comm world = MPI_COMM_WORLD;
    weft_grid grid = weft_grid_create(world, 2, dims), columns = weft_grid_create_column_major(world, 2, dims);
    for (int again = 0; again < 2; again++) {
        fftw_plan plan[] = {
            fftw_mpi_plan_dft_3d(12, 10, 8, a, a, world, FFTW_BACKWARD, estimate | FFTW_MPI_TRANSPOSED_OUT),
            fftw_mpi_plan_many_dft_r2c(3, n, 2, 7, 6, x, b, world,
                                       estimate | FFTW_MPI_TRANSPOSED_OUT | FFTW_DESTROY_INPUT),
            fftw_mpi_plan_many_dft_c2r(3, n, 1, 0, 0, a, y, world, estimate | FFTW_MPI_TRANSPOSED_IN),
            fftw_mpi_plan_many_r2r(3, n, 1, 0, 0, x, y, world, kind, estimate | FFTW_UNALIGNED),
            fftw_mpi_plan_transpose(30, 20, x, y, world, estimate),
            fftw_mpi_plan_dft_1d(1024, a, b, world, FFTW_FORWARD, FFTW_MPI_SCRAMBLED_OUT | estimate),
            weft_plan_dft_r2c_3d(12, 10, 8, x, b, grid, WEFT_ROWS | WEFT_UNPADDED | estimate),
            weft_plan_many_kinds(3, n, 1, a, b, columns, each, estimate | WEFT_TRANSPOSED_OUT),
            weft_plan_operator(3, n, NULL, 2, a, a, NULL, there, nothing, NULL, world, estimate),
            weft_plan_multiply(3, n, NULL, 1, a, b, columns, there, b, 0, world, estimate),
            weft_plan_fields(3, n, NULL, 1, 0, a, NULL, grid, there, nothing, NULL, world, estimate | WEFT_UNPADDED),
            weft_plan_convolution(3, n, modes, 2, a, b, NULL, back, world, estimate)};
        for (size_t i = 0; i < sizeof plan / sizeof *plan; i++) {
            if (!plan[i])
                return 1;
            fftw_destroy_plan(plan[i]);
        }
    }
    weft_grid_free(grid);
    weft_grid_free(columns);
    MPI_Finalize();
    return 0;
}
END
compile $out/test_tune $out/program.c $weft_libs

cat >$out/expected <<'END'
--ranks 2 --precision double --kind c2c --backward --flags transposed-out --in-place 12x10x8
--ranks 2 --precision double --kind r2c --howmany 2 --blocks 7,6 --flags destroy-input,transposed-out 12x10x8
--ranks 2 --precision double --kind c2r --flags transposed-in 12x10x8
--ranks 2 --precision double --kinds redft10,dht,rodft00 --flags unaligned 12x10x8
--ranks 2 --precision double --kind transpose 30x20
--ranks 2 --precision double --kind c2c --flags scrambled-out 1024
--ranks 2 --precision double --kinds forward,forward,r2c --grid 2 --flags rows,unpadded 12x10x8
--ranks 2 --precision double --kinds redft00,none,forward --grid 2x1:column-major --flags transposed-out 12x10x8
--ranks 2 --precision double --kinds forward,forward,r2c --operator --howmany 2 --flags fftw-blocks --in-place 12x10x8
--ranks 2 --precision double --kinds forward,forward,r2c --factors --grid 2x1:column-major 12x10x8
--ranks 2 --precision double --kinds forward,forward,r2c --operator --fields-out 0 --grid 2x1 --flags unpadded 12x10x8
--ranks 2 --precision double --kinds backward,backward,c2r --operator --fields-out 1 --modes 8x6x5 --howmany 2 --flags fftw-blocks 12x10x8
END

# Several jobs record at the same time, each line once; without WEFT_RECORD none is recorded.
sed 's/dims\[2\] = {2, 1}/dims[2] = {1, 1}/;s/n, 2, 7, 6/n, 2, 12, 10/' $out/program.c >$out/alone.c
compile $out/alone $out/alone.c $weft_libs
jobs=
for job in 1 2 3 4; do
    WEFT_RECORD=$out/jobs $out/alone >$out/job$job 2>&1 &
    jobs="$jobs $!"
done
for job in $jobs; do wait "$job" || fail "a job that records: $(cat $out/job?)"; done
sed 's/--ranks 2/--ranks 1/;s/--grid 2x1/--grid 1x1/;s/--grid 2 /--grid 1 /;s/ --blocks 7,6//' $out/expected | cmp - $out/jobs || fail "by jobs: $(cat $out/jobs)"
WEFT_RECORD=$out/record run tune 2 >$out/log 2>&1 || fail 'the program:'
diff $out/expected $out/record || fail 'the recorded lines'
WEFT_RECORD=$out/none/record run tune 2 >$out/log 2>&1 || fail 'a record file that cannot be written:'
has "^weft: WEFT_RECORD records nothing: the file $out/none/record cannot be written" 1

# tuned OPTIONS: runs weft-tune on 2 ranks.
tuned() {
    every 2 "exec '$tune' --rigor measure --wisdom $out/wisdom --seconds 0.01 $1" >$out/log 2>&1 || fail "weft-tune $1:"
}

# weft-tune tunes every problem; afterwards the program and weft-tune have wisdom for it.
printf '\n# for others\n--ranks 5 8x8 # five\n' >>$out/record
tuned "--problems $out/record"
has '^12 tuned, 0 known already, 1 for other numbers of ranks, 0 failed'
has '^all 12 together: estimate [0-9.e+-]* ms, measure [0-9.e+-]* ms'
has '^11 of 13 done, about [0-9]*:[0-9][0-9] left$'
WEFT_WISDOM=$out/wisdom WEFT_VERBOSE=1 run tune 2 >$out/log 2>&1 || fail 'with wisdom:'
has '^weft:   chosen by wisdom' 24
tuned "--problems $out/record"
has '^0 tuned, 12 known already'
tuned '--again --kind transpose 30x20'
has '^1 tuned'

# Interrupted while it plans the second problem: the file has the first, and the same command
# continues.
WEFT_WISDOM=$out/cut
export WEFT_WISDOM
$tune --rigor exhaustive --seconds 0.01 8x8 512x512x8 >$out/log 2>&1 &
job=$!
for _ in $(seq 1200); do
    test ! -s $out/cut || break
    sleep 0.1
done
kill -TERM $job
! wait $job || fail 'it was not interrupted:'
has '^weft-tune: interrupted; of 2 problems, 1 are in'
test ! -e $out/cut.weft-new || fail 'half a file is left'
$tune --rigor exhaustive --seconds 0.01 8x8 >$out/log 2>&1 || fail 'after that:'
has '^c2c 8x8: known already'
unset WEFT_WISDOM

# On a terminal a progress bar, which the printed lines replace.
if command -v python3 >/dev/null; then
    on_terminal $tune --rigor measure --seconds 0.01 --wisdom $out/bars 8x8 6x6 4x4
    has '^\[####*\.*\] [23] of 3, about [0-9]*:[0-9][0-9] left: c2c '
    lacks 'done, about'
    has "^$(printf '\033\\[K')c2c 8x8: estimate .* in [0-9.e+-]* s\$"
fi

# says STATUS SENTENCE OPTIONS: runs one process without a launcher.
says() {
    wanted=$1 sentence=$2
    shift 2
    "$tune" "$@" >$out/log 2>&1
    test $? -eq $wanted || fail "$*: the status is not $wanted:"
    test -z "$sentence" || has "$sentence"
}
says 0 '^12 decisions' --list $out/wisdom
says 0 '^13 decisions' --list $out/wisdom $out/cut
says 0 '' --merge $out/wisdom $out/cut -o $out/both
says 0 '^13 decisions' --list $out/both
says 2 "$out/both exists; --force overwrites it" --merge $out/wisdom -o $out/both
says 0 '^13 decisions' --list $out/both
sed 's/ processor=[^ ]*/ processor=other/' $out/cut >$out/changed
says 0 'usable lines, 1 damaged lines' --list $out/changed
says 0 '^0 of 13 would be removed' --prune all $out/both
every 2 "WEFT_TIMELIMIT=0 exec '$tune' --prune all $out/both" >$out/log 2>&1 && has '^0 of 13 would' || fail 'on 2 ranks:'
says 0 '' --rigor measure --wisdom $out/both --again --seconds 0.01 8x8
says 0 '^1 of 14 would be removed' --prune all $out/both
says 0 '^1 of 14 removed' --prune rigor $out/both -o $out/pruned
says 0 '^13 decisions' --list $out/pruned
! grep '^--kind c2c.* 8x8 .*rigor=measure' $out/pruned || fail 'less rigor was not dropped'
