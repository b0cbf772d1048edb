#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# weft-run: a program that is linked to FFTW's MPI library runs on Weft, with its arguments and its status, and reports
# its plans. weft-run refuses a program that cannot run on Weft, with status 2 and a sentence.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/run
tool=$PWD/tools/weft-run
rm -rf $out && mkdir -p $out/stand-in $out/other

# A library in place of FFTW-MPI, whose functions end the program.
$CC -fPIC -shared -DSTAND_IN -DDOUBLE "$srcdir/tests/dropin/loaded.c" -o $out/stand-in/libfftw3_mpi.so.3 -Wl,-soname,libfftw3_mpi.so.3 ||
    fail 'the library in place of FFTW-MPI does not compile'
# shellcheck disable=SC2086
$CC -I"$srcdir/api" $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS "$srcdir/tests/install/program.c" -o $out/program \
    $out/stand-in/libfftw3_mpi.so.3 -Wl,-rpath,$PWD/$out/stand-in $FFTW_LDFLAGS -lfftw3 -lm || fail 'the program does not compile'

# started RANKS OPTIONS: through weft-run
started() {
    command_of run "exec '$tool' $2"
    run run "$1" >$out/log 2>&1
}
WEFT_VERBOSE=1 started 3 "--report $PWD/$out/program" || fail "the program: $(cat $out/log)"
grep -q '^largest error' $out/log && grep -q '^weft: Weft .*/libweft.so.0, on' $out/log || fail "not on Weft: $(cat $out/log)"
# At most 12 lines per plan: the problem, the path, the origin of the choice.
grep '^weft: ' $out/log | awk '/^weft: plan /{ plans++; lines = 0; has = 0 } /^weft: (plan|  )/{ lines++ }
    /^weft:   (path: |chosen by .*; a run |nothing to do)/{ has++ } lines > 12 { exit 1 }
    END { exit !(plans > 0 && has > 0 && lines >= 2) }' || fail "output about plans: $(cat $out/log)"
grep -q '^weft: report: .*planned [0-9]* times* in .*; ran [0-9]* times* in ' $out/log || fail "no report of a plan: $(cat $out/log)"
grep -q '^weft: report: in total [0-9]* plans* made in ' $out/log || fail "no report of all: $(cat $out/log)"
test "$(grep -c '^weft: report: ' $out/log)" -ge 2 || fail "no report: $(cat $out/log)"

# refused SENTENCE ARGUMENTS
refused() {
    sentence=$1
    shift
    "$tool" "$@" >$out/log 2>&1
    code=$?
    test $code -eq 2 && grep -q -- "^weft-run: .*$sentence" $out/log && test "$(wc -l <$out/log)" -eq 1 ||
        fail "$*: status $code, $(cat $out/log)"
}
"$tool" --check $out/program >$out/log 2>&1 && test ! -s $out/log || fail "--check: $(cat $out/log)"
PMI_RANK=1 "$tool" $out/none 2>&1 | grep . && fail 'every rank complains'
PMI_RANK=1 MPI_LOCALRANKID=1 "$tool" $out/none 2>&1 | grep . && fail 'every rank complains'
PMI_RANK=2 MPI_LOCALRANKID=0 "$tool" $out/none 2>&1 | grep -q "^weft-run: the program .* cannot be found: .*(on host $(uname -n))$" ||
    fail 'another host says nothing'
# One host lacks the program: all ranks end.
cat >$programs/test_run <<END
#!/bin/sh
program=$PWD/$out/program
case \${PMI_RANK-\$OMPI_COMM_WORLD_RANK} in 1) MPI_LOCALRANKID=0 program=$PWD/$out/none ;; esac
export MPI_LOCALRANKID
exec $tool \$program
END
TIME_LIMIT=120 run run 2 >$out/log 2>&1
test $? -ne 0 && grep -q "^weft-run: the program \"$PWD/$out/none\" cannot be found: .*(on host " $out/log &&
    ! grep -q 'largest error' $out/log || fail "one host alone: $(cat $out/log)"
echo 'echo script' >$out/script && chmod +x $out/script
refused "$out/script is not a program for this processor" $out/script
refused '/dev/null cannot be read: it is not a file' /dev/null
cp $out/program $out/rights && chmod u+s $out/rights
refused 'runs with the rights of another user' $out/rights
cp $out/program $out/plain && chmod a-x $out/plain
test "$(id -u)" -eq 0 || refused 'is not executable' $out/plain

# An MPI of the other kind, recognized by symbols that only Open MPI has.
case $($MPIEXEC --version 2>&1) in
*HYDRA*) object='int ompi_mpi_comm_world;' kind='Open MPI' ;;
*) object='' kind='MPICH or a relative' ;;
esac
cat >$out/mpi.c <<END
int PMPI_Initialized(int *flag) { return *flag = 0; }
$object
END
echo 'int PMPI_Initialized(int *); int main(void) { int flag; return PMPI_Initialized(&flag); }' >$out/mine.c
gcc=$(command -v gcc || command -v clang) || skip 'no C compiler without MPI'
$gcc -fPIC -shared $out/mpi.c -o $out/other/libmpi.so.99 -Wl,-soname,libmpi.so.99 &&
    $gcc $out/mine.c -o $out/another $out/other/libmpi.so.99 -Wl,-rpath,$PWD/$out/other || fail 'the other MPI does not compile'
refused "uses .*$kind.*($PWD/$out/other/libmpi.so.99)" $out/another
rm $out/other/libmpi.so.99
refused 'another cannot be loaded: .*libmpi.so.99' $out/another

# A program with a static FFTW-MPI, and a static program.
echo 'void fftw_mpi_init(void) {} int main(void) { fftw_mpi_init(); return 0; }' >$out/inside.c
$gcc $out/inside.c -o $out/inside && refused "contains FFTW's MPI library" $out/inside
if echo 'int main(void) { return 0; }' >$out/whole.c && $gcc -static $out/whole.c -o $out/whole 2>/dev/null; then
    refused 'is linked statically' $out/whole
fi

# Status and arguments of the program. Programs without FFTW-MPI also run.
"$tool" -- /bin/sh -c 'exit $1' sh 7 2>$out/log
test $? -eq 7 && grep -q 'is not linked to FFTW' $out/log || fail "a shell: $(cat $out/log)"
LD_PRELOAD='' "$tool" sh -c 'echo "$LD_PRELOAD"' 2>/dev/null | grep -q "^/.*/libweft-preload.so$" || fail 'the preloaded library'
