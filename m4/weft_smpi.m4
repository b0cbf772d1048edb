dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_SMPI: settings for SimGrid's MPI (MPICC=smpicc), which simulates the ranks of a cluster as threads of one process.
dnl configure cannot run its programs (they need smpirun), as when it cross-compiles. Each rank gets a copy of the
dnl program, but not of its libraries, so Weft and FFTW are linked statically. (SMPI_NO_OVERRIDE_MALLOC: smpicc's macros
dnl malloc and free would break the system's headers, which use these names.)
AC_DEFUN([WEFT_SMPI],
[weft_smpi=0
AS_CASE([$CC],
    [*smpicc*],
    [weft_smpi=1
     CC="$CC -D_GNU_SOURCE=1 -DSMPI_NO_OVERRIDE_MALLOC"
     cross_compiling=yes
     : ${enable_shared=no} ${enable_openmp=no} ${MPIEXEC=smpirun}])
AC_DEFINE_UNQUOTED([WEFT_RANKS_ARE_THREADS], [$weft_smpi],
                   [1: MPI runs all ranks in one process, one at a time (SimGrid)])])

dnl WEFT_SMPI_FFTW(LIBS): with SimGrid, changes the variable of FFTW's libraries to the static ones.
AC_DEFUN([WEFT_SMPI_FFTW],
[AS_IF([test $weft_smpi = 1 && test -n "$$1"],
    [$1=`AS_ECHO(["$$1"]) | sed 's/-l\(fftw3@<:@^ @:>@*\)/-l:lib\1.a/g'`
     weft_save_smpi_LIBS=$LIBS LIBS="$$1 $LIBS"
     AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [],
         [AC_MSG_ERROR([for simulated ranks FFTW must be linked statically, and $$1 cannot be; install FFTW with its static libraries or point --with-fftw=PREFIX to one])])
     LIBS=$weft_save_smpi_LIBS])])
