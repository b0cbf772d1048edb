dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_OPENMP: threads in passes if the compiler has OpenMP. The code asks the compiler's macro (_OPENMP).
AC_DEFUN([WEFT_OPENMP],
[AC_OPENMP
AS_CASE([${enable_openmp:-auto}],
    [auto], [weft_want_openmp=auto],
    [yes|no], [weft_want_openmp=$enable_openmp],
    [AC_MSG_ERROR([--enable-openmp=$enable_openmp is not a value it takes; use one of: yes no])])
AS_CASE([$ac_cv_prog_c_openmp],
    [unsupported|no|'not found'],
    [AS_IF([test "$weft_want_openmp" = yes],
           [AC_MSG_ERROR([$CC has no OpenMP; install it (Debian, for clang: apt-get install libomp-dev) or leave out --enable-openmp])])
     weft_openmp=no],
    [weft_openmp=yes])
AS_IF([test "$weft_want_openmp" = no], [weft_openmp=no OPENMP_CFLAGS=])
dnl The option that gives threads to a program that is linked statically: see kernels/pass/openmp.c.
OPENMP_PRIVATE=
AS_CASE([$weft_openmp:$host_os],
    [no:* | *:darwin*], [],
    [OPENMP_PRIVATE="-Wl,-u,weft_openmp_wanted"])
AC_SUBST([OPENMP_PRIVATE])])
