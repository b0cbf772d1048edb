dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_MPI_COMPILER: chooses the compiler before AC_PROG_CC looks for one. MPICC comes first, then the
dnl user's CC, then MPICH's mpicc, then Open MPI's. Sets weft_mpi_why to the reason.
AC_DEFUN([WEFT_MPI_COMPILER],
[AC_ARG_VAR([MPICC], [MPI C compiler command, used instead of CC])
AC_ARG_VAR([MPIEXEC], [command that starts MPI programs, for the tests])
AC_ARG_VAR([MPIEXEC_FLAGS], [more options for MPIEXEC])
AS_IF([test -n "$MPICC"],
      [set dummy $MPICC
       AS_IF([command -v "$[]2" >/dev/null 2>&1], [],
             [WEFT_MPI_MISSING([MPICC names $[]2, which is not a command])])
       weft_mpi_why="named by MPICC"
       CC=$MPICC],
      [test -z "$CC"],
      [AC_CHECK_PROGS([MPICC], [mpicc.mpich mpicc mpicc.openmpi])
       AS_IF([test -z "$MPICC"], [WEFT_MPI_MISSING([no MPI compiler found])])
       weft_mpi_why="the first one found of mpicc.mpich, mpicc, mpicc.openmpi"
       CC=$MPICC],
      [weft_mpi_why="named by CC"
       MPICC=$CC])
WEFT_SMPI])

AC_DEFUN([WEFT_MPI_MISSING],
[AC_MSG_ERROR([$1; install an MPI of version 3.0 or later (Debian: apt-get install mpich; Fedora: dnf install mpich-devel and module load mpi; Homebrew: brew install mpich) or set MPICC to its compiler])])

dnl WEFT_MPI: checks for MPI 3.0 or later. Sets its name, its launcher and its optional parts.
AC_DEFUN([WEFT_MPI],
[AC_CACHE_CHECK([whether $CC links MPI programs], [weft_cv_mpi],
    [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[MPI_Init(0, 0);]])],
                    [weft_cv_mpi=yes], [weft_cv_mpi=no])])
AS_IF([test "$weft_cv_mpi" = no], [WEFT_MPI_MISSING([CC=$CC does not compile MPI programs])])

AC_CACHE_CHECK([for MPI 3.0 or later], [weft_cv_mpi_3],
    [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#if MPI_VERSION < 3
#error too old
#endif]], [[MPI_Comm node;
MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);]])],
                    [weft_cv_mpi_3=yes], [weft_cv_mpi_3=no])])
AS_IF([test "$weft_cv_mpi_3" = no], [WEFT_MPI_MISSING([the MPI of $CC is older than 3.0])])

dnl (abi: the standard ABI of MPI 5. One build then runs on every MPI that has libmpi_abi.so. Open MPI's own header defines -1.)
AC_CACHE_CHECK([which MPI this is], [weft_cv_mpi_name],
    [weft_cv_mpi_name=other
     for weft_name in 'mpich:defined MPICH_VERSION' 'openmpi:defined OPEN_MPI' \
                      'abi:defined MPI_ABI_VERSION && MPI_ABI_VERSION > 0'; do
         weft_condition=`AS_ECHO(["$weft_name"]) | sed 's/.*://'`
         AC_PREPROC_IFELSE([AC_LANG_SOURCE([[#include <mpi.h>
#if !($weft_condition)
#error
#endif]])], [weft_cv_mpi_name=`AS_ECHO(["$weft_name"]) | sed 's/:.*//'`])
     done
     AS_IF([test $weft_smpi = 1], [weft_cv_mpi_name=smpi])])

WEFT_MPI_OTHER
dnl For users who build against Weft: the path of MPI's compiler wrapper, if CC is one, and MPI's Fortran compiler, such as
dnl mpifort.mpich for mpicc.mpich.
AC_ARG_VAR([MPIFC], [MPI Fortran compiler command, for tests])
set dummy $CC
AS_CASE([$[]2],
    [*mpicc*],
    [MPI_WRAPPER=`command -v "$[]2"`
     for weft_name in mpifort mpif90; do
         weft_name=`AS_ECHO(["$MPI_WRAPPER"]) | sed "s/mpicc\([[^/]]*\)$/$weft_name\1/"`
         dnl The wrapper may exist without the compiler that it calls, as in a bare Debian 13.
         AS_IF([test -z "$MPIFC" && "$weft_name" --version >/dev/null 2>&1], [MPIFC=$weft_name])
     done],
    [MPI_WRAPPER=])
AC_SUBST([MPI_WRAPPER])
AC_SUBST([MPI_NAME], [$weft_cv_mpi_name])
WEFT_MPIEXEC])

dnl Finds the compiler's launcher, such as mpiexec.mpich for mpicc.mpich.
AC_DEFUN([WEFT_MPIEXEC],
[AC_MSG_CHECKING([for the launcher of MPI programs])
AS_IF([test -z "$MPIEXEC"],
    [set dummy $CC
     case `basename "$[]2"` in
         mpicc*) weft_suffix=`basename "$[]2" | sed 's/^mpicc//'` ;;
         *) weft_suffix= ;;
     esac
     case $[]2 in
         */*) weft_place=`dirname "$[]2"`/ ;;
         *) weft_place= ;;
     esac
     for weft_name in "$weft_place"mpiexec$weft_suffix "$weft_place"mpirun$weft_suffix \
                      mpiexec.$weft_cv_mpi_name mpiexec; do
         AS_IF([command -v "$weft_name" >/dev/null 2>&1], [MPIEXEC=$weft_name; break])
     done])
AC_MSG_RESULT([${MPIEXEC:-none; make check needs MPIEXEC=...}])
AM_CONDITIONAL([MPICH], [test "$weft_cv_mpi_name" = mpich])])

dnl WEFT_MPI_OTHER: sets weft_mpi_other to the compiler of the other kind of MPI, if it is installed, too. (Only Open MPI's
dnl compilers know -showme.) configure's summary and weft-info print the chosen compiler, the reason, and how to choose the other.
AC_DEFUN([WEFT_MPI_OTHER],
[weft_mpi_other=
for weft_name in mpicc.mpich mpicc.openmpi mpicc; do
    AS_IF([test -n "$weft_mpi_other" || ! command -v $weft_name >/dev/null 2>&1], [continue])
    AS_IF([$weft_name -showme:version >/dev/null 2>&1], [weft_is=openmpi], [weft_is=mpich])
    AS_IF([test $weft_is != "$weft_cv_mpi_name"], [weft_mpi_other=$weft_name])
done
weft_mpi_choice="$weft_mpi_why"
AS_IF([test -n "$weft_mpi_other"],
      [weft_mpi_choice="$weft_mpi_choice; MPICC=$weft_mpi_other, in another build folder, chooses the other MPI"])
AC_DEFINE_UNQUOTED([WEFT_MPI_REASON], ["$CC: $weft_mpi_choice"], [why configure chose this MPI, and how to choose another])])
