/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info --volume: what moves in each way of dividing an array. */
#ifndef INFO_VOLUME_H
#define INFO_VOLUME_H

/* Prints it; the exit status. */
int info_volume(const char *sizes);

#endif
