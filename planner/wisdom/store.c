/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The decisions that this process knows: an array of entries in the order of arrival, and a hash
 * table of their numbers, since wisdom files may come from many programs and have thousands of
 * lines. One lock protects both.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/digest.h"
#include "kernels/base/error.h"
#include "planner/wisdom/wisdom.h"

typedef struct {
    char *key, *decision; /* in one allocation, the key first; key NULL: the entry was dropped */
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    size_t count, room;
    entry *entry;
    size_t slots; /* a power of two above `room`; 0: the store is empty */
    size_t *slot; /* the number of an entry, from 1; 0: the slot is free. An entry is in the first
                     slot, from its digest on, that was free */
} known;

/* Finds an entry; NULL: the key is not known. The caller holds the lock. */
static entry *find(const char *key)
{
    if (known.slots == 0)
        return NULL;
    for (size_t at = weft_digest_bytes(key, strlen(key));; at++) {
        const size_t number = known.slot[at & (known.slots - 1)];
        if (number == 0)
            return NULL;
        entry *it = &known.entry[number - 1];
        if (it->key && strcmp(it->key, key) == 0)
            return it;
    }
}

static void append(entry added)
{
    size_t at = weft_digest_bytes(added.key, strlen(added.key));
    while (known.slot[at & (known.slots - 1)])
        at++;
    known.entry[known.count++] = added;
    known.slot[at & (known.slots - 1)] = known.count;
}

/* Makes space for one more entry, and removes dropped entries when it grows the arrays. */
static bool make_room(void)
{
    if (known.count < known.room)
        return true;
    size_t live = 0, slots = 128;
    for (size_t i = 0; i < known.count; i++)
        live += known.entry[i].key != NULL;
    while (slots < 4 * (live + 1))
        slots *= 2;
    entry *entries = malloc(slots / 2 * sizeof *entries), *old = known.entry;
    size_t *slot = calloc(slots, sizeof *slot), count = known.count;
    if (!entries || !slot) {
        free(entries);
        free(slot);
        return false;
    }
    free(known.slot);
    known.count = 0, known.room = slots / 2, known.entry = entries, known.slots = slots,
    known.slot = slot;
    for (size_t i = 0; i < count; i++)
        if (old[i].key)
            append(old[i]);
    free(old);
    return true;
}

bool weft_wisdom_put(const char *key, const char *decision)
{
    const size_t length = strlen(key) + 1, bytes = strlen(decision) + 1;
    entry added = {.key = malloc(length + bytes)};
    pthread_mutex_lock(&lock);
    entry *old = find(key);
    const bool ok = added.key && (old || make_room());
    if (ok) {
        memcpy(added.key, key, length);
        added.decision = memcpy(added.key + length, decision, bytes);
        if (old) {
            free(old->key);
            *old = added;
        } else {
            append(added);
        }
    }
    pthread_mutex_unlock(&lock);
    if (!ok) {
        weft_error("no memory for wisdom");
        free(added.key);
    }
    return ok;
}

char *weft_wisdom_find(const char *key)
{
    pthread_mutex_lock(&lock);
    const entry *found = find(key);
    char *copy = found ? strdup(found->decision) : NULL;
    pthread_mutex_unlock(&lock);
    return copy;
}

bool weft_wisdom_begins(const char *text, size_t length)
{
    bool any = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; !any && i < known.count; i++)
        any = known.entry[i].key && strncmp(known.entry[i].key, text, length) == 0;
    pthread_mutex_unlock(&lock);
    return any;
}

void weft_wisdom_drop(const char *key)
{
    pthread_mutex_lock(&lock);
    entry *old = find(key);
    if (old) {
        free(old->key);
        old->key = NULL;
    }
    pthread_mutex_unlock(&lock);
}

void weft_wisdom_forget(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < known.count; i++)
        free(known.entry[i].key);
    free(known.entry);
    free(known.slot);
    memset(&known, 0, sizeof known);
    pthread_mutex_unlock(&lock);
}

void weft_wisdom_visit(void (*visit)(const char *key, const char *decision, void *argument),
                       void *argument)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < known.count; i++)
        if (known.entry[i].key)
            visit(known.entry[i].key, known.entry[i].decision, argument);
    pthread_mutex_unlock(&lock);
}
