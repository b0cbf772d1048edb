/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info --volume: how much data moves for each way of dividing an array. */
#ifndef INFO_VOLUME_H
#define INFO_VOLUME_H

#include <stdbool.h>

/* Prints a table, or a script for gnuplot, and returns the exit status. */
int info_volume(const char *sizes, bool plot);

#endif
