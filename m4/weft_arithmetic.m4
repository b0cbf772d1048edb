dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_ARITHMETIC: refuses flags with which numbers would not be those of serial FFTW. Infinity is a value here, twiddle
dnl factors are rounded as written, and gcc before 13 has a shared library linked with -ffast-math make the whole program
dnl take denormal numbers for zero.
AC_DEFUN([WEFT_ARITHMETIC],
[AC_MSG_CHECKING([whether $CC keeps to IEEE arithmetic])
AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#if defined __FAST_MATH__ || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__ > 0)
#error
#endif
int weft_dummy;]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([CFLAGS='$CFLAGS' and CC='$CC' turn on -ffast-math (as -Ofast does) or -ffinite-math-only, with which results would differ from those of serial FFTW; leave them out])])])
