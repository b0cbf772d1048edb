/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decisions and keys as text. A decision is words separated by blanks: "exchanges=waitsome,bruck:4
 * passes=... seconds=0.0123". A key is the problem's text, then everything else that the decision
 * depends on, with the rigor last. This file also finds the environment of a plan and writes its
 * parts as words that fit into a key; it reads /proc/cpuinfo and the MPI library's version once per
 * process.
 */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "kernels/base/cache.h"
#include "planner/path/process-grid.h"
#include "planner/wisdom/decision.h"

void weft_decision_write(const weft_decision *decision, char text[WEFT_DECISION_TEXT])
{
    weft_writer to = weft_write_to(text, WEFT_DECISION_TEXT);
    char method[128];
    if (decision->path > 0)
        weft_write(&to, "chain=%d ", decision->path);
    weft_write(&to, "exchanges=");
    for (int i = 0; i < decision->exchanges; i++) {
        weft_method_write(decision->method[i], method, sizeof method);
        weft_write(&to, "%s%s", i ? "," : "", method);
    }
    if (decision->passes[0])
        weft_write(&to, " passes=%s", decision->passes);
    if (decision->seconds > 0)
        weft_write(&to, " seconds=%.3e", decision->seconds);
}

static bool read_methods(char *list, weft_decision *decision)
{
    if (!*list)
        return true;
    for (char *name; (name = strsep(&list, ","));) {
        if (decision->exchanges == WEFT_MAX_STAGES)
            return false;
        weft_method *method = &decision->method[decision->exchanges++];
        if (!weft_method_read(name, method) || (method->backend->parameter && method->value == 0))
            return false;
    }
    return true;
}

bool weft_decision_read(const char *text, weft_decision *decision)
{
    char copy[WEFT_DECISION_TEXT], *rest = copy;
    bool any = false;
    *decision = (weft_decision){0};
    if (strlen(text) >= sizeof copy)
        return false;
    strcpy(copy, text);
    for (char *value; (value = strsep(&rest, " "));) {
        const char *name = strsep(&value, "=");
        if (!value)
            continue;
        if (strcmp(name, "chain") == 0)
            decision->path = atoi(value);
        else if (strcmp(name, "seconds") == 0)
            decision->seconds = weft_parse_number(value, NULL);
        else if (strcmp(name, "passes") == 0 && strlen(value) < sizeof decision->passes)
            strcpy(decision->passes, value);
        else if (strcmp(name, "passes") == 0)
            return false;
        else if (strcmp(name, "exchanges") == 0 && !(any = read_methods(value, decision)))
            return false;
    }
    return any;
}

int weft_rigor(unsigned flags)
{
    if (flags & FFTW_ESTIMATE)
        return 0;
    return flags & FFTW_EXHAUSTIVE ? 3 : flags & FFTW_PATIENT ? 2 : 1;
}

const char *const weft_rigor_name[] = {"estimate", "measure", "patient", "exhaustive"};

void weft_problem_shape(const weft_problem *problem, const weft_process_grid *through, char *text,
                        size_t capacity)
{
    weft_writer to = weft_write_to(text, capacity);
    const char *division = problem->task == WEFT_REDISTRIBUTE ? "redistribute"
                           : problem->rows                    ? "rows"
                           : problem->between                 ? "between"
                                                              : "slab";
    if (problem->grid.axes > 0)
        weft_process_grid_write(&to, "grid-", &problem->grid);
    else
        weft_write(&to, "%s-%d", division, problem->ranks);
    if (through->axes != problem->grid.axes)
        weft_process_grid_write(&to, "-through-", through);
}

void weft_problem_key(const weft_problem *problem, const weft_environment *environment, int rigor,
                      char text[WEFT_KEY_TEXT])
{
    weft_writer to = weft_write_to(text, WEFT_KEY_TEXT);
    weft_write(&to, "%s", problem->text);
    if (problem->between)
        weft_write(&to, " from=%llx to=%llx", weft_layout_digest(&problem->from.layout),
                   weft_layout_digest(&problem->to.layout));
    weft_process_grid_write(&to, " between=", &environment->between);
    weft_write(&to, " %s threads=%d ranks=%d per-node=%d placed=%08x", environment->precision,
               problem->threads, problem->ranks, environment->machine.per_node,
               (unsigned)(environment->placement >> 32));
    weft_write(&to, " mpi=%s fftw=%s processor=%s weft=%s rigor=%s", environment->mpi,
               environment->fftw, environment->processor, PACKAGE_VERSION, weft_rigor_name[rigor]);
}

void weft_key_change_rigor(char text[WEFT_KEY_TEXT], int rigor)
{
    weft_writer to = {text, WEFT_KEY_TEXT, (size_t)(strrchr(text, '=') + 1 - text)};
    weft_write(&to, "%s", weft_rigor_name[rigor]);
}

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
static void find_known(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "", line[256];
    int length;
    MPI_Get_library_version(version, &length);
    weft_plain_word(version, mpi, sizeof mpi);
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file) && line[0] != '\n')
        weft_processor_add(line, processor, sizeof processor);
    if (file)
        fclose(file);
}

bool weft_environment_find(const weft_problem *problem, const char *precision, const char *fftw,
                           const char *machine, weft_environment *environment)
{
    weft_communicator *communicator = weft_communicator_open(problem->comm);
    if (!communicator)
        return false; /* on all ranks */
    pthread_once(&known, find_known);
    *environment = (weft_environment){.precision = precision};
    environment->machine.per_node = communicator->most_ranks;
    environment->machine.cores = communicator->most_cores;
    environment->placement = weft_nodes_placement(communicator->nodes, problem->ranks);
    environment->machine.network = weft_communicator_network(communicator);
    weft_communicator_close(communicator);
    snprintf(environment->mpi, sizeof environment->mpi, "%.54s%s", mpi,
             problem->as_float ? "-as-float" : "");
    weft_plain_word(fftw, environment->fftw, sizeof environment->fftw);
    memcpy(environment->processor, processor, sizeof processor);
    if (machine)
        snprintf(environment->processor, sizeof environment->processor, "told %s", machine);
    for (char *at = environment->processor; machine && *at; at++)
        *at = isalnum((unsigned char)*at) ? *at : '-';
    if (problem->device) {
        char about[2 * sizeof environment->processor];
        snprintf(about, sizeof about, "%s %s",
                 problem->device->library->describe(problem->device->number),
                 problem->device->library->name);
        weft_plain_word(about, environment->processor, sizeof environment->processor);
    }
    /* the ranks agree, because another thread may plan as for another machine at the same time */
    const int cores = machine ? (int)weft_agree_max(problem->comm, weft_cores_set()) : 0;
    if (cores > 0)
        environment->machine.cores = cores;
    return weft_process_grid_read(problem->comm, &environment->between);
}
