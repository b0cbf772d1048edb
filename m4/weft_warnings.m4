dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_WARNINGS: sets WARNING_CFLAGS to the warnings that this compiler knows. CFLAGS stay as the user set them.
AC_DEFUN([WEFT_WARNINGS],
[WEFT_ENABLE([werror], [no], [yes no], [treat warnings as errors])
WARNING_CFLAGS=
weft_save_CFLAGS=$CFLAGS
for weft_flag in -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
                 -Wwrite-strings -Wvla -Wundef; do
    CFLAGS="$weft_save_CFLAGS -Werror $weft_flag"
    AC_MSG_CHECKING([whether $CC knows $weft_flag])
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([[int weft_dummy;]])],
                      [AC_MSG_RESULT([yes]); WARNING_CFLAGS="$WARNING_CFLAGS $weft_flag"],
                      [AC_MSG_RESULT([no])])
done
CFLAGS=$weft_save_CFLAGS
AS_IF([test "$enable_werror" = yes], [WARNING_CFLAGS="$WARNING_CFLAGS -Werror"])
AC_SUBST([WARNING_CFLAGS])])
