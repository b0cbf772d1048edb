/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks at the end of a tool that standard output was written completely. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "tools/bench/output.h"

int bench_printed(const char *tool, int status)
{
    errno = 0;
    const int unwritten = fflush(stdout);
    if (!unwritten && !ferror(stdout))
        return status;
    fprintf(stderr, "%s: the output could not be written%s%s\n", tool, unwritten ? ": " : "",
            unwritten ? strerror(errno) : "");
    return status ? status : 1;
}
