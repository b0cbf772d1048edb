/* SPDX-License-Identifier: BSD-3-Clause */
/* Streaming stores against memcpy, rows of any length to anywhere; nothing beside them is written.
 */
#include <string.h>
#include "kernels/copy/stream.h"
#include "tests/unit/copies.h"
#include "tests/unit/harness.h"

enum { CAPACITY = 14000 };

static unsigned char from[CAPACITY], to[CAPACITY], expected[CAPACITY];

static void fill(void)
{
    copy_pattern(from, CAPACITY);
}

static void spoil(void)
{
    memset(to, 3, CAPACITY);
    memset(expected, 3, CAPACITY);
}

TEST(streaming_rows_of_any_alignment_and_length, .setup = fill)
{
    for (size_t bytes = 0; bytes < 300; bytes++)
        for (size_t at = 0; at < 70; at += 3) {
            spoil();
            memcpy(expected + at, from + bytes % 64, bytes);
            weft_stream_copy(to + at, from + bytes % 64, bytes);
            weft_stream_fence();
            ck_assert_mem_eq(to, expected, CAPACITY);
        }
}

/* So many rows, each so far behind the one before it. */
static void check_rows(size_t at, size_t to_step, size_t from_at, size_t from_step, size_t bytes,
                       size_t rows)
{
    spoil();
    for (size_t row = 0; row < rows; row++)
        memcpy(expected + at + row * to_step, from + from_at + row * from_step, bytes);
    weft_stream_rows(to + at, (ptrdiff_t)to_step, from + from_at, (ptrdiff_t)from_step, bytes,
                     rows);
    weft_stream_fence();
    ck_assert_mem_eq(to, expected, CAPACITY);
}

TEST(streaming_rows_apart_equal_single_copies, .setup = fill)
{
    for (size_t bytes = 0; bytes <= 190; bytes += 19)
        check_rows(5, 200, 0, 100, bytes, 70);
}

/* Rows that follow each other in the target share lines of it. */
TEST(streaming_rows_one_after_another_equal_single_copies, .setup = fill)
{
    for (size_t bytes = 0; bytes <= 400; bytes++)
        for (size_t at = 0; at < 70; at += 5)
            check_rows(at, bytes, 7, 500, bytes, 9);
}
