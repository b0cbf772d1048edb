/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by tests of device libraries: the loaded library, and arrays on the device. */
#ifndef DEVICE_H
#define DEVICE_H

#include "tests/device/standin.h"
#include "tests/unit/harness.h"

extern const weft_device_library *device;
extern const weft_standin_controls *standin; /* NULL: the library is not the stand-in */
extern weft_queue *queue;

/* The fixture of every case. A child process that uses the device also calls load. */
void load(void);
void unload(void);

/* `on_device` returns a copy of an array on the device; `get` copies memory of the device to an
 * array. Both wait for the copy. */
void *pinned(size_t bytes);
void *on_device(const void *array, size_t bytes);
void get(void *array, const void *memory, size_t bytes);

/* The options of every test of a device. */
#define ON_DEVICE .setup = load, .teardown = unload

#endif
