#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What conda-build runs, in the unpacked tarball: PREFIX, CPU_COUNT and the compilers' variables come from it.
set -ex
# The MPI's compiler is to call conda's.
export MPICH_CC="$CC" OMPI_CC="$CC"
unset CC
mkdir -p build
cd build
../configure --prefix="$PREFIX" --with-fftw="$PREFIX" --disable-static --without-cuda MPICC="$PREFIX/bin/mpicc" MPIEXEC="$PREFIX/bin/mpiexec" \
    ${build_alias:+--build="$build_alias"} ${host_alias:+--host="$host_alias"}
make -j"${CPU_COUNT:-1}"
make install
# conda keeps no files of libtool's.
find "$PREFIX/lib" -name 'libweft*.la' -delete
find "$PREFIX/lib/weft" -name '*.la' -delete
