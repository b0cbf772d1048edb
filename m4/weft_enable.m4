dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_ENABLE(NAME, DEFAULT, VALUES, HELP): an --enable option whose value must be among VALUES
dnl (words separated by blanks); anything else ends configure. Sets enable_NAME.
AC_DEFUN([WEFT_ENABLE],
[AC_ARG_ENABLE([$1], [AS_HELP_STRING([--enable-$1], [$4])], [],
               [AS_TR_SH([enable_$1])=$2])
case " $3 " in
    *" $AS_TR_SH([enable_$1]) "*) ;;
    *) AC_MSG_ERROR([--enable-$1=$AS_TR_SH([enable_$1]) is not a value it takes; use one of: $3]) ;;
esac])
