/* SPDX-License-Identifier: BSD-3-Clause */
/* The stand-in's table of functions, its settings, and its report at the end. */
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/device/inside.h"

uint64_t standin_bytes;
bool standin_no_peers;
struct standin_traffic standin_traffic;
int standin_count[STANDIN_KINDS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t random_state = 1;
static long calls;
static long first_failure, last_failure; /* numbers of the calls that fail; 0: none does */
static bool mpi_accepts;
static _Thread_local int current;
static _Thread_local char reason[256];

void standin_lock(void)
{
    pthread_mutex_lock(&lock);
}

void standin_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

unsigned standin_random(unsigned below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % below;
}

void standin_die(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fputs("stand-in device: ", stderr);
    vfprintf(stderr, format, values);
    fputs("\n", stderr);
    va_end(values);
    abort();
}

void *standin_new(size_t bytes)
{
    void *it = calloc(1, bytes);
    if (!it)
        standin_die("no memory for its own account");
    return it;
}

/* Failures. */

bool standin_fails(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(reason, sizeof reason, format, values);
    va_end(values);
    return false;
}

bool standin_goes(const char *call)
{
    calls++;
    if (!first_failure || calls < first_failure || calls > last_failure)
        return true;
    return standin_fails("%s: call %ld fails on demand", call, calls);
}

static const char *why(void)
{
    return reason;
}

static void fail(long n, bool on)
{
    STANDIN_LOCKED;
    first_failure = n ? calls + n : 0;
    last_failure = on ? LONG_MAX : first_failure;
}

static long calls_so_far(void)
{
    return calls;
}

static void seed(unsigned number)
{
    STANDIN_LOCKED;
    random_state = number;
    standin_random(2);
}

bool standin_refuses(const char *what)
{
    const char *refused = getenv("STANDIN_REFUSE");
    return refused && strcmp(refused, what) == 0;
}

/* Devices. */

static int count(void)
{
    return STANDIN_DEVICES;
}

int standin_current(void)
{
    return current;
}

static bool use(int device)
{
    if (device < 0 || device >= STANDIN_DEVICES)
        return standin_fails("use: there is no device %d", device);
    STANDIN_LOCKED;
    if (!standin_goes("use"))
        return false;
    current = device;
    return true;
}

static const char *describe(int device)
{
    (void)device;
    return "stand-in";
}

static bool usable(int device)
{
    if (device < 0 || device >= STANDIN_DEVICES)
        return standin_fails("there is no device %d", device);
    if (standin_refuses("driver"))
        return standin_fails("there is no driver on this machine");
    return !standin_refuses("old") || standin_fails("the driver is too old");
}

/* Messages: tests make MPI accept this memory (tests/mpi/twins-mpi.c). */

static void mpi_knows(bool knows)
{
    mpi_accepts = knows;
}

static void refuse_peers(bool refuse)
{
    standin_no_peers = refuse;
}

static bool mpi_reaches(void *(*function)(const char *name))
{
    return mpi_accepts && function("MPI_Isend") && !function("MPI_Of_nobody");
}

static void *inside(const void *array)
{
    STANDIN_LOCKED;
    const standin_memory *it = standin_memory_find(array);
    if (it && it->released)
        standin_die("a message of released memory");
    return it ? it->inside + ((const char *)array - it->outside) : (void *)array;
}

/* Leaks. */

static int left(void)
{
    STANDIN_LOCKED;
    int sum = 0;
    for (int kind = 0; kind < STANDIN_WAITING; kind++)
        sum += standin_count[kind];
    return sum;
}

static int waiting(void)
{
    STANDIN_LOCKED;
    return standin_count[STANDIN_WAITING];
}

static struct standin_traffic traffic(void)
{
    STANDIN_LOCKED;
    const struct standin_traffic since = standin_traffic;
    standin_traffic = (struct standin_traffic){0};
    return since;
}

__attribute__((destructor)) static void finish(void)
{
    static const char *const is_left[STANDIN_KINDS] = {
        "pieces of memory are not released",
        "pieces of pinned memory are not released",
        "pieces of imported memory are not closed",
        "queues are not destroyed",
        "events are not destroyed",
        "transforms are not destroyed",
        "pieces of work were never waited for",
    };
    const char *leaks = getenv("STANDIN_LEAKS");
    if ((leaks && strcmp(leaks, "ignore") == 0) || left() + waiting() == 0)
        return;
    for (int kind = 0; kind < STANDIN_KINDS; kind++)
        if (standin_count[kind])
            fprintf(stderr, "stand-in device: %d %s\n", standin_count[kind], is_left[kind]);
    fflush(NULL);
    _exit(STANDIN_LEFT);
}

__attribute__((constructor)) static void start(void)
{
    const char *bytes = getenv("STANDIN_BYTES");
    standin_bytes = bytes ? strtoull(bytes, NULL, 10) : 1u << 30;
    pthread_atfork(standin_lock, standin_unlock, standin_unlock);
}

__attribute__((visibility("default"))) const weft_standin_controls weft_standin = {
    .fail_at = fail,
    .calls = calls_so_far,
    .seed = seed,
    .left = left,
    .waiting = waiting,
    .traffic = traffic,
    .refuse_peers = refuse_peers,
    .mpi_knows = mpi_knows,
    .inside = inside,
};

#define ENTRY(its) .its = standin_##its,
__attribute__((visibility("default"))) const weft_device_library
    weft_device_library_table __asm__(WEFT_DEVICE_SYMBOL) = {.version = WEFT_DEVICE_VERSION,
                                                             .name = "stand-in",
                                                             .why = why,
                                                             .count = count,
                                                             .current = standin_current,
                                                             .use = use,
                                                             .describe = describe,
                                                             .usable = usable,
                                                             .mpi_reaches = mpi_reaches,
                                                             STANDIN_ENTRIES(ENTRY)};
