#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tools/python/weft.py: tests/python/check.py and the examples on 1 to 4 ranks, pip install, and the errors if there is
# no library, or one for another MPI. Uses the first Python whose mpi4py is for the MPI of this build: those named in
# PYTHON (a list), python3, /usr/bin/python3. PYTHONPATH may name the folder of an mpi4py.
. "${srcdir:-.}/tests/scripts/tools.sh"

case $INSTRUMENT_CFLAGS in
*sanitize*) skip 'Python cannot load libraries with sanitizers, because it does not load the runtime of these first' ;;
esac

folder=$(cd "$srcdir" && pwd)/tools/python
PYTHONPATH=$folder${PYTHONPATH:+:$PYTHONPATH}
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

# says RANKS FOLDER: loads the library of a folder in Python, and prints its version.
says() {
    every $1 "WEFT_LIBDIR='$2' exec $python -c 'import weft; print(weft.version())'" >$out/log 2>&1
}

other=
fits=
for python in $PYTHON python3 /usr/bin/python3; do
    "$python" -c 'import numpy, mpi4py' 2>/dev/null || continue
    fits=$python
    ! says 1 $libs || break
    has 'ImportError: .* was built for another MPI (.*) than mpi4py (.*)'
    other="$other $python"
    fits=
done
test -n "$fits$other" || skip 'there is no Python with numpy and mpi4py (Debian: python3-numpy, python3-mpi4py)'
test -n "$fits" || skip "the mpi4py of$other is for another MPI than this Weft, and weft.py says so"

! says 1 /nowhere || fail 'weft.py finds a library that does not exist'
has 'ImportError: libweft.so.0 is not in /nowhere; set WEFT_LIBDIR to its folder'

# pip installs the module from the source with only Debian's setuptools. Without WEFT_LIBDIR the module looks in the
# environment's lib.
version=$(sed -n 's/^AC_INIT(\[Weft\], \[\(.*\)\])/\1/p' "$srcdir/configure.ac")
grep -qx "version = \"$version\"" "$srcdir/tools/python/pyproject.toml" || fail "pyproject.toml does not have the version $version"
environment=$out/environment
"$python" -m venv --system-site-packages --without-pip $environment >$out/log 2>&1
if $environment/bin/python -c 'import pip, setuptools, wheel' 2>/dev/null; then
    cp -r "$srcdir/tools/python" $out/source
    $environment/bin/python -m pip install --no-build-isolation --no-deps --no-index --quiet $out/source >$out/log 2>&1 ||
        fail 'pip install tools/python:'
    # The folder of the chosen Python's mpi4py.
    "$python" -c 'import mpi4py, os; print(os.path.dirname(os.path.dirname(mpi4py.__file__)))' >"$(echo $environment/lib/python*/site-packages)/mpi4py.pth"
    ln -s $libs/libweft*.so.0 $environment/lib/
    pip="unset PYTHONPATH WEFT_LIBDIR; exec $environment/bin/python -c 'import weft; print(weft.__file__, weft.version())'"
    every 2 "$pip" >$out/log 2>&1 || fail 'after pip install:'
    has "^$environment/.*/weft.py $version"
    rm $environment/lib/libweft*
    every 1 "$pip" >$out/log 2>&1 && echo 'another libweft is installed on this machine' ||
        has "ImportError: libweft.so.0 is not in $environment/lib, the folders of the dynamic loader, /usr/local/lib; set"
    rm -rf $environment
else
    echo 'pip install was left out: this Python has no venv, pip, setuptools and wheel'
fi

for program in tests/python/check.py examples/derivative.py examples/spectrum.py; do
    for ranks in 1 2 3 4; do
        every $ranks "WEFT_LIBDIR=$libs exec $python '$folder/../../$program'" 2>&1 || fail "$program on $ranks ranks"
    done
done
