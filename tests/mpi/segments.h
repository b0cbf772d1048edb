/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SEGMENTS_H
#define SEGMENTS_H

#include <stdbool.h>

/* Numbers of segments that this process asked for, got and closed. */
extern int segments_asked, segments_made, segments_closed;
/* Makes weft_segment_open fail; the test sets it on all ranks of a communicator. */
extern bool segments_refused;
/* Pretends that the machine of this rank has one page of memory left. */
extern bool memory_is_short;
/* Says that several threads may run plans at once. */
extern bool threads_at_once;

#endif
