#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# WEFT_TRACE: one file with the steps and times of all ranks, and files that Weft cannot write.
. "${srcdir:-.}/tests/scripts/tools.sh"
out=$PWD/$programs/trace
command -v python3 >/dev/null || skip 'there is no Python to read JSON with'
rm -rf "$out" && mkdir -p "$out"
$CC -I"$srcdir/api" $FFTW_CPPFLAGS $INSTRUMENT_CFLAGS "$srcdir/tests/dropin/trace.c" -o $programs/test_trace $weft_libs ||
    fail 'the program does not compile'

# traced NAME RANKS TIMES [APART]: runs the program with a trace of that name, and checks the trace.
traced() {
    command_of traced "exec '$PWD/$programs/test_trace' $3 $4"
    WEFT_TRACE=$out/$1 run traced "$2" >"$out/output" 2>"$out/errors" || fail "$1: $(cat "$out/output" "$out/errors")"
    test ! -s "$out/errors" || fail "$1: $(cat "$out/errors")"
    python3 "$srcdir/tests/scripts/trace.py" "$out/$1" "$2" "$3" "$out/output" || fail "$1"
}

traced one 1 2
traced two 2 3
traced three 3 5
traced three 3 2 apart # again: the trace replaces the one of the run before
WEFT_BACKEND=waitall traced messages 2 4

# Nodes with different clocks.
case $($MPIEXEC --version 2>&1) in
*HYDRA*)
    $CC -shared -fPIC "$srcdir/tests/dropin/skew.c" -o $programs/skew.so || fail 'the clock does not compile'
    MPIR_CVAR_NUM_CLIQUES=2 MORE_PRELOADS=$PWD/$programs/skew.so traced nodes 2 4
    ;;
esac

# More events than the buffer can store.
command_of traced "exec '$PWD/$programs/test_trace' 70000"
WEFT_TRACE=$out/long run traced 1 >"$out/output" 2>&1 || fail "$(cat "$out/output")"
grep -q 'weft: .*its last events; [0-9]* before them were dropped' "$out/output" || fail "many: $(cat "$out/output")"
python3 -c '
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
kept = [e for e in events if e["ph"] == "X"]
label = [e["args"]["labels"] for e in events if e["name"] == "process_labels"][0]
assert len(kept) == 131072 and int(label.split()[3]) + len(kept) > 140000, (len(kept), label)' "$out/long" || fail 'many'

# Rank 0 cannot write its events, and takes a second to restore the end of the file; it keeps the lock meanwhile, so rank 1,
# which writes later, loses no events.
cat >$programs/late.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
int PMPI_Finalize(void);
static int ending;
static int rank(void)
{
    const char *text = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    return text ? atoi(text) : 0;
}
int MPI_Finalize(void)
{
    signal(SIGXFSZ, SIG_IGN);
    if (rank() == 0)
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){2000, 2000});
    else
        usleep(500000);
    ending = 1;
    return PMPI_Finalize();
}
int ftruncate(int file, off_t length)
{
    if (ending)
        sleep(1);
    return syscall(SYS_ftruncate, file, length);
}
END
$CC -D_GNU_SOURCE -shared -fPIC $programs/late.c -o $programs/late.so || fail 'the library that is late does not compile'
command_of traced "exec '$PWD/$programs/test_trace' 50"
MORE_PRELOADS=$PWD/$programs/late.so WEFT_TRACE=$out/cut run traced 2 >"$out/output" 2>&1 || fail "late: $(cat "$out/output")"
grep -q "weft: $out/cut cannot be written: File too large" "$out/output" || fail "late: $(cat "$out/output")"
python3 -c '
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
ranks = {e["pid"] for e in events}
assert ranks == {1}, ranks' "$out/cut" || fail 'late: events of other ranks than 1'

# A file that is no trace stays unchanged, and the program continues.
command_of traced "exec '$PWD/$programs/test_trace' 1"
refuses() {
    WEFT_TRACE=$1 run traced 2 >"$out/output" 2>&1 || fail "$1: $(cat "$out/output")"
    test "$(grep -c "weft: there is no trace: $1 $2" "$out/output")" -eq 1 || fail "$1: $(cat "$out/output")"
}
echo 'not a trace' >"$out/letter"
refuses "$out/letter" 'cannot be written: it exists already'
test "$(cat "$out/letter")" = 'not a trace' || fail 'an old file was overwritten'
refuses "$out/none/file" 'cannot be written: No such'
refuses "$out" 'cannot be written'
exit 0
