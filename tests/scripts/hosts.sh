#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks with different host names: a sentence about something that one rank lacks names its host.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$programs/test_hosts
ldd $PWD/.libs/libweft.so >/dev/null 2>&1 || skip 'nothing can be preloaded'

# Gives each rank another host name.
cat >$out.names.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int gethostname(char *name, size_t room)
{
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    snprintf(name, room, "host%s", rank ? rank : "");
    return 0;
}
END
gcc=$(command -v gcc || command -v clang) || skip 'no C compiler without MPI'
$gcc -fPIC -shared $out.names.c -o $PWD/$out.names.so || fail 'the names do not compile'
plan_program $out.program
printf '#!/bin/sh\nLD_PRELOAD="%s${LD_PRELOAD:+:$LD_PRELOAD}" exec %s\n' "$PWD/$out.names.so" "$PWD/$out.program" >$out
chmod +x $out

# A plug-in that only the last rank lacks, and one that all ranks lack.
export WEFT_PLUGINS=.libs/libturns.so
# (mpiexec may mix lines of stdout and stderr in one file.)
HOW=last run hosts 3 >$out.log 2>$out.err || fail "$(cat $out.log $out.err)"
test "$(grep -c '^rank [0-2]: no plan, plug-in .libs/libturns.so cannot be loaded: .*(on host host2)$' $out.log)" -eq 3 ||
    fail "one host: $(cat $out.log)"
HOW=all run hosts 2 >$out.log 2>$out.err || fail "$(cat $out.log $out.err)"
test "$(grep -c '^rank [01]: no plan, plug-in .libs/libturns.so cannot be loaded' $out.log)" -eq 2 &&
    ! grep -q 'on host' $out.log $out.err || fail "all hosts: $(cat $out.log $out.err)"

# Some ranks with another library: the ranks in the list ODD find libfftw3_mpi.so.3 in the folder OTHER first.
folder=$PWD/$out.other
rm -rf "$folder" && mkdir -p "$folder/weft" "$folder/fftw" "$folder/old"
$CC -fPIC -shared "$srcdir/tests/dropin/stranger.c" -o "$folder/fftw/libfftw3_mpi.so.3" -Wl,-soname,libfftw3_mpi.so.3 ||
    fail 'the library in place of FFTW-MPI does not compile'
cp .libs/libweft.so.0 "$folder/weft/libfftw3_mpi.so.3"
version=$(sed -n 's/^#define PACKAGE_VERSION "\(.*\)"/\1/p' config.h 2>/dev/null)
version=${version:-$(sed -n 's/^PACKAGE_VERSION = //p' Makefile)}
other=$(echo "$version" | sed 's/.$/9/')
sed "s/$version/$other/g" .libs/libweft.so.0 >"$folder/old/libfftw3_mpi.so.3"
plan_program $out.program "$folder/fftw/libfftw3_mpi.so.3 $FFTW_LDFLAGS -lfftw3 -lm"
cat >$out <<END
#!/bin/sh
folder=weft
case ,\$ODD, in *,\${PMI_RANK-\$OMPI_COMM_WORLD_RANK},*) folder=\$OTHER ;; esac
LD_LIBRARY_PATH="$folder/\$folder:$PWD/.libs:\$LD_LIBRARY_PATH" LD_PRELOAD="$PWD/$out.names.so\${LD_PRELOAD:+:\$LD_PRELOAD}" exec "$PWD/$out.program"
END
unset WEFT_PLUGINS
export ODD=1
OTHER=weft run hosts 3 >$out.log 2>$out.err && test "$(grep -c '^rank [0-2]: a plan' $out.log)" -eq 3 ||
    fail "all alike: $(cat $out.log $out.err)"
OTHER=old WEFT_VERBOSE=1 run hosts 3 >$out.log 2>$out.err || fail "another version: $(cat $out.log $out.err)"
test "$(grep -c '^rank [0-2]: no plan' $out.log)" -eq 3 &&
    grep -q "^weft: rank 1 on host host1 runs Weft $other, rank 0 on host host0 runs Weft $version; all need the same" $out.err ||
    fail "another version: $(cat $out.log $out.err)"
while read -r ODD first count hosts; do
    OTHER=fftw WEFT_ANSWER_LIMIT=1 run hosts 3 >$out.log 2>&1 && fail "rank $ODD without Weft: $(cat $out.log)"
    said="rank $first, and $count of 3 ranks in all, do not run Weft .*; Weft runs on $hosts\\( \\|$\\)"
    test "$(grep -c "weft: fftw_mpi_plan_dft_2d: $said" $out.log)" -eq 1 && ! grep -q 'a plan' $out.log ||
        fail "rank $ODD without Weft: $(cat $out.log)"
done <<'END'
1 1 1 host0, host2
0 0 1 host1, host2
1,2 1 2 host0
END

# tools/hosts refuses impossible requests with one sentence.
while IFS='|' read -r options wanted; do
    # shellcheck disable=SC2086
    "$srcdir/tools/hosts/run" $options >$out.log 2>&1 && fail "tools/hosts/run $options succeeds"
    test "$(wc -l <$out.log)" -eq 1 && grep -q "^tools/hosts/run: $wanted" $out.log || fail "tools/hosts/run $options: $(cat $out.log)"
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
