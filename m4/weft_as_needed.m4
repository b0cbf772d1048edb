dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_AS_NEEDED: the option that leaves out unused libraries. (MPI's compiler wrapper adds MPI's libraries to every link.)
AC_DEFUN([WEFT_AS_NEEDED],
[weft_save_LDFLAGS=$LDFLAGS
LDFLAGS="$LDFLAGS -Wl,--as-needed"
AC_CACHE_CHECK([whether the linker leaves out unused libraries], [weft_cv_as_needed],
    [AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [weft_cv_as_needed=yes], [weft_cv_as_needed=no])])
LDFLAGS=$weft_save_LDFLAGS
AS_NEEDED_LDFLAGS=
AS_IF([test "$weft_cv_as_needed" = yes], [AS_NEEDED_LDFLAGS=-Wl,--as-needed])
AC_SUBST([AS_NEEDED_LDFLAGS])
AM_CONDITIONAL([SHARED], [test "$enable_shared" = yes])])
