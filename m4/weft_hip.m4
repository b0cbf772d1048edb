dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_HIP: the compiler of HIP, hipFFT and the runtime, for libweft-hip. Only by request, because nobody has run
dnl libweft-hip on a GPU yet. Sets weft_hip to a line for the summary.
AC_DEFUN([WEFT_HIP],
[AC_ARG_WITH([hip],
    [AS_HELP_STRING([--with-hip@<:@=PREFIX@:>@], [build libweft-hip, for arrays on a GPU of AMD (compiled, never run on one), with the HIP installed under PREFIX])],
    [], [with_hip=no])
AC_ARG_VAR([HIPCC], [HIP's compiler])
AC_ARG_VAR([HIPCCFLAGS], [its flags, such as --offload-arch=gfx90a])
HIP_CODE= HIP_CPPFLAGS="-DWEFT_HIP -D__HIP_PLATFORM_AMD__" HIP_LDFLAGS= weft_hip="no: --with-hip was not given"
AS_IF([test "$with_hip" != no], [
    weft_hip_path=$PATH:/opt/rocm/bin
    AS_IF([test "$with_hip" != yes], [weft_hip_path=$with_hip/bin])
    AC_PATH_PROG([HIPCC], [hipcc], [], [$weft_hip_path])
    AS_IF([test -z "$HIPCC"], [AC_MSG_ERROR([libweft-hip cannot be built: hipcc was not found; install it and hipFFT (Debian: apt-get install hipcc libhipfft-dev), or point --with-hip=PREFIX to them])])
    AS_IF([test "$enable_shared" = no], [AC_MSG_ERROR([libweft-hip needs shared libraries])])
    weft_prefix=`cd "\`dirname "$HIPCC"\`/.." && pwd -P`
    AS_IF([test "$weft_prefix" != /usr],
          [HIP_CPPFLAGS="$HIP_CPPFLAGS -isystem $weft_prefix/include"
           HIP_LDFLAGS="-L$weft_prefix/lib -Wl,-rpath,$weft_prefix/lib"])
    weft_save_CPPFLAGS=$CPPFLAGS weft_save_LDFLAGS=$LDFLAGS weft_save_LIBS=$LIBS
    CPPFLAGS="$HIP_CPPFLAGS $CPPFLAGS" LDFLAGS="$HIP_LDFLAGS $LDFLAGS" LIBS="-lhipfft -lamdhip64 $LIBS"
    AC_MSG_CHECKING([for hipFFT])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <hip/hip_runtime.h>
#include <hipfft/hipfft.h>]], [[int n; hipfftHandle plan; return (int)hipfftCreate(&plan) + (int)hipGetDeviceCount(&n);]])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([libweft-hip cannot be built: hipFFT (hipfft/hipfft.h, libhipfft) was not found with $HIPCC])])
    CPPFLAGS=$weft_save_CPPFLAGS LDFLAGS=$weft_save_LDFLAGS LIBS=$weft_save_LIBS
    WEFT_HIP_DEVICES
    AC_DEFINE([WEFT_HAVE_HIP], [1], [libweft-hip is built])
    weft_hip="yes, by $HIPCC, for $weft_hip_code"])
AS_IF([test "$enable_werror" = yes], [HIP_WARNINGS="-Wall -Wextra -Werror"], [HIP_WARNINGS="-Wall -Wextra"])
AC_SUBST([HIP_CODE])
AC_SUBST([HIP_CPPFLAGS])
AC_SUBST([HIP_LDFLAGS])
AC_SUBST([HIP_LIBS], ["-lhipfft -lamdhip64"])
AC_SUBST([HIP_WARNINGS])
AM_CONDITIONAL([HIP], [test "$with_hip" != no])])

dnl Keeps the usual devices that this compiler knows, unless HIPCCFLAGS names devices.
AC_DEFUN([WEFT_HIP_DEVICES],
[weft_hip_code=
AC_MSG_CHECKING([which devices $HIPCC knows])
echo '#include <hip/hip_runtime.h>
__global__ void kernel(int *at) { *at = 1; }' >conftest.cu
AS_CASE([" $HIPCCFLAGS "],
    [*--offload-arch*], [weft_hip_code="the devices of HIPCCFLAGS"],
    [for weft_device in gfx906 gfx908 gfx90a gfx942 gfx1030 gfx1100 gfx1200; do
         AS_IF([AC_TRY_COMMAND(["$HIPCC" -x hip --offload-arch=$weft_device $HIPCCFLAGS -fPIC -c -o conftest.$ac_objext conftest.cu >&AS_MESSAGE_LOG_FD 2>&1])],
               [HIP_CODE="$HIP_CODE --offload-arch=$weft_device"
                weft_hip_code="$weft_hip_code${weft_hip_code:+, }$weft_device"])
     done])
rm -f conftest.cu conftest.$ac_objext
AC_MSG_RESULT([${weft_hip_code:-none}])
AS_IF([test -z "$weft_hip_code"], [AC_MSG_ERROR([libweft-hip cannot be built: $HIPCC does not work; config.log says why])])])
