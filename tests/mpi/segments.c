/* SPDX-License-Identifier: BSD-3-Clause */
/* Linked with SEGMENT_WRAPS (tests/Makefile.inc): counts Weft's segments of shared memory, and
 * refuses them on demand. */
#include "tests/mpi/segments.h"
#include "backends/exchange/segment.h"
#include "kernels/base/error.h"
#include "kernels/base/memory.h"

int segments_made, segments_closed, segments_asked;
bool segments_refused, memory_is_short, threads_at_once;

bool __real_weft_segment_open(MPI_Comm comm, size_t bytes, weft_segment *segment);
bool __wrap_weft_segment_open(MPI_Comm comm, size_t bytes, weft_segment *segment);
void __real_weft_segment_close(weft_segment *segment);
void __wrap_weft_segment_close(weft_segment *segment);
uint64_t __real_weft_memory_available(void);
uint64_t __wrap_weft_memory_available(void);
bool __real_weft_threads_at_once(void);
bool __wrap_weft_threads_at_once(void);

bool __wrap_weft_segment_open(MPI_Comm comm, size_t bytes, weft_segment *segment)
{
    segments_asked++;
    if (segments_refused) {
        *segment = (weft_segment){.base = NULL};
        weft_error("the test refuses shared memory");
        return false;
    }
    const bool made = __real_weft_segment_open(comm, bytes, segment);
    segments_made += made;
    return made;
}

void __wrap_weft_segment_close(weft_segment *segment)
{
    segments_closed += segment->base != NULL;
    __real_weft_segment_close(segment);
}

uint64_t __wrap_weft_memory_available(void)
{
    return memory_is_short ? 4096 : __real_weft_memory_available();
}

bool __wrap_weft_threads_at_once(void)
{
    return threads_at_once || __real_weft_threads_at_once();
}
