/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names and types that depend on the precision. Files that know the precision are compiled three
 * times: without a macro, with WEFT_SINGLE, and with WEFT_LONG_DOUBLE. All other files know only
 * the size of an element in bytes. A file that knows the precision writes its functions as
 * weft_name, for double; the macros of precision-names.h turn this name into weftf_name or
 * weftl_name. WEFT(name) and FFTW(name) are for exported functions and for functions of FFTW, which
 * are declared for all precisions at once.
 */
#ifndef WEFT_PRECISION_H
#define WEFT_PRECISION_H

#include <fftw3.h>

#define WEFT_JOIN_(a, b) a##b
#define WEFT_JOIN(a, b)  WEFT_JOIN_(a, b)

#if defined(WEFT_SINGLE)
#define WEFT(name)     WEFT_JOIN(weftf_, name)
#define FFTW(name)     WEFT_JOIN(fftwf_, name)
#define WEFT_LETTER    "f"
#define WEFT_PRECISION "float"
typedef float weft_real;
#elif defined(WEFT_LONG_DOUBLE)
#define WEFT(name)     WEFT_JOIN(weftl_, name)
#define FFTW(name)     WEFT_JOIN(fftwl_, name)
#define WEFT_LETTER    "l"
#define WEFT_PRECISION "long double"
typedef long double weft_real;
#else
#define WEFT(name)     WEFT_JOIN(weft_, name)
#define FFTW(name)     WEFT_JOIN(fftw_, name)
#define WEFT_LETTER    ""
#define WEFT_PRECISION "double"
typedef double weft_real;
#endif

#include "kernels/base/precision-names.h"

typedef weft_real weft_complex[2];

#endif
