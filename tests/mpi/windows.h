/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows under watch: how many are made and freed is counted, and there can be no memory for them.
 * In a run ranks write numbers that nobody else would, and look for those of the others.
 */
#ifndef WINDOWS_H
#define WINDOWS_H

#include <check.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "backends/memory/window.h"

extern int windows_made, windows_freed;
/* The exit status of a program whose suite ended with `status`: all that were made must be freed.
 */
int windows_status(int status);
/* On this rank: shared memory is all but full, or cannot be had. */
extern bool no_room, no_memory;
/* What Weft says then; compiled with ALONE, MPI sees no nodes (tests/mpi/alone.c). */
#ifdef ALONE
#define NO_ROOM "cannot be mapped"
enum { MADE_FOR_ONE = 2 }; /* that, and before it one to try */
#else
#define NO_ROOM "bytes free, but shared memory needs"
enum { MADE_FOR_ONE = 1 };
#endif

void write_part(uint32_t *part, int writer, int run, size_t numbers);
bool holds(const uint32_t *part, int writer, int run, size_t numbers);

/* One run in which every rank of comm reads what every other wrote, twice: whether it was right. */
bool run_once(weft_window *window, MPI_Comm comm, int run, size_t numbers);

/* The tests of waiting, without a window around it. */
void add_barriers(TCase *tests);

#endif
