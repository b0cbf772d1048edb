/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_PATH_H
#define BENCH_PATH_H

#include <stddef.h>

/* The file of a library of this build or installation, wherever that has been moved to. */
void bench_library_path(const char *name, char *path, size_t room);

#endif
