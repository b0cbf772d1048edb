/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libweft-preload: one library to preload, whatever precision a program is of. It has all functions
 * of FFTW's MPI library, since only what is preloaded itself comes before the program's libraries,
 * but nothing else: Weft's library of a precision is loaded when the first function of it is
 * called. So a program, a shell or a launcher that calls none loads neither MPI nor FFTW, and a
 * precision that a machine lacks harms none but its own programs.
 */
#ifndef WEFT_PRELOAD_H
#define WEFT_PRELOAD_H

#include <stdatomic.h>
#include "kernels/base/precision.h"

typedef void (*weft_preload_function)(void);
typedef _Atomic(weft_preload_function) weft_preload_place;

/* The function of that name in the library for the letter's precision; looked up once and stored in
 * `place`. Ends the program with a sentence when there is none. */
weft_preload_function weft_preload_find(weft_preload_place *place, const char *letter,
                                        const char *name);

#define OURS(function)                                                                             \
    ((__typeof__(&FFTW(function)))weft_preload_find(&place, WEFT_LETTER,                           \
                                                    "fftw" WEFT_LETTER "_" #function))

#endif
