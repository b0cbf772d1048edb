/* SPDX-License-Identifier: BSD-3-Clause */
/* What Weft does for a backend. */
#ifndef WEFT_SERVICES_H
#define WEFT_SERVICES_H

#include "backends/weft-backend.h"

extern const weft_services weft_services_ours;

#endif
