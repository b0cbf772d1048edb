/* SPDX-License-Identifier: BSD-3-Clause */
/* The decisions that this process knows, sorted by key, since wisdom files may come from many
 * programs and have thousands of lines. One lock protects them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "planner/wisdom/wisdom.h"

typedef struct {
    char *key, *decision; /* in one allocation, the key first */
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    size_t count, capacity;
    entry *entry;
} known;

/* The number of entries before the first whose key is not less than this text. The caller holds the
 * lock. */
static size_t place_of(const char *text)
{
    size_t low = 0, high = known.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(known.entry[middle].key, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Finds an entry; NULL: the key is not known. The caller holds the lock. */
static entry *find(const char *key)
{
    const size_t place = place_of(key);
    return place < known.count && strcmp(known.entry[place].key, key) == 0 ? &known.entry[place]
                                                                           : NULL;
}

/* Makes room for an entry at its place; NULL: no memory. */
static entry *insert(const char *key)
{
    if (known.count == known.capacity) {
        const size_t capacity = known.capacity ? 2 * known.capacity : 64;
        entry *larger = realloc(known.entry, capacity * sizeof *larger);
        if (!larger)
            return NULL;
        known.entry = larger;
        known.capacity = capacity;
    }
    entry *at = known.entry + place_of(key);
    memmove(at + 1, at, (size_t)(known.entry + known.count++ - at) * sizeof *at);
    at->key = NULL;
    return at;
}

bool weft_wisdom_put(const char *key, const char *decision)
{
    const size_t length = strlen(key) + 1, bytes = strlen(decision) + 1;
    char *text = malloc(length + bytes);
    pthread_mutex_lock(&lock);
    entry *at = text ? find(key) : NULL;
    at = at || !text ? at : insert(key);
    if (at) {
        free(at->key);
        *at = (entry){memcpy(text, key, length), memcpy(text + length, decision, bytes)};
    }
    pthread_mutex_unlock(&lock);
    if (!at) {
        weft_error("no memory for wisdom");
        free(text);
    }
    return at != NULL;
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
    char *begin = strndup(text, length);
    pthread_mutex_lock(&lock);
    const size_t place = begin ? place_of(begin) : known.count;
    const bool any = place < known.count && strncmp(known.entry[place].key, text, length) == 0;
    pthread_mutex_unlock(&lock);
    free(begin);
    return any;
}

void weft_wisdom_drop(const char *key)
{
    pthread_mutex_lock(&lock);
    entry *old = find(key);
    if (old) {
        free(old->key);
        memmove(old, old + 1, (size_t)(known.entry + --known.count - old) * sizeof *old);
    }
    pthread_mutex_unlock(&lock);
}

void weft_wisdom_forget(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < known.count; i++)
        free(known.entry[i].key);
    free(known.entry);
    memset(&known, 0, sizeof known);
    pthread_mutex_unlock(&lock);
}

void weft_wisdom_visit(void (*visit)(const char *key, const char *decision, void *argument),
                       void *argument)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < known.count; i++)
        visit(known.entry[i].key, known.entry[i].decision, argument);
    pthread_mutex_unlock(&lock);
}
