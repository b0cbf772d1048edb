#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tools/python/weft.py: tests/python/check.py and the example on 1 to 4 ranks, and its errors when there is no library, or a
# library for another MPI. Uses the first Python whose mpi4py is for the MPI of this build: those named in PYTHON (a list),
# python3, /usr/bin/python3. PYTHONPATH may name the folder of an mpi4py.
. "${srcdir:-.}/tests/scripts/tools.sh"
here=$PWD

case $INSTRUMENT_CFLAGS in
*sanitize*) skip 'Python cannot load libraries with sanitizers, because it does not load the runtime of these first' ;;
esac

folder=$(cd "$srcdir" && pwd)/tools/python
PYTHONPATH=$folder${PYTHONPATH:+:$PYTHONPATH}
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

# says NAME FOLDER: writes to python.log what Python says of the library in a folder: its version, or an error.
says() {
    printf '#!/bin/sh\nWEFT_LIBDIR=%s exec %s -c "import weft; print(weft.version())"\n' "'$2'" "$python" >"$programs/test_$1"
    chmod +x "$programs/test_$1"
    run "$1" 1 >"$programs/python.log" 2>&1
}

other=
fits=
for python in $PYTHON python3 /usr/bin/python3; do
    "$python" -c 'import numpy, mpi4py' 2>/dev/null || continue
    fits=$python
    ! says python_here "$here/.libs" || break
    grep -q 'ImportError: .* was built for another MPI (.*) than mpi4py (.*)' "$programs/python.log" ||
        fail "$python: $(cat "$programs/python.log")"
    other="$other $python"
    fits=
done
test -n "$fits$other" || skip 'there is no Python with numpy and mpi4py (Debian: python3-numpy, python3-mpi4py)'
test -n "$fits" || skip "the mpi4py of$other is for another MPI than this Weft, and weft.py says so"

says python_none /nowhere && fail 'weft.py finds a library that is not there'
grep -q 'ImportError: .*WEFT_LIBDIR=FOLDER says where it is' "$programs/python.log" ||
    fail "no sentence: $(cat "$programs/python.log")"

for program in tests/python/check.py examples/derivative.py; do
    printf '#!/bin/sh\nWEFT_LIBDIR=%s exec %s %s\n' "'$here/.libs'" "$python" "'$folder/../../$program'" \
        >"$programs/test_python"
    chmod +x "$programs/test_python"
    for ranks in 1 2 3 4; do
        run python $ranks 2>&1 || fail "$program on $ranks ranks"
    done
done
