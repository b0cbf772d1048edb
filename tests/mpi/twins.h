/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Twins of arrays on a device: a test fills and compares arrays on the host, and passes their twins
 * to the library. Without a device an array is its own twin.
 */
#ifndef TWINS_H
#define TWINS_H

#include <stdbool.h>
#include <stddef.h>
#include "kernels/device/device.h"
#include "tests/device/standin.h"

/* From now on arrays get twins, on the current device of this library. Also sets WEFT_DEVICE. */
void twins_begin(const char *library);
bool twins_begun(void);
const weft_device_library *twins_library(void);
const weft_standin_controls *twins_controls(void);

/* Makes MPI send and receive device memory (twins-mpi.c). */
void twins_mpi_begin(void);
/* Whether MPI accepts memory of the current device in messages. */
bool twins_mpi_reaches(void);
/* With true, messages from device memory arrive with wrong contents, from now on. */
void twins_mpi_lies(bool lies);
/* Large messages sent since the last call, and pieces of the stand-in's work that waited at the
 * first of them. */
typedef struct {
    int count, waiting;
} twins_messages;
twins_messages twins_mpi_messages(void);

/* For arrays.c: makes the twin of an array, and frees it. */
void twins_add(const void *array, size_t bytes);
void twins_drop(const void *array);

/* twin_of returns the twin of an array, or the array if it has none. twin_push copies the array to
 * its twin, twin_pull copies the twin to the array. */
void *twin_of(void *array);
void twin_push(const void *array);
void twin_pull(void *array);

/* Returns the backend for device arrays that corresponds to a backend of the host; NULL: any. */
const char *twin_backend(const char *backend);

#endif
