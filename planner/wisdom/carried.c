/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FFTW cannot take back a single line, so records are taken out by having it forget all and read
 * the rest again.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "planner/wisdom/carried.h"
#include "planner/wisdom/serial.h"

/* Estimated, so that no number is touched; known by wisdom alone unless it is being made. */
static FFTW(plan) plan_marker(uint64_t key, unsigned flags)
{
    static _Alignas(64) weft_real from[2], to[2];
    ptrdiff_t part[4];
    for (int i = 0; i < 4; i++)
        part[i] = ((ptrdiff_t)1 << (20 + 2 * i)) + (ptrdiff_t)(key >> 16 * i & 0xffff);
    const FFTW(iodim64) loop[2] = {{2, part[0], part[1]}, {3, part[2], part[3]}};
    return FFTW(plan_guru64_r2r)(0, NULL, 2, loop, from, to, NULL, FFTW_ESTIMATE | flags);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t *met; /* the keys whose records this process has found or added */
static size_t count;

static size_t place_of(uint64_t key)
{
    size_t i = 0;
    while (i < count && met[i] != key)
        i++;
    return i;
}

/* Without memory it is only forgotten that there is something to be forgotten. */
static void remember(uint64_t key)
{
    pthread_mutex_lock(&lock);
    uint64_t *larger = place_of(key) == count ? realloc(met, (count + 1) * sizeof *met) : NULL;
    if (larger) {
        met = larger;
        met[count++] = key;
    }
    pthread_mutex_unlock(&lock);
}

bool weft_carried(uint64_t key)
{
    FFTW(plan) marker = plan_marker(key, FFTW_WISDOM_ONLY);
    if (marker)
        FFTW(destroy_plan)(marker);
    return marker != NULL;
}

bool weft_carried_lost(uint64_t key)
{
    pthread_mutex_lock(&lock);
    const size_t place = place_of(key);
    const bool was = place < count;
    pthread_mutex_unlock(&lock);
    if (!was || weft_carried(key))
        return false;
    pthread_mutex_lock(&lock);
    if (place < count && met[place] == key)
        met[place] = met[--count];
    pthread_mutex_unlock(&lock);
    return true;
}

bool weft_carried_find(uint64_t key, int rigor, weft_record *record)
{
    char *text = weft_carried(key) ? weft_serial_export() : NULL;
    const bool found = text && weft_record_find(text, key, rigor, record);
    free(text);
    if (found)
        remember(key);
    return found;
}

/* FFTW's first line says for which FFTW its wisdom is, the rest is ours. */
static bool import(const char *lines)
{
    char *own = weft_serial_export(), *text = NULL;
    bool ok = own && asprintf(&text, "%.*s\n%s)\n", (int)strcspn(own, "\n"), own, lines) >= 0;
    ok = ok && weft_serial_import(text);
    free(text);
    free(own);
    return ok;
}

bool weft_carried_add(uint64_t key, const char *lines)
{
    if (!import(lines))
        return false;
    FFTW(plan) marker = plan_marker(key, 0);
    if (!marker)
        return false;
    FFTW(destroy_plan)(marker);
    remember(key);
    return true;
}

void weft_carried_forget(void)
{
    char *text = weft_serial_export();
    if (text && weft_records_remove(text))
        weft_serial_replace(text);
    free(text);
    pthread_mutex_lock(&lock);
    count = 0;
    pthread_mutex_unlock(&lock);
}
