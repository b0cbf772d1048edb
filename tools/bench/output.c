/* SPDX-License-Identifier: BSD-3-Clause */
/* Which process prints, and whether all that it printed was written. */
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
