/* SPDX-License-Identifier: BSD-3-Clause */
/* What is written into a text is what printf would have written, and is cut and ended. */
#include "kernels/base/text.h"
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "tests/unit/harness.h"

/* Into rooms of all sizes, after something that is there already. */
#define SAME_AS_PRINTF(...)                                                                        \
    for (size_t capacity = 1; capacity < 200; capacity++) {                                        \
        char wanted[200] = "+", text[200];                                                         \
        snprintf(wanted + (capacity > 1), capacity - (capacity > 1), __VA_ARGS__);                 \
        memset(text, '#', sizeof text);                                                            \
        weft_writer to = weft_write_to(text, capacity);                                            \
        weft_write(&to, "+");                                                                      \
        weft_write(&to, __VA_ARGS__);                                                              \
        if (capacity == 1)                                                                         \
            wanted[0] = '\0';                                                                      \
        ck_assert_str_eq(text, wanted);                                                            \
        ck_assert_uint_eq(to.used, strlen(wanted));                                                \
        ck_assert_int_eq(text[capacity], '#');                                                     \
    }

TEST(as_printf_does)
{
    SAME_AS_PRINTF("nothing to fill in");
    SAME_AS_PRINTF("%s, %s and%s", "a word", "", " more");
    SAME_AS_PRINTF("%d %d %d %d", 0, -7, INT_MAX, INT_MIN);
    SAME_AS_PRINTF("%td%td x%td", (ptrdiff_t)0, PTRDIFF_MAX, PTRDIFF_MIN);
    SAME_AS_PRINTF("%s%td%s%d", "x", (ptrdiff_t)1048576, "y", 10);
    SAME_AS_PRINTF("%5d|%-6s|%08x|%.3e|%g", 3, "abc", 255U, 0.00012345, 2.5);
    SAME_AS_PRINTF("100%% of %d %zu %ld %c", 5, sizeof(int), 9L, 'c');
}
