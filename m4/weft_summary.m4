dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_SUMMARY: what will be built, at the end of configure.
AC_DEFUN([WEFT_SUMMARY],
[weft_libraries="libweft (double)"
AS_IF([test "$weft_fftwf" = yes], [weft_libraries="$weft_libraries, libweftf (float)"])
AS_IF([test "$weft_fftwl" = yes], [weft_libraries="$weft_libraries, libweftl (long double)"])
weft_threads=
AS_IF([test "$weft_fftw_threads" = yes], [weft_threads="double"])
AS_IF([test "$weft_fftwf_threads" = yes], [weft_threads="$weft_threads${weft_threads:+, }float"])
AS_IF([test "$weft_fftwl_threads" = yes], [weft_threads="$weft_threads${weft_threads:+, }long double"])
weft_flat=
AS_IF([test "$enable_flat" = yes], [weft_flat=", FFTW's names straight in lib and include"])
AS_IF([test -n "$with_suffix"], [weft_flat="$weft_flat, names end with $with_suffix"])
cat <<WEFT_END

Weft $PACKAGE_VERSION

  libraries               $weft_libraries
  shared, static          $enable_shared, $enable_static
  compiler                $CC $CFLAGS
  MPI                     $weft_cv_mpi_name, started by ${MPIEXEC:-(nothing found: set MPIEXEC)}
    why this one          $weft_mpi_choice
  FFTW's threads for      ${weft_threads:-none}
  OpenMP in passes        $weft_openmp
  arrays on a GPU         $weft_cuda
    of AMD (HIP)          $weft_hip
  tests (need Check)      $weft_check
  installed under         $prefix$weft_flat

WEFT_END])
