dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_SMPI: when the MPI compiler is SimGrid's (MPICC=smpicc), whose MPI simulates the ranks of a cluster as threads
dnl of one process. Its programs run under smpirun only, as when cross compiling, and each rank gets a copy of the
dnl program, but not of the libraries that it needs: so Weft and FFTW are linked statically. (smpicc's own macros: malloc
dnl and free, which headers of the system use as names, stay as they are.)
AC_DEFUN([WEFT_SMPI],
[weft_smpi=0
AS_CASE([$CC],
    [*smpicc*],
    [weft_smpi=1
     CC="$CC -D_GNU_SOURCE=1 -DSMPI_NO_OVERRIDE_MALLOC"
     cross_compiling=yes
     : ${enable_shared=no} ${enable_openmp=no} ${MPIEXEC=smpirun}])
AC_DEFINE_UNQUOTED([WEFT_RANKS_ARE_THREADS], [$weft_smpi],
                   [1: MPI runs all ranks in one process, each when another waits in MPI (SimGrid)])])

dnl WEFT_SMPI_FFTW(LIBS): the variable that holds FFTW's libraries then names the static ones.
AC_DEFUN([WEFT_SMPI_FFTW],
[AS_IF([test $weft_smpi = 1 && test -n "$$1"],
    [$1=`AS_ECHO(["$$1"]) | sed 's/-l\(fftw3@<:@^ @:>@*\)/-l:lib\1.a/g'`
     weft_save_smpi_LIBS=$LIBS LIBS="$$1 $LIBS"
     AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [],
         [AC_MSG_ERROR([for simulated ranks FFTW must be linked statically, and $$1 cannot be; install FFTW with its static libraries or point --with-fftw=PREFIX to one])])
     LIBS=$weft_save_smpi_LIBS])])
