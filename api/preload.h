/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libweft-preload: one library to preload for programs of any precision. It contains all functions
 * of FFTW's MPI library and nothing else; it needs them all because only the symbols of the
 * preloaded library itself take precedence over the program's libraries. It loads Weft's library of
 * a precision when the program first calls a function of that precision. So a program, shell or
 * launcher that calls none of the functions loads neither MPI nor FFTW, and a missing precision
 * affects only the programs that use it.
 */
#ifndef WEFT_PRELOAD_H
#define WEFT_PRELOAD_H

#include <stdatomic.h>
#include "kernels/base/precision.h"

typedef void (*weft_preload_function)(void);
typedef _Atomic(weft_preload_function) weft_preload_place;

/* Finds the function of this name in the library of the precision with this letter; stores it in
 * `place`, so it is looked up once. Ends the program with a sentence if there is no such
 * function. */
weft_preload_function weft_preload_find(weft_preload_place *place, const char *letter,
                                        const char *name);

#define OURS(function)                                                                             \
    ((__typeof__(&FFTW(function)))weft_preload_find(&place, WEFT_LETTER,                           \
                                                    "fftw" WEFT_LETTER "_" #function))

#endif
