/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out on which device an array is, and loads the device library when an array on a device is
 * first seen. */
#ifndef WEFT_DEVICE_LOAD_H
#define WEFT_DEVICE_LOAD_H

#include "kernels/device/device.h"

/* The array is in device memory, but no device library that could work on it is installed. */
enum { WEFT_DEVICE_UNKNOWN = -2 };

/* The device that an array is on, WEFT_DEVICE_HOST, or WEFT_DEVICE_UNKNOWN, with an error. In a
 * process that uses no device this loads nothing. Local. */
int weft_device_where(const void *array);
/* Whether any array that this process has asked about may have been on a device. */
bool weft_device_may_be_in_use(void);
/* The device library; it is loaded by the first call. Returns NULL with an error that says what is
 * missing. */
const weft_device_library *weft_device_load(void);

#endif
