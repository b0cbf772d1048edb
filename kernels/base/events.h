/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace of this process: events with a label, a begin and an end, in a ring buffer that keeps the
 * last ones. Recording an event costs one read of the clock and 24 bytes. Without a trace labels
 * are 0 and nothing is recorded.
 */
#ifndef WEFT_EVENTS_H
#define WEFT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    /* "plan", "pass", "exchange" or "wait"; the text is not copied. */
    const char *category;
    char name[64];
    char plan[256];
    char backend[24]; /* name of the backend, or "" */
    char about[512];
    double bytes; /* negative: unknown */
    int messages;
} weft_event_label;

/* Allocates the ring and the labels, once; returns false without memory. */
bool weft_events_open(void);
/* The number of a label; equal labels have the same number. 0: there is no trace, or no space for
 * another label. */
int weft_event_label_of(const weft_event_label *label);
/* Nanoseconds of CLOCK_MONOTONIC. */
int64_t weft_event_clock(void);
/* Records an event that began at `begin` and ends now. */
void weft_event_record(int label, int64_t begin);

/* Removes all events from the ring. */
void weft_events_clear(void);
/* Number of events that the ring has overwritten. */
long long weft_events_dropped(void);
/* Writes the events as elements of a JSON array, each after a comma. Times count from `zero`. */
void weft_events_write(FILE *file, int rank, int64_t zero);
/* Writes a JSON string with its quotes. */
void weft_events_write_string(FILE *file, const char *text);

#endif
