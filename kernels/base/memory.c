/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for large arrays, on huge pages: passes walk the arrays in long strides, which is slow on
 * small pages. */
#include "kernels/base/memory.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "kernels/base/clock.h"
#include "kernels/base/error.h"

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

/* Seconds for which an answer of the system stays valid. A query takes 10 to 50 us, as long as
 * making a small plan, and a program that makes plans at every step would query twice each time. */
static const double GOOD_FOR = 0.1;

void *weft_new(size_t count, size_t size, const char *what)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (!memory)
        weft_error("no memory for %s: %zu bytes", what, count * size);
    return memory;
}

void *weft_memory_allocate(size_t bytes)
{
    void *memory = NULL;
    const bool large = bytes >= 2 * HUGE_PAGE;
    if (posix_memalign(&memory, large ? HUGE_PAGE : PAGE, bytes > 0 ? bytes : 1) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (large)
        (void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

char *weft_memory_map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Bytes of the machine's memory; 0: unknown. */
typedef struct {
    unsigned long long total, available;
} amounts;

static amounts ask(void)
{
    unsigned long long total = 0, available = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && (!total || !available) && fgets(line, sizeof line, file))
        if (sscanf(line, "MemTotal: %llu", &total) != 1)
            (void)sscanf(line, "MemAvailable: %llu", &available);
    if (file)
        fclose(file);
    return (amounts){total * 1024, available * 1024};
}

static amounts ask_again(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static double when = -1; /* before any time of the clock */
    static amounts last;
    pthread_mutex_lock(&lock);
    const double now = weft_clock();
    if (now - when > GOOD_FOR || now < when) {
        last = ask();
        when = now;
    }
    const amounts answer = last;
    pthread_mutex_unlock(&lock);
    return answer;
}

size_t weft_memory_to_keep(void)
{
    const unsigned long long most = 256ULL << 20;
    const amounts now = ask_again();
    const unsigned long long share = now.total / 16;
    if (now.available < now.total / 4)
        return 0;
    return (size_t)(share < most ? share : most);
}

uint64_t weft_memory_available(void)
{
    const amounts now = ask_again();
    return now.available > 0 ? now.available : UINT64_MAX;
}
