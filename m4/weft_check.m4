dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_CHECK: Check, the library that the tests are written with. Only make check needs it.
AC_DEFUN([WEFT_CHECK],
[weft_save_LIBS=$LIBS
weft_check=no CHECK_LIBS=
AC_CHECK_HEADER([check.h],
    [for weft_more in "-lsubunit -lrt -lpthread" "-lrt -lpthread" ""; do
         LIBS="$weft_save_LIBS"
         AS_UNSET([ac_cv_lib_check_srunner_run_all])
         AC_CHECK_LIB([check], [srunner_run_all],
                      [weft_check=yes CHECK_LIBS="-lcheck $weft_more"; break], [], [$weft_more -lm])
     done])
LIBS=$weft_save_LIBS
AC_SUBST([CHECK_LIBS])
AC_SUBST([MPI_CASE_LIST], ['$(MPI_CASES)'])
AM_CONDITIONAL([HAVE_CHECK], [test "$weft_check" = yes])])
