/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out what times depend on: the processor, its caches, MPI, FFTW, and on which cores ranks
 * run. */
#include <fftw3.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "backends/exchange/nodes.h"
#include "kernels/base/cache.h"
#include "tools/bench/bench.h"
#include "tools/bench/output.h"

enum { MOST_ON_NODE = 4096 };

/* Reads the "model name" of /proc/cpuinfo; "unknown" if there is none. */
static void find_processor(char *text, size_t capacity)
{
    char line[256];
    bench_line_of("/proc/cpuinfo", "model name", line, sizeof line);
    const char *value = strchr(line, ':');
    snprintf(text, capacity, "%.*s", (int)capacity - 1,
             value ? value + strspn(value, ": \t") : "unknown");
}

static void find_mpi(char *text, size_t capacity)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n,")] = '\0';
    for (char *at = version; *at; at++)
        if (*at == '\t' || *at == '"' || *at == '\\')
            *at = ' ';
    snprintf(text, capacity, "%.*s", (int)capacity - 1, version);
}

/* Whether several ranks of this node run on one core; the result is known on the node's lowest
 * rank. */
static bool crowded(MPI_Comm node)
{
    int rank, ranks, core = sched_getcpu(), cores[MOST_ON_NODE] = {0};
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &ranks);
    if (ranks > sysconf(_SC_NPROCESSORS_ONLN) || ranks > MOST_ON_NODE)
        return true;
    MPI_Gather(&core, 1, MPI_INT, cores, 1, MPI_INT, 0, node);
    for (int i = 0; rank == 0 && i < ranks; i++)
        for (int j = 0; j < i; j++)
            if (cores[i] == cores[j])
                return true;
    return false;
}

/* The ranks of this node, as the library finds them: some MPI libraries report each rank alone. */
static void comm_of_node(MPI_Comm *node)
{
    int rank;
    weft_nodes nodes;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!weft_nodes_find(MPI_COMM_WORLD, &nodes)) {
        MPI_Comm_dup(MPI_COMM_SELF, node);
        return;
    }
    MPI_Comm_split(MPI_COMM_WORLD, nodes.leader[rank], rank, node);
    free(nodes.leader);
}

void bench_surroundings_find(bench_surroundings *it)
{
    MPI_Comm node;
    cpu_set_t set;
    CPU_ZERO(&set);
    *it = (bench_surroundings){0};
    MPI_Comm_size(MPI_COMM_WORLD, &it->ranks);
    comm_of_node(&node);
    MPI_Comm_size(node, &it->per_node);
    it->bound = sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1;
    it->crowded = crowded(node);
    it->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (getloadavg(&it->load, 1) != 1)
        it->load = 0;
    find_processor(it->processor, sizeof it->processor);
    find_mpi(it->mpi, sizeof it->mpi);
    snprintf(it->fftw, sizeof it->fftw, "%s", fftw_version);
    it->level2 = weft_cache_level2();
    it->last = weft_cache_last();
    MPI_Comm_free(&node);
}

void bench_surroundings_warn(const bench_surroundings *it)
{
    if (it->crowded)
        fprintf(stderr, "weft-bench: ranks share a core, so the times mean little\n");
    else if (!it->bound && it->per_node > 1)
        fprintf(stderr, "weft-bench: ranks are not bound to cores, so times may jump; use mpiexec "
                        "-bind-to core\n");
}
