dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_VERSIONS: checks whether the linker knows version scripts, which give libweft's functions versions (api/libweft.map).
AC_DEFUN([WEFT_VERSIONS],
[weft_save_LDFLAGS=$LDFLAGS
echo 'WEFT_0 { global: weft_*; local: *; };' >conftest.map
LDFLAGS="$LDFLAGS -shared -fPIC -Wl,--version-script=conftest.map"
AC_CACHE_CHECK([whether the linker takes version scripts], [weft_cv_versions],
    [AC_LINK_IFELSE([AC_LANG_SOURCE([[int weft_dummy(void); int weft_dummy(void) { return 0; }]])],
                    [weft_cv_versions=yes], [weft_cv_versions=no])])
LDFLAGS=$weft_save_LDFLAGS
rm -f conftest.map
AC_SUBST([HAVE_VERSIONS], [$weft_cv_versions])
AM_CONDITIONAL([VERSIONS], [test "$weft_cv_versions" = yes])])
