/* SPDX-License-Identifier: BSD-3-Clause */
/* Which process prints, and whether all that it printed was written. */
#include "tools/bench/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bench_is_first(void)
{
    static const char *const rank[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                       "SLURM_PROCID"};
    const char *number = NULL;
    for (size_t i = 0; !number && i < sizeof rank / sizeof *rank; i++)
        number = getenv(rank[i]);
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
