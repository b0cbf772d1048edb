/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the process that prints, checks its output, and reads lines of files in /proc and /sys. */
#include "tools/bench/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *bench_variable(const char *const *name, size_t names)
{
    const char *value = NULL;
    for (size_t i = 0; !value && i < names; i++)
        value = getenv(name[i]);
    return value;
}

bool bench_line_of(const char *name, const char *beginning, char *text, size_t capacity)
{
    FILE *file = fopen(name, "re");
    bool found = false;
    while (file && !found && fgets(text, (int)capacity, file))
        found = strncmp(text, beginning, strlen(beginning)) == 0;
    if (file)
        fclose(file);
    text[found ? strcspn(text, "\n") : 0] = '\0';
    return found;
}

bool bench_is_first(void)
{
    static const char *const rank[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                       "SLURM_PROCID"};
    const char *number = bench_variable(rank, sizeof rank / sizeof *rank);
    return !number || strcmp(number, "0") == 0;
}

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
