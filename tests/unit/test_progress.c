/* SPDX-License-Identifier: BSD-3-Clause */
/* How far planning is, is said every three seconds by the clock, while something is planned. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/clock.h"
#include "kernels/base/progress.h"
#include "tests/unit/harness.h"

static double now;

static double fake_clock(void)
{
    return now;
}

static void at(double seconds)
{
    now = seconds;
    weft_progress("at %g", seconds);
}

TEST(it_is_said_now_and_then)
{
    char said[1024] = "";
    FILE *before = stderr, *file = tmpfile();
    weft_clock_set(fake_clock);
    stderr = file;
    at(50);
    weft_progress_begin("c2c 8x8", 100);
    for (double seconds = 100; seconds < 108; seconds += 0.5)
        at(seconds);
    weft_progress_begin(NULL, 0);
    at(200);
    stderr = before;
    weft_clock_set(NULL);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    ck_assert_str_eq(said, "weft: planning c2c 8x8 for 3 s: at 103\n"
                           "weft: planning c2c 8x8 for 6 s: at 106\n");
}
