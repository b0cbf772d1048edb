#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# WEFT_TRACE: one file with the steps and times of all ranks, and files that Weft cannot write.
. "${srcdir:-.}/tests/scripts/tools.sh"
command -v python3 >/dev/null || skip 'there is no Python to read JSON with'
compile $out/test_trace "$srcdir/tests/dropin/trace.c" $weft_libs

# traced NAME RANKS TIMES [APART]: runs the program with a trace of that name, and checks the trace.
traced() {
    WEFT_TRACE=$out/$1 run trace $2 $3 $4 >$out/output 2>$out/log && test ! -s $out/log &&
        python3 "$srcdir/tests/scripts/trace.py" $out/$1 $2 $3 $out/output || fail "$1: $(cat $out/output)"
}
# events NAME CONDITION: whether it holds for the trace of that name.
events() {
    python3 -c '
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
kept = [e for e in events if e["ph"] == "X"]
assert eval(sys.argv[2]), events[-3:]' $out/$1 "$2" || fail "$1: not $2"
}

traced one 1 2
traced two 2 3
traced three 3 5
traced three 3 2 apart # again: the trace replaces the one of the run before
WEFT_BACKEND=waitall traced messages 2 4

# Nodes with different clocks.
if is_mpich; then
    library $out/skew.so "$srcdir/tests/dropin/skew.c"
    MPIR_CVAR_NUM_CLIQUES=2 MORE_PRELOADS=$out/skew.so traced nodes 2 4
fi

# More events than the buffer can store.
WEFT_TRACE=$out/long run trace 1 70000 >$out/log 2>&1 || fail 'many:'
has 'weft: .*its last events; [0-9]* before them were dropped'
events long 'len(kept) == 131072 and len(kept) + sum(
    int(e["args"]["labels"].split()[3]) for e in events if e["name"] == "process_labels") > 140000'

# Rank 0 cannot write its events, and takes a second to restore the end of the file; it keeps the lock meanwhile, so rank 1,
# which writes later, loses no events.
cat >$out/late.c <<'END'
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
    struct rlimit old, small;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){2000, old.rlim_max};
    if (rank() == 0)
        setrlimit(RLIMIT_FSIZE, &small);
    else
        usleep(500000);
    ending = 1;
    const int code = PMPI_Finalize();
    setrlimit(RLIMIT_FSIZE, &old); /* coverage is written later */
    return code;
}
int ftruncate(int file, off_t length)
{
    if (ending)
        sleep(1);
    return syscall(SYS_ftruncate, file, length);
}
END
library $out/late.so -D_GNU_SOURCE $out/late.c
MORE_PRELOADS=$out/late.so WEFT_TRACE=$out/cut run trace 2 50 >$out/log 2>&1 || fail 'late:'
has "weft: $out/cut cannot be written: File too large"
events cut '{e["pid"] for e in events} == {1}'

# refuses FILE REASON: the file is no trace; it stays unchanged, and the program continues.
refuses() {
    WEFT_TRACE=$1 run trace 2 1 >$out/log 2>&1 || fail "$1:"
    has "weft: there is no trace: $1 $2" 1
}
echo 'not a trace' >$out/letter
refuses $out/letter 'cannot be written: it exists already'
test "$(cat $out/letter)" = 'not a trace' || fail 'an old file was overwritten'
refuses $out/none/file 'cannot be written: No such'
refuses $out 'cannot be written'
