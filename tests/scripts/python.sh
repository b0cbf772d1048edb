#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tools/python/weft.py: tests/python/check.py and the examples on 1 to 4 ranks, pip install, and the errors if there is
# no library, or one for another MPI. Uses the first Python whose mpi4py is for the MPI of this build: those named in
# PYTHON (a list), python3, /usr/bin/python3. PYTHONPATH may name the folder of an mpi4py.
. "${srcdir:-.}/tests/scripts/tools.sh"
here=$PWD

case $INSTRUMENT_CFLAGS in
*sanitize*) skip 'Python cannot load libraries with sanitizers, because it does not load the runtime of these first' ;;
esac

folder=$(cd "$srcdir" && pwd)/tools/python
PYTHONPATH=$folder${PYTHONPATH:+:$PYTHONPATH}
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

# says NAME FOLDER: loads the library in a folder in Python; writes its version, or an error, to python.log.
says() {
    command_of "$1" "WEFT_LIBDIR='$2' exec $python -c 'import weft; print(weft.version())'"
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
grep -q 'ImportError: libweft.so.0 is not in /nowhere; set WEFT_LIBDIR to its folder' "$programs/python.log" ||
    fail "no sentence: $(cat "$programs/python.log")"

# pip installs the module from the source with only Debian's setuptools. Without WEFT_LIBDIR the module looks in the
# environment's lib.
version=$(sed -n 's/^AC_INIT(\[Weft\], \[\(.*\)\])/\1/p' "$srcdir/configure.ac")
grep -qx "version = \"$version\"" "$srcdir/tools/python/pyproject.toml" || fail "pyproject.toml does not have the version $version"
environment=$here/$programs/python.tmp
rm -rf "$environment" "$environment.source"
"$python" -m venv --system-site-packages --without-pip "$environment" >"$programs/python.log" 2>&1
if "$environment/bin/python" -c 'import pip, setuptools, wheel' 2>/dev/null; then
    cp -r "$srcdir/tools/python" "$environment.source"
    "$environment/bin/python" -m pip install --no-build-isolation --no-deps --no-index --quiet "$environment.source" >"$programs/python.log" 2>&1 ||
        fail "pip install tools/python: $(cat "$programs/python.log")"
    # The folder of the chosen Python's mpi4py.
    "$python" -c 'import mpi4py, os; print(os.path.dirname(os.path.dirname(mpi4py.__file__)))' >"$(echo "$environment"/lib/python*/site-packages)/mpi4py.pth"
    ln -s "$here"/.libs/libweft*.so.0 "$environment/lib/"
    command_of pip "unset PYTHONPATH WEFT_LIBDIR; exec $environment/bin/python -c 'import weft; print(weft.__file__, weft.version())'"
    run pip 2 >"$programs/python.log" 2>&1 && grep -q "^$environment/.*/weft.py $version" "$programs/python.log" ||
        fail "after pip install: $(cat "$programs/python.log")"
    rm "$environment"/lib/libweft*
    run pip 1 >"$programs/python.log" 2>&1 && echo 'another libweft is installed on this machine' ||
        grep -q "ImportError: libweft.so.0 is not in $environment/lib, the folders of the dynamic loader, /usr/local/lib; set" "$programs/python.log" ||
        fail "where it looked: $(cat "$programs/python.log")"
else
    echo 'pip install was left out: this Python has no venv, pip, setuptools and wheel'
fi
rm -rf "$environment" "$environment.source"

for program in tests/python/check.py examples/derivative.py examples/spectrum.py; do
    command_of python "WEFT_LIBDIR='$here/.libs' exec $python '$folder/../../$program'"
    for ranks in 1 2 3 4; do
        run python $ranks 2>&1 || fail "$program on $ranks ranks"
    done
done
