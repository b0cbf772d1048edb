/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "api/fftw3-mpi.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/twins.h"
#include "tests/mpi/variants.h"

static const variant_settings variants[] = {
    {.name = "shared", .backends = {"shared"}},
    {.name = "messages",
     .backends = {"waitall", "waitsome", "ialltoallw", "ialltoallv", "waitall:1", "pairwise"}},
    {.name = "little",
     .backends = {"auto", "waitall", "pairwise", "bruck:3", "ialltoallw", "shared", "alltoallv"},
     .flags = FFTW_CONSERVE_MEMORY,
     .machine = "l2=64K l3=1M cores=1"},
    {.name = "plugins",
     .backends = {"meeting", "meeting,shared", "turns,meeting", "shared,meeting",
                  "meeting,waitall"},
     .plugins = PLUGINS "libturns.so:" PLUGINS "libmeeting.so"},
    {.name = "device",
     .backends = {"auto", "device", "direct", "waitall", "waitsome", "alltoallv", "direct,device",
                  "bruck:3"},
     .on_device = true},
    {.name = "sessions", .backends = {"auto", "waitall", "shared"}, .in_session = true},
    {.name = "overlap", .backends = {"overlap:1"}, .machine = "l2=64K l3=1M cores=1"},
    {.name = "nodes2", .nodes = "2"},
    {.name = "nodes3", .nodes = "3"},
    {.name = "hosts",
     .backends = {"auto", "waitall", "waitsome", "pairwise", "bruck:3", "alltoallv", "ialltoallw",
                  "overlap:1"},
     .nodes = ""},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

variant_settings variant;

static void begin(void)
{
    if (variant.plugins)
        setenv("WEFT_PLUGINS", variant.plugins, 1);
    if (variant.machine)
        setenv("WEFT_MACHINE", variant.machine, 1);
    if (variant.nodes && variant.nodes[0])
        setenv("MPIR_CVAR_NUM_CLIQUES", variant.nodes, 1);
    harness_in_session = variant.in_session;
    if (!variant.on_device)
        return;
    twins_begin(STANDIN);
    twins_mpi_begin();
}

void variant_begin(int *argc, char ***argv)
{
    int which = 0;
    if (*argc < 3 || strcmp((*argv)[1], "--variant") != 0)
        return;
    while (which < VARIANTS && strcmp(variants[which].name, (*argv)[2]) != 0)
        which++;
    if (which == VARIANTS) {
        fprintf(stderr, "there is no variant %s\n", (*argv)[2]);
        exit(EXIT_FAILURE);
    }
    variant = variants[which];
    (*argv)[2] = (*argv)[0];
    *argc -= 2;
    *argv += 2;
    begin();
}

const char *variant_backend(int number)
{
    int count = 0;
    while (variant.backends[count])
        count++;
    if (count == 0)
        return NULL;
    const char *name = variant.backends[number % count];
    /* `direct` needs an MPI that takes device memory; with another MPI messages replace it */
    return strstr(name, "direct") && !twins_mpi_reaches() ? "pairwise" : name;
}

void variant_force(int number)
{
    const char *name = variant_backend(number);
    if (name)
        setenv("WEFT_BACKEND", name, 1);
}
