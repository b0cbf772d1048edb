/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the arrays between the steps of a schedule lie: in the user's output array, when there is
 * room and nobody is reading it, or in one of two parts of the workspace.
 */
#ifndef WEFT_BUFFERS_H
#define WEFT_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>

enum { WEFT_MAX_STEPS = 128 };

/* WEFT_WINDOW: the ranks' parts of memory that they share, see backends/window.h. */
typedef enum { WEFT_IN, WEFT_OUT, WEFT_WORK_A, WEFT_WORK_B, WEFT_WINDOW } weft_place;

typedef struct {
    int steps; /* step i reads array i and writes array i + 1 */
    bool is_exchange[WEFT_MAX_STEPS];
    bool remote[WEFT_MAX_STEPS]; /* an exchange through a window: what it reads and what it writes
                                    is there */
    bool fused[WEFT_MAX_STEPS];  /* an exchange between two passes, which may spare it the own piece
                                  */
    size_t bytes[WEFT_MAX_STEPS + 1];  /* of the arrays, of the largest part that any rank has */
    bool fits_out[WEFT_MAX_STEPS + 1]; /* there is room in the output array, on all ranks */
    bool fits_in[WEFT_MAX_STEPS + 1];
    bool in_place;
    bool may_destroy;
    size_t room; /* workspace that a process may well have */
} weft_flow;

typedef struct {
    weft_place place[WEFT_MAX_STEPS + 1];
    bool leave_own[WEFT_MAX_STEPS]; /* the pass before writes the own piece into the array after
                                       this exchange */
} weft_buffers;

/* The best arrangement: that goes beyond the room the least, then moves the fewest own pieces in
 * exchanges, then has the least workspace. Pure, and the same on all ranks when the flow is. */
weft_buffers weft_buffers_arrange(const weft_flow *flow);

#endif
