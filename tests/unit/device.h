/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of device libraries share: the library that was loaded, and arrays on the device. */
#ifndef DEVICE_H
#define DEVICE_H

#include "tests/device/standin.h"
#include "tests/unit/harness.h"

extern const weft_device_library *device;
extern const weft_standin_controls *standin; /* NULL: it is another library */
extern weft_queue *queue;

/* The fixture of every case; a child that is to use the device loads it, too. */
void load(void);
void unload(void);

/* Arrays that are there and back at once. */
void *pinned(size_t bytes);
void *on_device(const void *array, size_t bytes);
void get(void *array, const void *memory, size_t bytes);

/* The options of every test. */
#define ON_DEVICE .setup = load, .teardown = unload

#endif
