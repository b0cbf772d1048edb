/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes on a device: the functions of kernels/pass/pass.h, implemented for devices. Compiled once
 * for each precision. */
#ifndef WEFT_DEVICE_PASS_H
#define WEFT_DEVICE_PASS_H

#include "kernels/pass/pass.h"

extern const weft_pass_functions weft_pass_on_device;

#endif
