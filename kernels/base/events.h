/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace of what this process does: events, each with a label and two times, in a ring that keeps
 * the last ones. To note one takes a look at the clock and 24 bytes; without a trace labels are 0,
 * and nobody notes anything.
 */
#ifndef WEFT_EVENTS_H
#define WEFT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    const char *category; /* "plan", "pass", "exchange", "wait": not copied */
    char name[64];
    char plan[256];
    char backend[24]; /* "": none */
    char about[512];
    double bytes; /* negative: not told */
    int messages;
} weft_event_label;

/* Makes room for events, once; false: no memory. */
bool weft_events_open(void);
/* The number of a label, the same for the same; 0: there is no trace, or no room for another. */
int weft_event_label_of(const weft_event_label *label);
/* Nanoseconds of CLOCK_MONOTONIC. */
int64_t weft_event_clock(void);
/* What has begun then ends now. */
void weft_event_note(int label, int64_t begin);

/* Events that the ring has lost. */
long long weft_events_dropped(void);
/* Writes the events as members of an array of JSON, each after a comma; `zero` is the moment from
 * which times count. */
void weft_events_write(FILE *file, int rank, int64_t zero);
/* A string of JSON, with its quotes. */
void weft_events_write_string(FILE *file, const char *text);

#endif
