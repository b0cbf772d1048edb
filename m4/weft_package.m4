dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_NAMES: what is appended to all names that get installed, so that a Weft for each MPI lies under one prefix. Before
dnl AM_INIT_AUTOMAKE, for programs take the suffix by Automake's --program-suffix, unless that is given, too.
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
AC_DEFINE_UNQUOTED([WEFT_SUFFIX], ["$with_suffix"], [what the names of libraries end with])])

dnl WEFT_CONTACT: whom users of this build turn to, as who builds it says.
AC_DEFUN([WEFT_CONTACT],
[AC_ARG_WITH([bug-address],
    [AS_HELP_STRING([--with-bug-address=ADDRESS], [where weft-info sends users with bugs])],
    [], [with_bug_address=])
AC_ARG_WITH([home-page], [AS_HELP_STRING([--with-home-page=URL], [the URL that weft-info and pkg-config tell])],
    [], [with_home_page=])
WEFT_CONTACT_TEXT([bug-address], [as --with-bug-address=bugs@example.org])
WEFT_CONTACT_TEXT([home-page], [as --with-home-page=https://example.org/weft])
AC_SUBST([HOME_PAGE], [$with_home_page])
AC_DEFINE_UNQUOTED([WEFT_BUG_ADDRESS], ["${with_bug_address:-those who provide this copy of Weft}"],
                   [where users are sent with bugs])
AC_DEFINE_UNQUOTED([WEFT_HOME_PAGE], ["$with_home_page"], [a URL, or nothing])])

dnl WEFT_CONTACT_TEXT(NAME, EXAMPLE): one line that needs no quoting in C, make and sed.
AC_DEFUN([WEFT_CONTACT_TEXT],
[AS_CASE([$AS_TR_SH([with_$1])],
    [no], [AS_TR_SH([with_$1])=],
    [yes], [AC_MSG_ERROR([--with-$1 needs a value, $2])],
    [*[[!A-Za-z0-9@.:/_~?=%,+\ -]]*],
    [AC_MSG_ERROR([--with-$1 may have letters, digits, blanks and @ . : / _ ~ ? = % , + - only])])])
