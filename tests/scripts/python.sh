#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tools/python/weft.py: tests/python/check.py and the example on 1 to 4 ranks, and what it says where there is no library, or one for
# another MPI. With the Python named in PYTHON, or the first that has numpy and mpi4py.
. "${srcdir:-.}/tests/scripts/tools.sh"
here=$PWD
python=$(python_of 'numpy, mpi4py')
test -n "$python" || skip 'there is no Python with numpy and mpi4py (Debian: python3-numpy, python3-mpi4py)'

# The sanitizers' library would have to come before Python.
test -z "$INSTRUMENT_CFLAGS" || skip 'Python does not load libraries that are instrumented'

PYTHONPATH=$(cd "$srcdir" && pwd)/tools/python
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

# says NAME FOLDER: what Python says of the library in a folder.
says() {
    printf '#!/bin/sh\nWEFT_LIBDIR=%s exec %s -c "import weft; print(weft.version())"\n' "'$2'" "$python" >"$programs/test_$1"
    chmod +x "$programs/test_$1"
    run "$1" 1 2>&1
}

says python_none /nowhere >"$programs/python.log" && fail 'a library that is not there is found'
grep -q 'ImportError: .*WEFT_LIBDIR=FOLDER says where it is' "$programs/python.log" ||
    fail "no sentence: $(cat "$programs/python.log")"
says python_here "$here/.libs" >"$programs/python.log" || {
    grep -q 'ImportError: .* was built for another MPI (.*) than mpi4py (.*)' "$programs/python.log" ||
        fail "$(cat "$programs/python.log")"
    skip "mpi4py is of another MPI than this Weft, and weft.py says so"
}

for program in tests/python/check.py examples/derivative.py; do
    printf '#!/bin/sh\nWEFT_LIBDIR=%s exec %s %s\n' "'$here/.libs'" "$python" "'$PYTHONPATH/../../$program'" \
        >"$programs/test_python"
    chmod +x "$programs/test_python"
    for ranks in 1 2 3 4; do
        run python $ranks 2>&1 || fail "$program on $ranks ranks"
    done
done
