dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_NAMES: the suffix of all installed names, so that a Weft for each MPI fits under one prefix. It must come before
dnl AM_INIT_AUTOMAKE: programs get the suffix through Automake's --program-suffix, unless the user gives that option, too.
AC_DEFUN([WEFT_NAMES],
[AC_ARG_WITH([suffix],
    [AS_HELP_STRING([--with-suffix=-NAME], [append it to the names of libraries, programs, folders, and files of pkg-config and CMake])],
    [], [with_suffix=])
AS_CASE([$with_suffix],
    [no], [with_suffix=],
    [yes], [AC_MSG_ERROR([--with-suffix needs a value, as --with-suffix=-mpich])],
    [*[[!A-Za-z0-9._-]]*],
    [AC_MSG_ERROR([--with-suffix=$with_suffix has other characters than letters, digits and . _ -])])
AS_IF([test -n "$with_suffix"],
      [AS_IF([test "$program_suffix" = NONE], [program_suffix=$with_suffix])
       AS_IF([test "$docdir" = '${datarootdir}/doc/${PACKAGE_TARNAME}'], [docdir=$docdir$with_suffix])])
AC_SUBST([SUFFIX], [$with_suffix])
AC_DEFINE_UNQUOTED([WEFT_SUFFIX], ["$with_suffix"], [the suffix of the libraries' names])])

dnl WEFT_CONTACT: contacts for the users of this build.
AC_DEFUN([WEFT_CONTACT],
[AC_ARG_WITH([bug-address],
    [AS_HELP_STRING([--with-bug-address=ADDRESS], [the address for bug reports that weft-info prints])],
    [], [with_bug_address=])
AC_ARG_WITH([home-page], [AS_HELP_STRING([--with-home-page=URL], [the URL that weft-info and pkg-config print])],
    [], [with_home_page=])
WEFT_CONTACT_TEXT([bug-address], [as --with-bug-address=bugs@example.org])
WEFT_CONTACT_TEXT([home-page], [as --with-home-page=https://example.org/weft])
AC_SUBST([HOME_PAGE], [$with_home_page])
AC_DEFINE_UNQUOTED([WEFT_BUG_ADDRESS], ["${with_bug_address:-the provider of this copy of Weft}"],
                   [the address for bug reports])
AC_DEFINE_UNQUOTED([WEFT_HOME_PAGE], ["$with_home_page"], [a URL, or nothing])])

dnl WEFT_CONTACT_TEXT(NAME, EXAMPLE): accepts one line that needs no quoting in C, make and sed.
AC_DEFUN([WEFT_CONTACT_TEXT],
[AS_CASE([$AS_TR_SH([with_$1])],
    [no], [AS_TR_SH([with_$1])=],
    [yes], [AC_MSG_ERROR([--with-$1 needs a value, $2])],
    [*[[!A-Za-z0-9@.:/_~?=%,+\ -]]*],
    [AC_MSG_ERROR([--with-$1 may have letters, digits, blanks and @ . : / _ ~ ? = % , + - only])])])
