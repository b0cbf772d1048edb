dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_VISIBILITY: hides every symbol that no public header declares as WEFT_API.
AC_DEFUN([WEFT_VISIBILITY],
[weft_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -Werror -fvisibility=hidden"
AC_CACHE_CHECK([whether $CC can hide symbols], [weft_cv_visibility],
    [AC_COMPILE_IFELSE([AC_LANG_SOURCE([[__attribute__((visibility("default"))) int weft_dummy;]])],
                       [weft_cv_visibility=yes], [weft_cv_visibility=no])])
CFLAGS=$weft_save_CFLAGS
VISIBILITY_CFLAGS=
AS_IF([test "$weft_cv_visibility" = yes], [VISIBILITY_CFLAGS=-fvisibility=hidden])
AC_SUBST([VISIBILITY_CFLAGS])])
