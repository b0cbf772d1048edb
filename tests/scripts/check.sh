#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# weft-info --check: it succeeds on 1, 2 and 3 ranks, finds and names an exchange with wrong data, and refuses bad
# options.
. "${srcdir:-.}/tests/scripts/tools.sh"
test -n "$MPIEXEC" || skip 'no launcher of MPI programs was found'
out=$PWD/$programs/check
rm -rf "$out" && mkdir -p "$out"
ln -sf "$PWD/tools/weft-info" $programs/test_check

# checked RANKS: runs weft-info --check, returns its exit status; its output is in $out/text.
checked() {
    ${SHELL:-sh} "$srcdir/tests/mpi/launch" "$programs/check-$1.mpi" --check >"$out/text" 2>"$out/errors"
}

for ranks in 1 2 3; do
    WEFT_RECORD=$out/record WEFT_BACKEND=bruck checked $ranks || fail "$ranks ranks: $(cat "$out/text" "$out/errors")"
    test ! -e "$out/record" || fail 'the check has written to the file of WEFT_RECORD'
    grep -q "^Weft .* on $ranks rank.*; compiler: .*; flags: " "$out/text" || fail "no compiler: $(cat "$out/text")"
    grep -q "^double: $PWD/.*libweft.so.0\$" "$out/text" || fail "another library: $(cat "$out/text")"
    grep -q '^many uneven tiles  *[1-9].* right$' "$out/text" || fail "no tiles: $(cat "$out/text")"
    tail -n 1 "$out/text" | grep -q '^all [0-9]* cases are right$' || fail "the last line: $(cat "$out/text")"
    test $ranks -eq 1 || grep -q '^backend pairwise  *[1-9].* right$' "$out/text" || fail "no backends: $(cat "$out/text")"
done
grep -q '^backend direct  *0 .* not available: ' "$out/text" || fail "the backend direct is $(cat "$out/text")"
grep -q . "$out/errors" && fail "on standard error: $(cat "$out/errors")"

# A library that changes the messages of the backend alltoallw.
cat >"$out/spoil.c" <<'END'
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
if $CC -fPIC -shared "$out/spoil.c" -o "$out/spoil.so" 2>/dev/null; then
    MORE_PRELOADS=$out/spoil.so checked 2
    test $? -eq 1 || fail "messages that are spoilt: $(cat "$out/text" "$out/errors")"
    grep -q '^backend alltoallw  *[0-9].* WRONG$' "$out/text" && grep -q '^backend bruck  *[0-9].* right$' "$out/text" ||
        fail "the wrong backend: $(cat "$out/text")"
    test "$(grep -c '^FAILED: .*backend alltoallw: .*Do not use this build (.*): build Weft with another compiler' "$out/text")" -eq 1 ||
        fail "no advice: $(cat "$out/text")"
    tail -n 1 "$out/text" | grep -q '^[1-9][0-9]* of [0-9]* cases are wrong$' || fail "the last line: $(cat "$out/text")"
fi

exit 0
