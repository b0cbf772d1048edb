#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# weft-run: a program that is linked to FFTW's MPI library runs on Weft, with its arguments and its status, and reports
# its plans. weft-run refuses a program that cannot run on Weft, with status 2 and a sentence.
. "${srcdir:-.}/tests/scripts/tools.sh"
tool=$PWD/tools/weft-run

# The functions of this library in place of FFTW-MPI end the program.
stand_in $out/stand-in -DDOUBLE
compile $out/program "$srcdir/tests/install/program.c" $out/stand-in/libfftw3_mpi.so.3 -Wl,-rpath,$out/stand-in $fftw_libs

WEFT_VERBOSE=1 every 3 "exec '$tool' --report $out/program" >$out/log 2>&1 || fail 'the program:'
has '^largest error'
has '^weft: Weft .*/libweft.so.0, on'
# At most 12 lines per plan: the problem, the path, the origin of the choice.
grep '^weft: ' $out/log | awk '/^weft: plan /{ plans++; lines = 0; has = 0 } /^weft: (plan|  )/{ lines++ }
    /^weft:   (path: |chosen by .*; a run |nothing to do)/{ has++ } lines > 12 { exit 1 }
    END { exit !(plans > 0 && has > 0 && lines >= 2) }' || fail 'output about plans:'
has '^weft: report: .*planned [0-9]* times* in .*; ran [0-9]* times* in '
has '^weft: report: in total [0-9]* plans* made in '

# refused SENTENCE ARGUMENTS
refused() {
    sentence=$1
    shift
    "$tool" "$@" >$out/log 2>&1
    test $? -eq 2 || fail "$*: the status is not 2:"
    has "^weft-run: .*$sentence"
    has '' 1
}
"$tool" --check $out/program >$out/log 2>&1 && test ! -s $out/log || fail --check:
PMI_RANK=1 "$tool" $out/none 2>&1 | grep . && fail 'every rank complains'
PMI_RANK=1 MPI_LOCALRANKID=1 "$tool" $out/none 2>&1 | grep . && fail 'every rank complains'
PMI_RANK=2 MPI_LOCALRANKID=0 "$tool" $out/none >$out/log 2>&1
has "^weft-run: the program .* cannot be found: .*(on host $(uname -n))$"
# One host lacks the program: all ranks end.
! TIME_LIMIT=120 every 2 "program=$out/program
case \${PMI_RANK-\$OMPI_COMM_WORLD_RANK} in 1) MPI_LOCALRANKID=0 program=$out/none ;; esac
export MPI_LOCALRANKID
exec $tool \$program" >$out/log 2>&1 || fail 'one host alone:'
has "^weft-run: the program \"$out/none\" cannot be found: .*(on host "
lacks 'largest error'
echo 'echo script' >$out/script && chmod +x $out/script
refused "$out/script is not a program for this processor" $out/script
refused '/dev/null cannot be read: it is not a file' /dev/null
cp $out/program $out/rights && chmod u+s $out/rights
refused 'runs with the rights of another user' $out/rights
cp $out/program $out/plain && chmod a-x $out/plain
test "$(id -u)" -eq 0 || refused 'is not executable' $out/plain

# An MPI of the other kind, recognized by symbols that only Open MPI has.
object='' kind='MPICH or a relative'
! is_mpich || object='int ompi_mpi_comm_world;' kind='Open MPI'
cat >$out/mpi.c <<END
int PMPI_Initialized(int *flag) { return *flag = 0; }
$object
END
echo 'int PMPI_Initialized(int *); int main(void) { int flag; return PMPI_Initialized(&flag); }' >$out/mine.c
gcc=$(command -v gcc || command -v clang) || skip 'no C compiler without MPI'
$gcc -fPIC -shared $out/mpi.c -o $out/libmpi.so.99 -Wl,-soname,libmpi.so.99 &&
    $gcc $out/mine.c -o $out/another $out/libmpi.so.99 -Wl,-rpath,$out || fail 'the other MPI does not compile'
refused "uses .*$kind.*($out/libmpi.so.99)" $out/another
rm $out/libmpi.so.99
refused 'another cannot be loaded: .*libmpi.so.99' $out/another

# A program with a static FFTW-MPI, and a static program.
echo 'void fftw_mpi_init(void) {} int main(void) { fftw_mpi_init(); return 0; }' >$out/inside.c
$gcc $out/inside.c -o $out/inside && refused "contains FFTW's MPI library" $out/inside
if echo 'int main(void) { return 0; }' >$out/whole.c && $gcc -static $out/whole.c -o $out/whole 2>/dev/null; then
    refused 'is linked statically' $out/whole
fi

# Status and arguments of the program. Programs without FFTW-MPI also run.
"$tool" -- /bin/sh -c 'exit $1' sh 7 2>$out/log
test $? -eq 7 || fail 'the status of a shell is not 7:'
has 'is not linked to FFTW'
mkdir -p $out/folders/sh && PATH=$out/folders:$PATH LD_PRELOAD='' "$tool" sh -c 'echo "$LD_PRELOAD"' >$out/log 2>/dev/null
has '^/.*/libweft-preload.so$'
