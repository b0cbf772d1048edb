/* SPDX-License-Identifier: BSD-3-Clause */
/* The most ranks of all nodes are what counts. */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "kernels/base/cache.h"
#include "planner/environment.h"
#include "planner/path/process-grid.h"

static int ranks_on_this_node(MPI_Comm comm, const int *node)
{
    int rank, ranks, here = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int r = 0; r < ranks; r++)
        here += node[r] == node[rank];
    return here;
}

void weft_plain_word(const char *name, char *text, size_t room)
{
    size_t used = 0;
    bool blank = false;
    for (; *name && *name != '\n' && *name != ',' && used + 2 < room; name++) {
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

/* As processors of several kinds say it; one line alone may not tell two of them apart. */
void weft_processor_add(const char *line, char *text, size_t room)
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
        if (used > 0 && used + 1 < room)
            text[used++] = '-';
        weft_plain_word(colon + 1, text + used, room - used);
    }
}

static char processor[96];
static pthread_once_t processor_known = PTHREAD_ONCE_INIT;

/* The first one stands for all of them, to the first empty line. */
static void find_processor(void)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file) && line[0] != '\n')
        weft_processor_add(line, processor, sizeof processor);
    if (file)
        fclose(file);
}

bool weft_environment_find(MPI_Comm comm, const char *precision, const char *fftw,
                           weft_environment *environment)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    weft_communicator *communicator = weft_communicator_open(comm);
    if (!communicator)
        return false; /* on all ranks */
    const int here = ranks_on_this_node(comm, weft_communicator_nodes(communicator));
    /* Simulated nodes have a core for each rank. */
    double most[2] = {here, WEFT_RANKS_ARE_THREADS ? here : weft_cores()};
    const weft_network network = weft_communicator_network(communicator);
    weft_communicator_close(communicator);
    MPI_Get_library_version(version, &length);
    *environment = (weft_environment){.precision = precision};
    weft_plain_word(version, environment->mpi, sizeof environment->mpi);
    weft_plain_word(fftw, environment->fftw, sizeof environment->fftw);
    pthread_once(&processor_known, find_processor);
    memcpy(environment->processor, processor, sizeof processor);
    weft_agree_max_all(comm, most, 2);
    environment->machine =
        (weft_machine){.per_node = (int)most[0], .cores = (int)most[1], .network = network};
    return weft_process_grid_wish(comm, &environment->between);
}
