/* SPDX-License-Identifier: BSD-3-Clause */
/* The plainest of backends: it counts what it is asked to do, and fails where a test wants it. */
#ifndef PLAIN_H
#define PLAIN_H

#include "backends/exchange/exchange.h"

/* It takes odd values only, and its workspace has as many bytes as its value. */
extern const weft_backend plain;

extern int plain_prepared, plain_released;
/* The rank on which preparing fails, -1 for none; it says why when the value is above 1. */
extern int plain_fails_on;

#endif
