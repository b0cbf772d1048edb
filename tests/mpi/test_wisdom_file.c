/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file that WEFT_WISDOM names, in every state: Weft makes plans and uses the readable part. If
 * something is wrong, rank 0 prints one sentence, and the other ranks print nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "planner/handle.h"
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"
#include "planner/plan.h"
#include "planner/wisdom/wisdom.h"
#include "api/weft.h"

static weft_real array[4000];
static char directory[64], path[128];

/* Wisdom from a program that planned without a file. */
static char *learnt;

static const dropin_case first = {.what = DROPIN_C2C, .rank = 2, .n = {16, 12}, .in_place = true};

static FFTW(plan) plan_of(int n0)
{
    dropin_case it = dropin_single(&first, FFTW_MEASURE);
    it.n[0] = n0;
    return dropin_plan(&it, array, array, MPI_COMM_WORLD);
}

typedef struct {
    weft_decision_source source;
    bool planned, fits;
    char said[1000];
} outcome;

/* Plans with the file; returns the source of the plan and the output. */
static outcome plan_with(const char *name, int n0)
{
    outcome result = {.said = ""};
    setenv("WEFT_WISDOM", rank == 0 ? name : "/no/such/folder/file", 1);
    capture();
    FFTW(plan) plan = plan_of(n0);
    captured(result.said, sizeof result.said);
    unsetenv("WEFT_WISDOM");
    result.planned = plan != NULL;
    if (plan)
        result.source = weft_handle_plan(plan)->source;
    FFTW(destroy_plan)(plan);
    return result;
}

/* Files with different errors, and the sentence of rank 0. */
static const struct {
    const char *name;
    bool known;       /* the wisdom in it is found */
    const char *says; /* NULL: it prints nothing */
} states[] = {
    {"whole", true, NULL},
    {"absent", false, NULL},
    {"empty", false, NULL},
    {"cut", false, "damaged lines"},
    {"damaged", true, "1 damaged lines"},
    {"older", false, "of another version"},
    {"foreign", false, "contains no wisdom of Weft"},
    {"a folder", false, "cannot be read"},
    {"no folder", false, "cannot be written"},
};

static void prepare(const char *state)
{
    const char *line = strchr(learnt, '\n') + 1;
    if (strcmp(state, "a folder") == 0)
        mkdir(path, 0700);
    FILE *file = strcmp(state, "absent") == 0 ? NULL : fopen(path, "w");
    if (!file) /* fopen fails for a folder, and in a missing folder */
        return;
    if (strcmp(state, "whole") == 0)
        fputs(learnt, file);
    if (strcmp(state, "cut") == 0)
        fwrite(learnt, 1, strlen(learnt) - 5, file);
    if (strcmp(state, "damaged") == 0)
        fprintf(file, "%sx%s", learnt, line);
    if (strcmp(state, "older") == 0)
        fprintf(file, "weft-wisdom 0\n%s", line);
    if (strcmp(state, "foreign") == 0)
        fwrite("\177ELF\0\1\2\n\n", 1, 9, file);
    fclose(file);
}

TEST(plans_are_made_with_any_wisdom_file, .to = NUMBER(states))
{
    snprintf(path, sizeof path, "%s/%s%s", directory, states[_i].name,
             strcmp(states[_i].name, "no folder") == 0 ? "/wisdom" : "");
    if (rank == 0)
        prepare(states[_i].name);
    MPI_Barrier(MPI_COMM_WORLD);
    dropin_forget();
    const outcome result = plan_with(path, 16);
    const outcome again = plan_with(path, 8); /* a second plan must not warn again */
    all_true(result.planned && again.planned, "%s: no plan", states[_i].name);
    all_true((result.source == WEFT_BY_WISDOM) == states[_i].known, "%s: found otherwise",
             states[_i].name);
    const char *says = rank == 0 ? states[_i].says : NULL;
    const int lines = occurrences(result.said, "\n") + occurrences(again.said, "\n");
    all_true(lines == (says ? 1 : 0), "%s: it says \"%s%s\"", states[_i].name, result.said,
             again.said);
    all_true(!says || (strstr(result.said, says) && strstr(result.said, "weft: warning: ")),
             "%s: it says \"%s\"", states[_i].name, result.said);
    if (rank == 0) /* rmdir and unlink may fail if there is no such file */
        unlink(path), rmdir(path);
}

TEST(new_wisdom_is_added_to_the_file)
{
    snprintf(path, sizeof path, "%s/added", directory);
    dropin_forget();
    bool timed = true, known = true;
    for (int n0 = 8; n0 <= 24; n0 += 8)
        timed = plan_with(path, n0).source == WEFT_BY_TIMING && timed;
    WEFT(forget_wisdom)();
    bool imported = rank > 0 || WEFT(import_wisdom_from_filename)(path);
    FFTW(mpi_broadcast_wisdom)(MPI_COMM_WORLD);
    for (int n0 = 8; n0 <= 24; n0 += 8)
        known = plan_with(path, n0).source == WEFT_BY_WISDOM && known;
    if (rank == 0)
        unlink(path);
    all_true(timed, "wisdom was found before it was learnt");
    all_true(imported && known, "not known from the file: \"%s\"", WEFT(last_error)());
}

/* Wisdom for the same problem on another processor is not used; only WEFT_VERBOSE prints that. */
TEST(wisdom_of_another_processor_is_not_used, .to = 2)
{
    char line[4000], *place, *arrow;
    dropin_forget();
    snprintf(line, sizeof line, "%s", strchr(learnt, '\n') + 1);
    arrow = strstr(line, " => ");
    place = strstr(line, " processor=");
    all_true(arrow && place, "\"%s\" names no processor", line);
    strstr(arrow, " ~ ")[0] = '\0';
    *arrow = '\0';
    memcpy(place, " Processor=", strlen(" processor="));
    all_true(weft_wisdom_learn(line, arrow + strlen(" => "), false), "it cannot be learnt");
    setenv("WEFT_VERBOSE", _i ? "1" : "0", 1);
    const outcome result = plan_with("", 16);
    unsetenv("WEFT_VERBOSE");
    all_true(result.source == WEFT_BY_TIMING, "used");
    const bool said = strstr(result.said, "but not for " WEFT_PRECISION " threads=");
    all_true(said == (_i && rank == 0), "it says \"%s\"", result.said);
}

/* Makes a folder for all ranks, and a plan whose wisdom the tests use. */
static void set_up(void)
{
    strcpy(directory, "/tmp/weft-wisdom-XXXXXX");
    if (rank == 0 && !mkdtemp(directory))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Bcast(directory, sizeof directory, MPI_CHAR, 0, MPI_COMM_WORLD);
    FFTW(destroy_plan)(plan_of(16));
    learnt = WEFT(export_wisdom_to_string)();
}

static void end(void)
{
    free(learnt);
    rmdir(directory);
}

AROUND(.begin = set_up, .end = end)
