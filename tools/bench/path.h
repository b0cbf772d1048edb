/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_PATH_H
#define BENCH_PATH_H

#include <stddef.h>

/* Sets `path` to the file of a library of the same build or installation as this program, even if
 * the installation has been moved. */
void bench_library_path(const char *name, char *path, size_t capacity);

#endif
