/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What FFTW's wisdom carries for Weft: records, and for each key that has any a marker: the wisdom
 * for a copy of a few numbers in strides that the key's digest says. So whether there is something
 * to be found takes FFTW a microsecond to tell, where writing its wisdom out would take it a
 * hundred and more.
 */
#ifndef WEFT_CARRIED_H
#define WEFT_CARRIED_H

#include <stdbool.h>
#include <stdint.h>
#include "kernels/base/precision.h"
#include "planner/wisdom/records.h"

/* Whether there are, or were, records for a key. */
bool weft_carried(uint64_t key);
/* Whether there were records for a key, found or added by this process, and are no longer, since
 * the program had FFTW forget. True once. */
bool weft_carried_lost(uint64_t key);
/* The best one, of so much rigor or more. */
bool weft_carried_find(uint64_t key, int rigor, weft_record *record);
/* Adds a record's lines. False: this FFTW does not take them. */
bool weft_carried_add(uint64_t key, const char *lines);
/* Takes all records out. */
void weft_carried_forget(void);

#endif
