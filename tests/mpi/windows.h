/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows under watch: segments.h counts their memory, and there can be no memory for them.
 * In a run ranks write numbers that nobody else would, and look for those of the others.
 */
#ifndef WINDOWS_H
#define WINDOWS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "backends/memory/window.h"

/* Whether the program has closed all segments that it made. */
bool windows_right(void);
/* On this rank: files cannot be mapped; or the system has no pages left. */
extern bool no_addresses, no_memory;

void write_part(uint32_t *part, int writer, int run, size_t numbers);
bool holds(const uint32_t *part, int writer, int run, size_t numbers);

/* One run in which every rank of comm reads what every other wrote, twice: whether it was right. */
bool run_once(weft_window *window, MPI_Comm comm, int run, size_t numbers);

#endif
