/* SPDX-License-Identifier: BSD-3-Clause */
/* The last error: each thread has a buffer, so that reporting a failure allocates nothing. This
 * file also remembers which sentences were printed, so that a program with many plans prints each
 * once. Each thread reports its progress by itself, because several may make plans at once. */
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "kernels/base/clock.h"
#include "kernels/base/digest.h"
#include "kernels/base/error.h"

enum {
    LONGEST = 1024,
    MOST_SAID = 64 /* after so many sentences weft_print_once prints nothing */
};

static _Thread_local char last[LONGEST];
static _Thread_local bool environment;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t said[MOST_SAID];
static int sayings;

bool weft_error(const char *format, ...)
{
    char text[LONGEST]; /* `arguments` may point into `last` */
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(last, text, sizeof text);
    environment = false;
    return false;
}

const char *weft_error_text(void)
{
    return last;
}

void weft_error_clear(void)
{
    last[0] = '\0';
    environment = false;
}

bool weft_error_blame_environment(void)
{
    environment = true;
    return false;
}

bool weft_error_is_environment(void)
{
    return environment;
}

static bool enter(const char *text)
{
    const uint64_t digest = weft_digest_bytes(text, strlen(text));
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < sayings && said[i] != digest)
        i++;
    const bool is_new = i == sayings && sayings < MOST_SAID;
    if (is_new)
        said[sayings++] = digest;
    pthread_mutex_unlock(&lock);
    return is_new;
}

void weft_print_once(const char *format, ...)
{
    char text[LONGEST];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (enter(text))
        fprintf(stderr, "weft: %s\n", text);
}

static const double now_and_then = 3; /* seconds */

static _Thread_local const char *planned;
static _Thread_local double begun, reported;

void weft_progress_begin(const char *name, double begin)
{
    planned = name;
    begun = reported = begin;
}

void weft_progress(const char *format, ...)
{
    char text[200];
    va_list arguments;
    const double now = planned ? weft_clock() : 0;
    if (!planned || now - reported < now_and_then)
        return;
    reported = now;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "weft: planning %s for %.0f s: %s\n", planned, now - begun, text);
}

static char host[64];
static pthread_once_t asked = PTHREAD_ONCE_INIT;

static void ask_for_host(void)
{
    if (gethostname(host, sizeof host - 1) != 0 || !host[0])
        strcpy(host, "without a name");
}

const char *weft_host(void)
{
    pthread_once(&asked, ask_for_host);
    return host;
}
