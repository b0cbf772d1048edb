dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_ARITHMETIC: refuses flags that make results differ from serial FFTW's. Weft uses infinity as a value and rounds twiddle
dnl factors as written. A shared library that gcc before 13 links with -ffast-math makes the whole program treat denormal
dnl numbers as zero.
AC_DEFUN([WEFT_ARITHMETIC],
[AC_MSG_CHECKING([whether $CC keeps to IEEE arithmetic])
AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#if defined __FAST_MATH__ || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__ > 0)
#error
#endif
int weft_dummy;]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([CFLAGS='$CFLAGS' and CC='$CC' turn on -ffast-math (as -Ofast does) or -ffinite-math-only, which make results differ from serial FFTW's; leave them out])])])
