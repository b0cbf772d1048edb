/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring buffer of events, and the labels. Equal plans share labels, so a program that makes the
 * same plans again and again does not use up the labels. Several threads record events at once:
 * each takes the next entry of the ring. */
#include "kernels/base/events.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EVENTS = 1 << 17, LABELS = 2048 };

typedef struct {
    int64_t begin, end;
    int label, thread;
} event;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the labels */
static weft_event_label *label;
static int labels;
static event *ring;
static _Atomic long long noted;
static atomic_int threads;
static _Thread_local int thread; /* number of this thread; 0: not yet assigned */

bool weft_events_open(void)
{
    pthread_mutex_lock(&lock);
    if (!ring)
        ring = calloc(EVENTS, sizeof *ring);
    if (!label)
        label = calloc(LABELS, sizeof *label);
    const bool ok = ring && label;
    pthread_mutex_unlock(&lock);
    return ok;
}

static bool same(const weft_event_label *a, const weft_event_label *b)
{
    return a->category == b->category && strcmp(a->name, b->name) == 0 &&
           strcmp(a->plan, b->plan) == 0 && strcmp(a->backend, b->backend) == 0 &&
           strcmp(a->about, b->about) == 0 && a->bytes == b->bytes && a->messages == b->messages;
}

int weft_event_label_of(const weft_event_label *that)
{
    int number = 0;
    pthread_mutex_lock(&lock);
    while (number < labels && !same(&label[number], that))
        number++;
    if (number == labels && label && labels < LABELS)
        label[labels++] = *that;
    number = number < labels ? number + 1 : 0;
    pthread_mutex_unlock(&lock);
    return number;
}

int64_t weft_event_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void weft_event_record(int number, int64_t begin)
{
    if (number == 0)
        return;
    if (thread == 0)
        thread = atomic_fetch_add(&threads, 1) + 1;
    ring[atomic_fetch_add(&noted, 1) % EVENTS] =
        (event){.begin = begin, .end = weft_event_clock(), .label = number, .thread = thread};
}

void weft_events_clear(void)
{
    atomic_store(&noted, 0);
}

long long weft_events_dropped(void)
{
    const long long all = atomic_load(&noted);
    return all > EVENTS ? all - EVENTS : 0;
}

void weft_events_write_string(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++) {
        const unsigned char letter = (unsigned char)*text; /* or a byte of UTF-8 */
        if (letter < ' ' || letter == 127 || letter == '"' || letter == '\\')
            fprintf(file, "\\u%04x", letter);
        else
            putc(letter, file);
    }
    putc('"', file);
}

/* Writes a time in microseconds, with a decimal point in every locale. */
static void write_time(FILE *file, const char *name, int64_t nanoseconds)
{
    const int64_t size = nanoseconds < 0 ? -nanoseconds : nanoseconds;
    fprintf(file, ", \"%s\": %s%lld.%03d", name, nanoseconds < 0 ? "-" : "",
            (long long)(size / 1000), (int)(size % 1000));
}

static void write_arguments(FILE *file, const weft_event_label *it)
{
    fputs(", \"args\": {\"plan\": ", file);
    weft_events_write_string(file, it->plan);
    if (it->backend[0]) {
        fputs(", \"backend\": ", file);
        weft_events_write_string(file, it->backend);
        fprintf(file, ", \"messages\": %d", it->messages);
    }
    if (it->bytes >= 0)
        fprintf(file, ", \"bytes\": %.0f", it->bytes);
    if (it->about[0]) {
        fputs(", \"about\": ", file);
        weft_events_write_string(file, it->about);
    }
    fputs("}}", file);
}

void weft_events_write(FILE *file, int rank, int64_t zero)
{
    const long long all = atomic_load(&noted);
    for (long long i = weft_events_dropped(); i < all; i++) {
        const event *that = &ring[i % EVENTS];
        const weft_event_label *its = &label[that->label - 1];
        fprintf(file, ",\n{\"name\": ");
        weft_events_write_string(file, its->name);
        fprintf(file, ", \"cat\": \"%s\", \"ph\": \"X\", \"pid\": %d, \"tid\": %d", its->category,
                rank, that->thread);
        write_time(file, "ts", that->begin - zero);
        write_time(file, "dur", that->end - that->begin);
        write_arguments(file, its);
    }
}
