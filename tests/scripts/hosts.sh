#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks with different host names: a sentence about something that one rank lacks names its host.
. "${srcdir:-.}/tests/scripts/tools.sh"
ldd .libs/libweft.so >/dev/null 2>&1 || skip 'nothing can be preloaded'

# Gives each rank another host name. MPI_Abort is exit, so that ranks that abort write their coverage.
cat >$out/names.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int gethostname(char *name, size_t room)
{
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    snprintf(name, room, "host%s", rank ? rank : "");
    return 0;
}
int MPI_Abort(long communicator, int code)
{
    (void)communicator;
    exit(code);
}
END
gcc=$(command -v gcc || command -v clang) || skip 'no C compiler without MPI'
$gcc -fPIC -shared $out/names.c -o $out/names.so || fail 'the names do not compile'
plan_program
named="LD_PRELOAD=$out/names.so\${LD_PRELOAD:+:\$LD_PRELOAD}"

# A plug-in that only the last rank lacks, and one that all ranks lack. (mpiexec may mix lines of stdout and stderr.)
lost='no plan, plug-in .libs/libturns.so cannot be loaded'
export WEFT_PLUGINS=.libs/libturns.so
HOW=last every 3 "$named exec $out/test_plan" >$out/log 2>$out/errors || fail "one host: $(cat $out/errors)"
has "^rank [0-2]: $lost: .*(on host host2)\$" 3
HOW=all every 2 "$named exec $out/test_plan" >$out/log 2>$out/errors || fail "all hosts: $(cat $out/errors)"
has "^rank [01]: $lost" 2
! grep 'on host' $out/log $out/errors || fail 'all hosts'

# Some ranks with another library: the ranks in the list ODD find libfftw3_mpi.so.3 in the folder OTHER first.
mkdir -p $out/weft $out/fftw $out/old
library $out/fftw/libfftw3_mpi.so.3 "$srcdir/tests/dropin/stranger.c" -Wl,-soname,libfftw3_mpi.so.3
cp .libs/libweft.so.0 $out/weft/libfftw3_mpi.so.3
version=$(sed -n 's/^#define PACKAGE_VERSION "\(.*\)"/\1/p' config.h 2>/dev/null)
version=${version:-$(sed -n 's/^PACKAGE_VERSION = //p' Makefile)}
other=${version%?}9
sed "s/$version/$other/g" .libs/libweft.so.0 >$out/old/libfftw3_mpi.so.3
plan_program "$out/fftw/libfftw3_mpi.so.3 $fftw_libs"

# mixed ODD OTHER: runs 3 ranks.
mixed() {
    every 3 "folder=weft
case ,$1, in *,\${PMI_RANK-\$OMPI_COMM_WORLD_RANK},*) folder=$2 ;; esac
LD_LIBRARY_PATH=$out/\$folder:$libs:\$LD_LIBRARY_PATH $named exec $out/test_plan" >$out/log 2>$out/errors
}
unset WEFT_PLUGINS
mixed 1 weft || fail "all alike: $(cat $out/errors)"
has '^rank [0-2]: a plan' 3
WEFT_VERBOSE=1 mixed 1 old || fail "another version: $(cat $out/errors)"
has '^rank [0-2]: no plan' 3
grep -q "^weft: rank 1 on host host1 runs Weft $other, rank 0 on host host0 runs Weft $version; all need the same" $out/errors ||
    fail "another version: $(cat $out/errors)"
while read -r odd first count hosts; do
    ! WEFT_ANSWER_LIMIT=1 mixed $odd fftw || fail "rank $odd without Weft:"
    cat $out/errors >>$out/log
    has "weft: fftw_mpi_plan_dft_2d: rank $first, and $count of 3 ranks in all, do not run Weft .*; Weft runs on $hosts\\( \\|$\\)" 1
    lacks 'a plan'
done <<'END'
0 0 1 host1, host2
1,2 1 2 host0
END

# tools/hosts refuses impossible requests with one sentence.
while IFS='|' read -r options wanted; do
    ! "$srcdir/tools/hosts/run" $options >$out/log 2>&1 || fail "tools/hosts/run $options succeeds"
    has "^tools/hosts/run: $wanted" 1
    has '' 1
done <<'END'
--hosts 2x0 --command true|--hosts 2x0 is not known; use hosts x ranks
--hosts 1+2 --map round-robin --command true|--hosts 1+2 is not known
--hosts 9999x99 --command true|--hosts 9999x99: 989901 ranks take
--link 5x --command true|--link 5x is not known; use none, a rate
--mpi other --command true|--mpi other is not known; use mpich or openmpi
--limit 0 --command true|--limit 0 is not a number of seconds
--host 2x1|there is no option --host
--hosts|--hosts needs a value
--hosts 2x1|nothing is to be run
END
