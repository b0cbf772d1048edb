/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the files of Weft's libraries from a tool of the same build or installation. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tools/bench/path.h"

void bench_library_path(const char *name, char *path, size_t capacity)
{
    static const char *const beside[] = {"/.libs/", "/../.libs/", "/../lib/"};
    char program[512];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    if (strrchr(program, '/'))
        *strrchr(program, '/') = '\0';
    for (size_t i = 0; length > 0 && i < sizeof beside / sizeof beside[0]; i++) {
        snprintf(path, capacity, "%s%s%s", program, beside[i], name);
        if (access(path, R_OK) == 0)
            return;
    }
    snprintf(path, capacity, "%s/%s", WEFT_LIBDIR, name);
}
