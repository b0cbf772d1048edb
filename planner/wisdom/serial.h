/* SPDX-License-Identifier: BSD-3-Clause */
/* The wisdom of serial FFTW. Its own functions for it take no lock, even when the program has the
 * planner made safe for threads; these do. */
#ifndef WEFT_SERIAL_H
#define WEFT_SERIAL_H

#include <stdbool.h>
#include "kernels/base/precision.h"

/* To be freed; NULL: no memory. */
char *weft_serial_export(void);
/* Adds what the text has; false: it is no wisdom of FFTW's. */
bool weft_serial_import(const char *text);
/* Forgets what there was. */
bool weft_serial_replace(const char *text);

#endif
