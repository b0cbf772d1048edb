dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_FFTW: the serial FFTW 3.3 of each precision, and its threads library where it exists. Double
dnl is always needed; float and long double are built when found, unless asked for or left out.
AC_DEFUN([WEFT_FFTW],
[AC_ARG_WITH([fftw],
    [AS_HELP_STRING([--with-fftw=PREFIX], [use the FFTW installed under PREFIX])], [], [with_fftw=yes])
FFTW_CPPFLAGS= FFTW_LDFLAGS=
AS_CASE([$with_fftw],
    [yes], [],
    [no], [AC_MSG_ERROR([--without-fftw is not possible: Weft leaves the serial transforms to FFTW])],
    [AS_IF([test ! -d "$with_fftw"],
           [AC_MSG_ERROR([--with-fftw=$with_fftw is not a directory; give the prefix that FFTW was installed under])])
     AS_IF([test ! -e "$with_fftw/include/fftw3.h"],
           [AC_MSG_ERROR([--with-fftw=$with_fftw has no include/fftw3.h; give the prefix that FFTW was installed under])])
     FFTW_CPPFLAGS=-I$with_fftw/include
     weft_libdir=$with_fftw/lib
     AS_IF([test ! -e "$weft_libdir" && test -d "$with_fftw/lib64"], [weft_libdir=$with_fftw/lib64])
     AS_IF([test "$enable_shared" = yes && test "$weft_smpi" != 1 && test -e "$weft_libdir/libfftw3.a" &&
                test ! -e "$weft_libdir/libfftw3.so" && test ! -e "$weft_libdir/libfftw3.dylib"],
           [AC_MSG_ERROR([--with-fftw=$with_fftw has only static libraries, so a shared libweft would have a copy of FFTW whose wisdom and time limit are not the program's; configure with --disable-shared, or install an FFTW configured with --enable-shared])])
     FFTW_LDFLAGS="-L$weft_libdir -Wl,-rpath,$weft_libdir"])
AC_SUBST([FFTW_CPPFLAGS])
AC_SUBST([FFTW_LDFLAGS])

WEFT_ENABLE([float], [auto], [yes no auto], [build libweftf, for float (when FFTW has it)])
WEFT_ENABLE([long-double], [auto], [yes no auto], [build libweftl, for long double (when FFTW has it)])

weft_save_CPPFLAGS=$CPPFLAGS weft_save_LDFLAGS=$LDFLAGS weft_save_LIBS=$LIBS
CPPFLAGS="$FFTW_CPPFLAGS $CPPFLAGS" LDFLAGS="$FFTW_LDFLAGS $LDFLAGS"
AC_CHECK_HEADER([fftw3.h], [], [WEFT_FFTW_MISSING([fftw3.h not found])])
# The compiler prints the header's folder.
AC_CACHE_CHECK([for the folder of fftw3.h], [weft_cv_fftw_includedir],
    [echo '#include <fftw3.h>' >conftest.c
     weft_cv_fftw_includedir=`$CC -E $CPPFLAGS conftest.c 2>/dev/null |
         sed -n 's|^# *1 "\(.*\)/fftw3\.h".*|\1|p' | sed 1q`
     rm -f conftest.c])
AC_SUBST([FFTW_INCLUDEDIR], [$weft_cv_fftw_includedir])
WEFT_FFTW_PRECISION([], [double], [yes])
WEFT_FFTW_PRECISION([f], [float], [$enable_float])
WEFT_FFTW_PRECISION([l], [long double], [$enable_long_double])
CPPFLAGS=$weft_save_CPPFLAGS LDFLAGS=$weft_save_LDFLAGS LIBS=$weft_save_LIBS
AS_IF([test "$weft_fftwf" = yes], [AC_DEFINE([WEFT_HAVE_FLOAT], [1], [libweftf is built])])
AS_IF([test "$weft_fftwl" = yes], [AC_DEFINE([WEFT_HAVE_LONG_DOUBLE], [1], [libweftl is built])])
AM_CONDITIONAL([FLOAT], [test "$weft_fftwf" = yes])
AM_CONDITIONAL([LONG_DOUBLE], [test "$weft_fftwl" = yes])])

AC_DEFUN([WEFT_FFTW_MISSING],
[AC_MSG_ERROR([$1; install FFTW 3.3 (Debian: apt-get install libfftw3-dev; Fedora: dnf install fftw-devel; Homebrew: brew install fftw) or point --with-fftw=PREFIX to it])])

dnl WEFT_FFTW_PRECISION(LETTER, NAME, yes/no/auto): sets weft_fftwLETTER, FFTWLETTER_LIBS, and
dnl HAVE_FFTWLETTER_THREADS.
AC_DEFUN([WEFT_FFTW_PRECISION],
[m4_pushdef([upper], m4_toupper([FFTW$1]))dnl
weft_fftw$1=no weft_fftw$1_threads=no
upper[]_LIBS=
AS_IF([test "$3" != no],
    [LIBS=$weft_save_LIBS
     AC_CHECK_LIB([fftw3$1], [fftw$1_alignment_of],
         [weft_fftw$1=yes
          upper[]_LIBS="-lfftw3$1"
          AC_CHECK_LIB([fftw3$1_threads], [fftw$1_init_threads],
              [weft_fftw$1_threads=yes
               upper[]_LIBS="-lfftw3$1_threads -lfftw3$1 -lpthread"
               AC_DEFINE([HAVE_]upper[_THREADS], [1], [FFTW's threads library for $2 is linked in])],
              [], [-lfftw3$1 -lm -lpthread])],
         [AS_IF([test "$3" = yes],
                [WEFT_FFTW_MISSING([FFTW 3.3 for $2 (libfftw3$1) not found])])], [-lm])
     AS_IF([test "$weft_fftw$1" = yes], [upper[]_LIBS="$upper[]_LIBS -lm"])])
WEFT_SMPI_FFTW(upper[_LIBS])
AC_SUBST(upper[_LIBS])
m4_popdef([upper])])
