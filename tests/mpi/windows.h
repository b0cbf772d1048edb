/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows whose segments segments.h counts, and whose memory can be missing on demand. In a run
 * each rank writes numbers that no other rank writes, and looks for the numbers of the others.
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
/* On this rank: mapping files fails; the system has no free pages. */
extern bool no_addresses, no_memory;

/* Collective: opens a window, which must succeed. */
weft_window *opened(MPI_Comm comm, size_t bytes);
void write_part(uint32_t *part, int writer, int run, size_t numbers);
bool holds(const uint32_t *part, int writer, int run, size_t numbers);

/* Does one run in which every rank of comm reads the numbers of every other rank, twice. Returns
 * whether all were right. */
bool run_once(weft_window *window, MPI_Comm comm, int run, size_t numbers);

#endif
