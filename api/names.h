/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of functions in error messages: as the program that called them knows them. */
#ifndef WEFT_NAMES_H
#define WEFT_NAMES_H

#include "kernels/base/precision.h"

#define NAME(function) "fftw" WEFT_LETTER "_mpi_" function

#define OWN_NAME(function) "weft" WEFT_LETTER "_" function

#endif
