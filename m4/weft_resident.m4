dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_RESIDENT: the option that keeps a library in memory. MPI_Finalize calls Weft's functions (attributes of MPI), so they
dnl must exist even after a program closed the library (dlclose).
AC_DEFUN([WEFT_RESIDENT],
[weft_save_LDFLAGS=$LDFLAGS
LDFLAGS="$LDFLAGS -Wl,-z,nodelete"
AC_CACHE_CHECK([whether libraries can stay loaded], [weft_cv_resident],
    [AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [weft_cv_resident=yes], [weft_cv_resident=no])])
LDFLAGS=$weft_save_LDFLAGS
RESIDENT_LDFLAGS=
AS_IF([test "$weft_cv_resident" = yes], [RESIDENT_LDFLAGS=-Wl,-z,nodelete])
AC_SUBST([RESIDENT_LDFLAGS])])
