/* SPDX-License-Identifier: BSD-3-Clause */
/* Where arrays lie, and the device library, which is looked for once an array lies on a device. */
#ifndef WEFT_DEVICE_LOAD_H
#define WEFT_DEVICE_LOAD_H

#include "kernels/device/device.h"

/* Of memory that is a device's, where there is no library that could work on it. */
enum { WEFT_DEVICE_UNKNOWN = -2 };

/* The device that an array lies on, WEFT_DEVICE_HOST, or WEFT_DEVICE_UNKNOWN, with an error. A
 * process that uses no device loads nothing for that. Local. */
int weft_device_where(const void *array);
/* Whether any array that this process has asked about could have been a device's. */
bool weft_device_seen(void);
/* The library, which is loaded now if it was not; NULL and an error that says what is missing. */
const weft_device_library *weft_device_load(void);

#endif
