dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_CUDA: finds CUDA's compiler, cuFFT and the runtime for libweft-cuda. (libweft does not use CUDA.) Sets weft_cuda to a
dnl line for the summary.
AC_DEFUN([WEFT_CUDA],
[AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda@<:@=PREFIX@:>@], [build libweft-cuda, for arrays on a GPU, with the CUDA installed under PREFIX (when it is found)])],
    [], [with_cuda=auto])
AC_ARG_VAR([NVCC], [CUDA's compiler])
AC_ARG_VAR([NVCCFLAGS], [flags for NVCC; -arch or -gencode choose the devices])
weft_cuda=no weft_cuda_code=
CUDA_CPPFLAGS= CUDA_LDFLAGS= CUDA_CODE=
AS_CASE([$with_cuda],
    [no], [weft_cuda_why="--without-cuda"],
    [yes | auto], [WEFT_CUDA_LOOK([$PATH:/usr/local/cuda/bin])],
    [AS_IF([test ! -d "$with_cuda"],
           [AC_MSG_ERROR([--with-cuda=$with_cuda is not a directory; give the prefix that CUDA was installed under])])
     WEFT_CUDA_LOOK([$with_cuda/bin])])
AS_IF([test "$weft_cuda" = no && test "$with_cuda" != no && test "$with_cuda" != auto],
      [AC_MSG_ERROR([libweft-cuda cannot be built: $weft_cuda_why; install CUDA's toolkit (Debian: apt-get install nvidia-cuda-toolkit), or point --with-cuda=PREFIX to it])])
AS_IF([test "$weft_cuda" = no], [weft_cuda="no: $weft_cuda_why"],
      [AC_DEFINE([WEFT_HAVE_CUDA], [1], [libweft-cuda is built])
       weft_cuda="yes, by $NVCC, for $weft_cuda_code"])
AS_IF([test "$enable_werror" = yes], [CUDA_WARNINGS="-Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror"],
      [CUDA_WARNINGS="-Xcompiler -Wall,-Wextra"])
AC_SUBST([CUDA_CPPFLAGS])
AC_SUBST([CUDA_LDFLAGS])
AC_SUBST([CUDA_LIBS], ["-lcufft -lcudart"])
AC_SUBST([CUDA_CODE])
AC_SUBST([CUDA_WARNINGS])
AM_CONDITIONAL([CUDA], [test -n "$weft_cuda_code"])])

dnl WEFT_CUDA_LOOK(PATH): sets weft_cuda=yes, or weft_cuda_why.
AC_DEFUN([WEFT_CUDA_LOOK],
[AC_PATH_PROG([NVCC], [nvcc], [], [$1])
AS_IF([test "$enable_shared" = no], [weft_cuda_why="it needs shared libraries"],
      [test -z "$NVCC"], [weft_cuda_why="nvcc was not found"],
      [WEFT_CUDA_LIBRARIES
       AS_IF([test "$weft_cuda" = yes], [WEFT_CUDA_DEVICES])])])

dnl Finds the toolkit's headers and libraries: first in the toolkit that nvcc names (nvcc may be a link, or a script that starts
dnl another), then above nvcc's folder, then where the compiler looks by default.
AC_DEFUN([WEFT_CUDA_LIBRARIES],
[echo >conftest.cu
weft_prefix=`"$NVCC" --dryrun -c conftest.cu 2>&1 | sed -n 's/^#\$ TOP=//p'`
rm -f conftest.cu
weft_prefix=`cd "${weft_prefix:-\`dirname "$NVCC"\`/..}" 2>/dev/null && pwd -P`
AS_IF([test -e "$weft_prefix/include/cufft.h" && test "$weft_prefix" != /usr],
      [CUDA_CPPFLAGS="-isystem $weft_prefix/include"])
for weft_dir in lib64 lib targets/$host_cpu-linux/lib; do
    AS_IF([test "$weft_prefix" != /usr && test -e "$weft_prefix/$weft_dir/libcufft.so"],
          [CUDA_LDFLAGS="-L$weft_prefix/$weft_dir -Wl,-rpath,$weft_prefix/$weft_dir"
           break])
done
weft_save_CPPFLAGS=$CPPFLAGS weft_save_LDFLAGS=$LDFLAGS weft_save_LIBS=$LIBS
CPPFLAGS="$CUDA_CPPFLAGS $CPPFLAGS" LDFLAGS="$CUDA_LDFLAGS $LDFLAGS" LIBS="-lcufft -lcudart $LIBS"
AC_MSG_CHECKING([for cuFFT])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cufft.h>]], [[int n; cufftHandle plan; return (int)cufftCreate(&plan) + (int)cudaGetDeviceCount(&n);]])],
    [weft_cuda=yes], [weft_cuda_why="cuFFT (cufft.h, libcufft) was not found with $NVCC"])
AC_MSG_RESULT([$weft_cuda])
CPPFLAGS=$weft_save_CPPFLAGS LDFLAGS=$weft_save_LDFLAGS LIBS=$weft_save_LIBS])

dnl Chooses machine code for the first device of each generation that nvcc knows, and PTX, which drivers of later devices
dnl compile. Compiles a small file to see whether nvcc works: it refuses some compilers of the host.
AC_DEFUN([WEFT_CUDA_DEVICES],
[weft_cuda=no
AS_CASE([" $NVCCFLAGS "],
    [*-arch* | *-gencode* | *--generate-code*], [weft_cuda_code="the devices of NVCCFLAGS"],
    [weft_last=
     for weft_device in `"$NVCC" --list-gpu-arch 2>/dev/null | sed -n 's/^compute_//p' | sort -n | uniq`; do
         AS_CASE([$weft_device],
             [60 | 70 | 75 | 80 | 90 | 100 | 120],
             [CUDA_CODE="$CUDA_CODE -gencode arch=compute_$weft_device,code=sm_$weft_device"
              weft_cuda_code="$weft_cuda_code${weft_cuda_code:+, }sm_$weft_device"])
         weft_last=$weft_device
     done
     AS_IF([test -n "$weft_last"],
           [CUDA_CODE="$CUDA_CODE -gencode arch=compute_$weft_last,code=compute_$weft_last"])])
AC_MSG_CHECKING([whether $NVCC works])
echo '__global__ void kernel(int *at) { *at = 1; } void start(int *at) { kernel<<<1, 1>>>(at); }' >conftest.cu
AS_IF([AC_TRY_COMMAND(["$NVCC" $CUDA_CODE $NVCCFLAGS -Xcompiler -fPIC -c -o conftest.$ac_objext conftest.cu >&AS_MESSAGE_LOG_FD 2>&1])],
      [weft_cuda=yes], [weft_cuda_code= weft_cuda_why="$NVCC does not work: config.log says why"])
rm -f conftest.cu conftest.$ac_objext
AC_MSG_RESULT([$weft_cuda])
AS_IF([test "$weft_cuda" = yes && test -z "$weft_cuda_code"], [weft_cuda_code="nvcc's own choice of devices"])])
