/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text as a file of results, for weft-bench --plot; what is read can be written between quotes
 * in gnuplot's script. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tools/json.h"
#include "tools/bench/plot.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static plot_results results;
static char name[64]; /* of the file, which is one of memory */
static int file;
static FILE *nowhere;

static void must(bool ok)
{
    if (!ok)
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    file = memfd_create("results", 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    nowhere = fopen("/dev/null", "w");
    must(file >= 0 && nowhere);
    return 0;
}

static void must_be_safe(const char *word)
{
    for (; *word; word++)
        must(isalnum((unsigned char)*word) || strchr(" ._-+*/:,()@[]", *word));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[200] = "";
    must(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
    results.runs = 0;
    results.points = size % 8 ? 0 : PLOT_MOST_POINTS - 1;
    const int before = results.points;
    if (!plot_read(name, &results, error, sizeof error)) {
        must(error[0] && results.runs == 0);
        return 0;
    }
    const plot_run *run = &results.run[0];
    must(results.runs == 1 && results.points > before && results.points <= PLOT_MOST_POINTS);
    must_be_safe(run->processor);
    must_be_safe(run->mpi);
    must_be_safe(run->rigor);
    must_be_safe(run->timed);
    for (int i = before; i < results.points; i++) {
        must_be_safe(results.point[i].name);
        must_be_safe(results.point[i].by);
        must(results.point[i].milliseconds > 0);
    }
    if (before == 0)
        plot_script(nowhere, &results, "picture.svg", "svg");
    return 0;
}
