dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_INSTRUMENT: builds with sanitizers or with coverage.
AC_DEFUN([WEFT_INSTRUMENT],
[WEFT_ENABLE([sanitizers], [no], [yes no thread],
    [build with the address and undefined behaviour sanitizers, or (thread) with the thread sanitizer])
WEFT_ENABLE([coverage], [no], [yes no], [build for measuring test coverage with gcov])
INSTRUMENT_CFLAGS=
AS_IF([test "$enable_sanitizers" = yes],
      [INSTRUMENT_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"])
AS_IF([test "$enable_sanitizers" = thread], [INSTRUMENT_CFLAGS="-fsanitize=thread -fno-omit-frame-pointer"])
AS_IF([test "$enable_coverage" = yes], [INSTRUMENT_CFLAGS="$INSTRUMENT_CFLAGS --coverage"])
AS_IF([test -n "$INSTRUMENT_CFLAGS"],
    [weft_save_CFLAGS=$CFLAGS
     CFLAGS="$CFLAGS $INSTRUMENT_CFLAGS"
     AC_MSG_CHECKING([whether $CC links with $INSTRUMENT_CFLAGS])
     AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes])],
         [AC_MSG_RESULT([no])
          AC_MSG_ERROR([$CC cannot link with $INSTRUMENT_CFLAGS; install its runtime library (Debian: libasan, libubsan and libtsan come with gcc, libclang-rt-dev for clang) or leave out --enable-sanitizers and --enable-coverage])])
     CFLAGS=$weft_save_CFLAGS])
AC_SUBST([INSTRUMENT_CFLAGS])])
