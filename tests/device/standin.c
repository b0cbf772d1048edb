/* SPDX-License-Identifier: BSD-3-Clause */
/* The stand-in's table of functions, its settings, and its report at the end. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/device/inside.h"

standin_settings standin_is;
struct standin_traffic standin_traffic;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t random_state = 1;
static long calls;
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
    if (calls != standin_is.fail && (standin_is.fail_from == 0 || calls < standin_is.fail_from))
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
    standin_is.fail = n && !on ? calls + n : 0;
    standin_is.fail_from = n && on ? calls + n : 0;
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
    if (standin_is.no_driver)
        return standin_fails("there is no driver on this machine");
    return !standin_is.old || standin_fails("the driver is too old");
}

/* Messages: tests make MPI accept this memory (tests/mpi/twins-mpi.c). */

static bool reported;

static void mpi_knows(bool knows)
{
    reported = knows;
}

static void refuse_peers(bool refuse)
{
    standin_is.no_peers = refuse;
}

static bool mpi_reaches(void *(*function)(const char *name))
{
    return reported && function("MPI_Isend") && !function("MPI_Of_nobody");
}

static void *inside(const void *array)
{
    STANDIN_LOCKED;
    const standin_memory *it = standin_memory_find(array);
    if (it && it->released)
        standin_die("a message of released memory");
    return it ? standin_inside(it, array) : (void *)array;
}

/* Leaks. */

static int left(void)
{
    STANDIN_LOCKED;
    return standin_memory_left() + standin_queue_left() + standin_transforms_left();
}

static int waiting(void)
{
    STANDIN_LOCKED;
    return standin_queue_waiting();
}

static struct standin_traffic traffic(void)
{
    STANDIN_LOCKED;
    return standin_traffic;
}

__attribute__((destructor)) static void finish(void)
{
    if (standin_is.ignore_leaks)
        return;
    int transforms = standin_transforms_left();
    if (standin_memory_left() + standin_queue_left() + standin_queue_waiting() + transforms == 0)
        return;
    standin_memory_complain();
    standin_queue_complain();
    if (transforms)
        fprintf(stderr, "stand-in device: %d transforms are not destroyed\n", transforms);
    fflush(NULL);
    _exit(STANDIN_LEFT);
}

/* Settings. */

static bool is_set(const char *name, const char *value)
{
    const char *text = getenv(name);
    return text && strcmp(text, value) == 0;
}

__attribute__((constructor)) static void start(void)
{
    const char *bytes = getenv("STANDIN_BYTES");
    standin_is = (standin_settings){
        .bytes = bytes ? strtoull(bytes, NULL, 10) : 1u << 30,
        .no_transforms = is_set("STANDIN_REFUSE", "transforms"),
        .no_driver = is_set("STANDIN_REFUSE", "driver"),
        .old = is_set("STANDIN_REFUSE", "old"),
        .ignore_leaks = is_set("STANDIN_LEAKS", "ignore"),
    };
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
