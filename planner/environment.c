/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the environment of a plan and writes its parts as words that fit into a key of wisdom.
 * /proc/cpuinfo and the MPI library's version are read once per process.
 */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "backends/exchange/communicator.h"
#include "backends/exchange/nodes.h"
#include "kernels/base/cache.h"
#include "planner/environment.h"
#include "planner/path/process-grid.h"

void weft_plain_word(const char *name, char *text, size_t capacity)
{
    size_t used = 0;
    bool blank = false;
    for (; *name && *name != '\n' && *name != ',' && used + 2 < capacity; name++) {
        const unsigned char letter = (unsigned char)*name;
        if (isalnum(letter) || letter == '.') {
            if (blank && used > 0)
                text[used++] = '-';
            text[used++] = (char)letter;
        }
        blank = !isalnum(letter) && letter != '.';
    }
    text[used] = '\0';
}

/* These lines of /proc/cpuinfo name the model on several architectures. One line alone may not
 * distinguish two processors, so all that occur are joined. */
void weft_processor_add(const char *line, char *text, size_t capacity)
{
    static const char *const name[] = {"cpu family",  "model",    "model name",
                                       "cpu model",   "cpu",      "CPU implementer",
                                       "CPU variant", "CPU part", "uarch"};
    const char *colon = strchr(line, ':');
    size_t length = colon ? (size_t)(colon - line) : 0, used = strlen(text);
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        length--;
    for (size_t i = 0; colon && i < sizeof name / sizeof *name; i++) {
        if (strlen(name[i]) != length || strncmp(line, name[i], length) != 0)
            continue;
        if (used > 0 && used + 1 < capacity)
            text[used++] = '-';
        weft_plain_word(colon + 1, text + used, capacity - used);
    }
}

/* Values that are the same for all plans of the process. */
static char processor[96], mpi[64];
static pthread_once_t known = PTHREAD_ONCE_INIT;

/* Reads the description of the first core, up to the first empty line; other cores are assumed to
 * be alike. */
static void find_processor(void)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file) && line[0] != '\n')
        weft_processor_add(line, processor, sizeof processor);
    if (file)
        fclose(file);
}

static void find_known(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    MPI_Get_library_version(version, &length);
    weft_plain_word(version, mpi, sizeof mpi);
    find_processor();
}

bool weft_environment_find(MPI_Comm comm, const char *precision, const char *fftw,
                           const char *machine, weft_environment *environment)
{
    weft_communicator *communicator = weft_communicator_open(comm);
    if (!communicator)
        return false; /* on all ranks */
    pthread_once(&known, find_known);
    *environment = (weft_environment){.precision = precision};
    environment->machine.per_node = communicator->most_ranks;
    environment->machine.cores = communicator->most_cores;
    int ranks;
    MPI_Comm_size(comm, &ranks);
    environment->placement = weft_nodes_placement(communicator->nodes, ranks);
    environment->machine.network = weft_communicator_network(communicator);
    weft_communicator_close(communicator);
    memcpy(environment->mpi, mpi, sizeof mpi);
    weft_plain_word(fftw, environment->fftw, sizeof environment->fftw);
    memcpy(environment->processor, processor, sizeof processor);
    if (machine)
        snprintf(environment->processor, sizeof environment->processor, "told %s", machine);
    for (char *at = environment->processor; machine && *at; at++)
        *at = isalnum((unsigned char)*at) ? *at : '-';
    if (weft_cores_set())
        environment->machine.cores = weft_cores_set();
    return weft_process_grid_read(comm, &environment->between);
}

void weft_environment_on(weft_environment *environment, const weft_device *device)
{
    char about[2 * sizeof environment->processor];
    snprintf(about, sizeof about, "%s %s", device->library->describe(device->number),
             device->library->name);
    weft_plain_word(about, environment->processor, sizeof environment->processor);
}
