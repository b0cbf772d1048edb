/* SPDX-License-Identifier: BSD-3-Clause */
/* The services of exchanges whose arrays lie on a device: copies are moves in its queue. */
#ifndef WEFT_DEVICE_SERVICES_H
#define WEFT_DEVICE_SERVICES_H

#include "backends/weft-backend.h"

/* Its messages' types are those of the host's, for what is staged there. */
extern const weft_services weft_services_device;

#endif
