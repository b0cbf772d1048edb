/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators and settings, which change between plans. */
#include "tests/fuzz/fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

fuzz_comm fuzz_comms[FUZZ_COMMS];
static unsigned numbers;

void fuzz_comms_begin(void)
{
    fuzz_comms[0] = (fuzz_comm){MPI_COMM_WORLD, 0};
    fuzz_comms[1] = (fuzz_comm){MPI_COMM_SELF, 1};
    numbers = 2;
    for (int i = 2; i < FUZZ_COMMS; i++)
        fuzz_comms[i] = (fuzz_comm){MPI_COMM_NULL, numbers++};
}

static void drop(fuzz_comm *it)
{
    if (it->comm != MPI_COMM_NULL)
        MPI_Comm_free(&it->comm);
    it->number = numbers++;
}

void fuzz_comms_end(void)
{
    for (int i = 2; i < FUZZ_COMMS; i++)
        drop(&fuzz_comms[i]);
}

/* Makes a duplicate, halves, all ranks in another order, or the first ranks. */
void fuzz_change_comms(unsigned *state)
{
    fuzz_comm *it = &fuzz_comms[2 + arrays_random(state, FUZZ_COMMS - 2)];
    const unsigned how = arrays_random(state, 6);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int some = 1 + (int)arrays_random(state, (unsigned)ranks);
    drop(it);
    if (how == 0)
        MPI_Comm_dup(MPI_COMM_WORLD, &it->comm);
    else if (how == 1)
        MPI_Comm_dup(MPI_COMM_SELF, &it->comm);
    else if (how < 5)
        MPI_Comm_split(MPI_COMM_WORLD,
                       how == 2   ? rank % 2
                       : how == 3 ? 0
                                  : (rank < some ? 0 : MPI_UNDEFINED),
                       how == 3 ? -rank : rank, &it->comm);
}

#define FIT      SETTINGS_FIT, false
#define SAID     SETTINGS_FIT, true
#define MAY_FAIL SETTINGS_MAY_FAIL, true
#define FAIL     SETTINGS_FAIL, true

/* WEFT_TIMELIMIT counts only if no function has set a limit. "*" stands for the name of a backend,
 * and "FILE" for a file of this process. */
static const struct {
    const char *name, *value;
    fuzz_fit fit;
    bool print;
} settings[] = {
    {"WEFT_BACKEND", "*", MAY_FAIL},
    {"WEFT_BACKEND", "*", MAY_FAIL},
    {"WEFT_BACKEND", "*:2", MAY_FAIL},
    {"WEFT_BACKEND", "**3", MAY_FAIL},
    {"WEFT_BACKEND", "auto,*", MAY_FAIL},
    {"WEFT_BACKEND", "*,auto,*:3", MAY_FAIL},
    {"WEFT_BACKEND", "^*", FIT},
    {"WEFT_BACKEND", "^*,zebra", MAY_FAIL},
    {"WEFT_BACKEND", "auto", FIT},
    {"WEFT_BACKEND", "shared", FIT},
    {"WEFT_BACKEND", "waitsome*3", MAY_FAIL},
    {"WEFT_BACKEND", "bruck:1", MAY_FAIL},
    {"WEFT_BACKEND", "zebra", MAY_FAIL},
    {"WEFT_TIMELIMIT", "0", FIT},
    {"WEFT_TIMELIMIT", "1e-4", FIT},
    {"WEFT_TIMELIMIT", "1e300", FIT},
    {"WEFT_TIMELIMIT", "-3", FIT},
    {"WEFT_TIMELIMIT", "soon", MAY_FAIL},
    {"WEFT_VERBOSE", "1", SAID},
    {"WEFT_VERBOSE", "3", SAID},
    {"WEFT_VERBOSE", "yes", FAIL},
    {"WEFT_GRID", "auto", FIT},
    {"WEFT_GRID", "2x1", SAID},
    {"WEFT_GRID", "1x2", SAID},
    {"WEFT_GRID", "3x1", SAID},
    {"WEFT_GRID", "2x2", SAID},
    {"WEFT_GRID", "1x1x1", SAID},
    {"WEFT_GRID", "4x", MAY_FAIL},
    {"WEFT_WISDOM", "FILE", SAID},
    {"WEFT_WISDOM", "FILE", SAID},
    {"WEFT_WISDOM", "/", SAID},
    {"WEFT_WISDOM", "/dev/null", SAID},
    {"WEFT_WISDOM", "/no/such/folder/wisdom", SAID},
    {"WEFT_PLUGINS", "/no/such.so", FAIL},
    {"WEFT_PLUGINS", ":::", FIT},
    {"WEFT_PLUGINS", PLUGINS "libturns.so", SAID},
    {"WEFT_PLUGINS", PLUGINS "libmeeting.so:" PLUGINS "libturns.so", SAID},
    {"WEFT_PLUGINS", PLUGINS "libflaw_version.so", FAIL},
    {"WEFT_PLUGINS", PLUGINS "libturns.so:" PLUGINS "libflaw_function.so", FAIL},
};

enum { SETTINGS = sizeof settings / sizeof *settings, BACKENDS = 13 };

static bool is_set[SETTINGS]; /* at most one row of each name */
static bool by_function;      /* weft_set_backend has set a backend that may fail */

fuzz_fit fuzz_settings_fit(void)
{
    fuzz_fit worst = by_function ? SETTINGS_MAY_FAIL : SETTINGS_FIT;
    for (int i = 0; i < SETTINGS; i++)
        if (is_set[i] && settings[i].fit > worst)
            worst = settings[i].fit;
    return worst;
}

bool fuzz_settings_print(void)
{
    bool print = by_function;
    for (int i = 0; i < SETTINGS; i++)
        print |= is_set[i] && settings[i].print;
    return print;
}

static const char *some_backend(unsigned *state)
{
    int count = 0;
    while (WEFT(backend_name)(count))
        count++;
    return WEFT(backend_name)((int)arrays_random(state, (unsigned)count));
}

/* Writes the value of a row, with "*" and "FILE" replaced. */
static void value_of(const char *value, unsigned *state, char text[400])
{
    const char *folder = getenv("TMPDIR");
    size_t at = 0;
    text[0] = '\0';
    if (strcmp(value, "FILE") == 0) {
        snprintf(text, 400, "%s/weft-fuzz-%ld.wisdom", folder ? folder : "/tmp", (long)getpid());
        return;
    }
    for (bool name = true; *value; value++) {
        if (*value == '*' && name)
            at += (size_t)snprintf(text + at, 400 - at, "%s", some_backend(state));
        else
            at += (size_t)snprintf(text + at, 400 - at, "%c", *value);
        name = *value == ',' || *value == '^';
    }
}

static void set_by_function(unsigned *state)
{
    static const double limits[] = {0, 1e-5, 3, -1, 1e300};
    char text[400];
    const unsigned how = arrays_random(state, 4);
    if (how == 0) {
        value_of(settings[arrays_random(state, BACKENDS)].value, state, text);
        by_function = true;
        WEFT(set_backend)(text);
    } else if (how == 3) {
        FFTW(plan_with_nthreads)(1 + (int)arrays_random(state, 3));
    } else {
        (how == 1 ? WEFT(set_timelimit) : FFTW(set_timelimit))(limits[arrays_random(state, 5)]);
    }
}

static void set(int row, unsigned *state)
{
    char text[400];
    value_of(settings[row].value, state, text);
    if (fuzz_loud)
        fprintf(stderr, "    %s=%s\n", settings[row].name, text);
    setenv(settings[row].name, text, 1);
    for (int i = 0; i < SETTINGS; i++)
        is_set[i] = i == row || (is_set[i] && strcmp(settings[i].name, settings[row].name) != 0);
}

void fuzz_change_settings(unsigned *state)
{
    const int row = (int)arrays_random(state, SETTINGS);
    if (fuzz_one_in(state, 4))
        set_by_function(state);
    else
        set(row, state);
}

void fuzz_force_backend(unsigned *state)
{
    set(0, state);
}

void fuzz_clear_settings(void)
{
    char file[400];
    for (int i = 0; i < SETTINGS; i++)
        unsetenv(settings[i].name);
    memset(is_set, 0, sizeof is_set);
    by_function = false;
    WEFT(set_backend)(NULL);
    WEFT(set_timelimit)(-1);
    FFTW(set_timelimit)(FFTW_NO_TIMELIMIT);
    FFTW(plan_with_nthreads)(1);
    value_of("FILE", NULL, file);
    unlink(file);
}
