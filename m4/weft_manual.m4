dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_MANUAL: checks whether make can write HTML and man pages, or whether they exist already (as in the tarball).
AC_DEFUN([WEFT_MANUAL],
[AC_ARG_VAR([ASCIIDOCTOR], [makes the manual's HTML and man pages])
AC_CHECK_PROGS([ASCIIDOCTOR], [asciidoctor])
AM_CONDITIONAL([MANUAL], [test -n "$ASCIIDOCTOR" || test -f "$srcdir/doc/weft.7"])
AM_COND_IF([MANUAL], [], [AC_MSG_NOTICE([without asciidoctor the manual is not built; read doc/manual.adoc])])])
