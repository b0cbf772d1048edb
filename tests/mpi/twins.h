/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Twins of arrays on a device: a test fills in and compares arrays of the host, the library gets
 * their twins. Without a device an array is its own twin.
 */
#ifndef TWINS_H
#define TWINS_H

#include <stdbool.h>
#include <stddef.h>
#include "kernels/device/device.h"
#include "tests/device/standin.h"

/* From now on arrays get twins, on the device that is current in this library; also WEFT_DEVICE. */
void twins_begin(const char *library);
bool twins_begun(void);
const weft_device_library *twins_library(void);
const weft_standin_controls *twins_controls(void);

/* Messages go straight from and to the device (twins-mpi.c). */
void twins_mpi_begin(void);
/* Whether MPI takes memory of the device in use for messages. */
bool twins_mpi_reaches(void);
/* What arrives from a device is not what was sent, from now on or no longer. */
void twins_mpi_lies(bool lies);
/* The large messages sent since the last call, and the stand-in's work that waited at the first. */
typedef struct {
    int count, waiting;
} twins_messages;
twins_messages twins_mpi_messages(void);

/* For arrays.c: an array has one from here to there. */
void twins_add(const void *array, size_t bytes);
void twins_drop(const void *array);

/* The twin of an array, itself where it has none, and its contents to there and back. */
void *twin_of(void *array);
void twin_push(const void *array);
void twin_pull(void *array);

/* The backend that does there what one of the host's does here; NULL: any. */
const char *twin_backend(const char *backend);

#endif
