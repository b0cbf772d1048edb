#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# weft-info --check: it succeeds on 1, 2 and 3 ranks, finds and names an exchange with wrong data, and refuses bad
# options.
. "${srcdir:-.}/tests/scripts/tools.sh"
ln -s "$PWD/tools/weft-info" $out/test_check

for ranks in 1 2 3; do
    WEFT_RECORD=$out/record WEFT_BACKEND=bruck WEFT_WIRE=float run check $ranks --check >$out/log 2>$out/errors || fail "$(cat $out/errors)"
    test ! -e $out/record || fail 'the check has written to the file of WEFT_RECORD'
    has "^Weft .* on $ranks rank.*; compiler: .*; flags: "
    has "^double: $PWD/.*libweft.so.0\$"
    has '^many uneven tiles  *[1-9].* right$'
    tail -n 1 $out/log | grep -q '^all [0-9]* cases are right$' || fail 'the last line:'
    test $ranks -eq 1 || has '^backend pairwise  *[1-9].* right$'
done
has '^backend direct  *0 .* not available: '
grep . $out/errors && fail 'on standard error'

# A library that changes the messages of the backend alltoallw.
cat >$out/spoil.c <<'END'
#include <mpi.h>
#include <stdlib.h>
int MPI_Alltoallw(const void *out, const int sent[], const int from[], const MPI_Datatype types[], void *in,
                  const int received[], const int to[], const MPI_Datatype others[], MPI_Comm comm)
{
    int got = PMPI_Alltoallw(out, sent, from, types, in, received, to, others, comm), ranks, size;
    MPI_Aint begin, extent;
    MPI_Comm_size(comm, &ranks);
    for (int i = 0; i < ranks; i++) {
        MPI_Type_size(others[i], &size);
        MPI_Type_get_true_extent(others[i], &begin, &extent);
        if (received[i] == 1 && size >= 64)
            ((unsigned char *)in)[to[i] + begin + 7] ^= 0x40;
    }
    return got;
}
END
library $out/spoil.so $out/spoil.c
MORE_PRELOADS=$out/spoil.so run check 2 --check >$out/log 2>$out/errors
test $? -eq 1 || fail 'changed messages:'
has '^backend alltoallw  *[0-9].* WRONG$'
has '^backend bruck  *[0-9].* right$'
has '^FAILED: .*backend alltoallw: .*Do not use this build (.*): build Weft with another compiler' 1
tail -n 1 $out/log | grep -q '^[1-9][0-9]* of [0-9]* cases are wrong$' || fail 'the last line:'
