/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info --volume: what moves in each way of dividing an array. */
#ifndef INFO_VOLUME_H
#define INFO_VOLUME_H

#include <stdbool.h>

/* Prints it as a table, or a plot for gnuplot; the exit status. */
int info_volume(const char *sizes, bool plot);

#endif
