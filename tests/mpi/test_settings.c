/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings by environment and by function: rank 0's setting counts on all ranks; a wrong setting
 * gives a sentence that lists the allowed values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "backends/exchange/exchange.h"
#include "tests/layouts.h"
#include "tests/mpi/harness.h"
#include "planner/settings.h"
#include "backends/table.h"
#include "api/fftw3-mpi.h"
#include "api/weft.h"

static void clear(void)
{
    static const char *const names[] = {"WEFT_BACKEND", "WEFT_WISDOM",  "WEFT_TIMELIMIT",
                                        "WEFT_VERBOSE", "WEFT_PLUGINS", "WEFT_GRID",
                                        "WEFT_MACHINE", "WEFT_WIRE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    weft_settings_set_backend(NULL);
    weft_error_clear();
}

static bool same(const char *a, const char *b)
{
    return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

/* An exchange of 8 x 8 points. */
static weft_exchange *describe(weft_layout *from, weft_layout *to)
{
    slab_layouts(2, (ptrdiff_t[]){8, 8}, 1, 4, from, to);
    return weft_exchange_describe(from, to, 16, 0, NULL, 0, 4);
}

static const struct {
    const char *setting;
    const char *name[3]; /* backends of exchanges 0, 1, 2; NULL: the planner chooses */
    int value;           /* value of exchange 0 */
    const char *says;    /* sentence about a wrong setting */
} named[] = {
    {"waitall", {"waitall", "waitall", "waitall"}, 0, NULL},
    {"bruck:3", {"bruck", "bruck", "bruck"}, 3, NULL},
    {"alltoallw,pairwise", {"alltoallw", "pairwise", "pairwise"}, 0, NULL},
    {"auto,waitsome:2,auto", {NULL, "waitsome/b", NULL}, 0, NULL},
    {"^pairwise", {NULL}, 0, NULL},
    {"^pairwise,waitall/b", {NULL}, 0, NULL},
    {"", {NULL}, 0, NULL},
    {"auto", {NULL}, 0, NULL},
    {"zebra", {0}, 0, "no backend \"zebra\"; there are alltoallw, alltoallv, alltoall, pairwise"},
    {"waitall,zebra", {0}, 0, "there is no backend \"zebra\""},
    {"pairwise:3", {0}, 0, "takes no value"},
    {"bruck:0", {0}, 0, "positive number"},
    {"bruck:1", {0}, 0, "cannot carry out this exchange"},
    {"bruck:1", {0}, 0, "these can: alltoallw"},
    {",", {0}, 0, "there is no backend \"\""},
    {"^", {0}, 0, "there is no backend \"\""},
    {"^pairwise,zebra", {0}, 0, "there is no backend \"zebra\""},
    {"^bruck:4", {0}, 0, "there is no backend \"bruck:4\""},
    {"^auto", {0}, 0, "there is no backend \"auto\""},
    {"pairwise,^bruck", {0}, 0, "there is no backend \"^bruck\""},
};

TEST(each_exchange_uses_its_backend_of_the_setting, .to = NUMBER(named))
{
    weft_layout from, to;
    weft_exchange *exchange = describe(&from, &to);
    weft_settings settings = {0};
    const char *says = named[_i].says;
    clear();
    bool ok = weft_settings_name_backends(named[_i].setting, &settings);
    for (int which = 0; ok && which < 3; which++) {
        weft_method method;
        ok = weft_settings_choose(&settings, exchange, which, &method);
        const char *name = ok && method.backend ? method.backend->name : NULL;
        all_true(says || (ok && same(name, named[_i].name[which])), "%s, exchange %d: %s",
                 named[_i].setting, which, name ? name : weft_error_text());
        all_true(says || which > 0 || method.value == named[_i].value, "%s: value %d",
                 named[_i].setting, method.value);
    }
    all_true(!says || (!ok && strstr(weft_error_text(), says)), "%s: \"%s\"", named[_i].setting,
             weft_error_text());
    weft_exchange_destroy(exchange);
}

/* Returns the backend of a plan's first exchange, by its place in the table, if there is a plan. */
static int first_backend(const char *backends)
{
    static fftw_complex array[16 * 16];
    weft_set_backend(backends);
    fftw_plan plan =
        fftw_mpi_plan_dft_2d(16, 16, array, array, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    char *text = plan ? fftw_sprint_plan(plan) : NULL;
    const char *used = text ? strstr(text, "exchange ") : NULL, *name;
    int found = -1;
    for (int place = 0; used && (name = weft_backend_name(place)); place++)
        if (strncmp(used + strlen("exchange "), name, strlen(name)) == 0 &&
            (found < 0 || strlen(name) > strlen(weft_backend_name(found))))
            found = place;
    fftw_destroy_plan(plan);
    free(text);
    return found;
}

/* Excludes the backend of the last plan, until no backend is left. */
TEST(excluded_backends_are_in_no_plan)
{
    char list[1000] = "^";
    int out[64] = {0}, left = 0, again = 0, found;
    if (ranks == 1) /* one rank has no exchange */
        return;
    clear();
    for (found = first_backend(NULL); found >= 0 && !again; found = first_backend(list), left++) {
        again = out[found]++;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", left ? "," : "",
                 weft_backend_name(found));
    }
    const bool said = strstr(weft_last_error(), "excludes all backends that can carry out") != NULL;
    all_true(!again && left > 5, "%d left out: %s", left, list);
    all_true(said, "%s: \"%s\"", list, weft_last_error());
    clear();
}

/* weft.h and whole plans: rank 0's choice counts, and overrides the environment. */
TEST(set_backend_applies_to_plans)
{
    fftw_complex *array = fftw_alloc_complex(16 * 16);
    clear();
    set_environment("WEFT_BACKEND", "waitall");
    for (int good = 0; good < 2; good++) {
        weft_set_backend(rank > 0 ? "nonsense" : good ? "pairwise" : "zebra");
        weft_grid grid = weft_grid_create(MPI_COMM_WORLD, 1, NULL);
        fftw_plan plan = weft_plan_dft_2d(16, 16, array, array, grid, FFTW_FORWARD, FFTW_ESTIMATE);
        char *text = plan ? fftw_sprint_plan(plan) : NULL;
        const bool right =
            good ? plan && (ranks == 1 || (strstr(text, "pairwise") && !strstr(text, "waitall")))
                 : !plan && strstr(weft_last_error(), "there are alltoallw");
        all_true(ranks == 1 || right, "good %d: %s, \"%s\"", good, text ? text : "no plan",
                 weft_last_error());
        fftw_destroy_plan(plan);
        weft_grid_free(grid);
        free(text);
    }
    fftw_free(array);
    clear();
}

/* Plans 8 x 8 x 8 points; `text` gets what this rank prints. */
static fftw_plan planned(unsigned rigor, char text[1000])
{
    static fftw_complex array[8 * 8 * 8];
    capture();
    fftw_plan plan =
        fftw_mpi_plan_dft_3d(8, 8, 8, array, array, MPI_COMM_WORLD, FFTW_FORWARD, rigor);
    captured(text, 1000);
    return plan;
}

/* Wrong values of the environment: the sentence, and whether there are still plans. */
static const struct {
    const char *name, *value, *says;
    bool planned;
} environments[] = {
    {"WEFT_BACKEND", "typo", "there is no backend \"typo\"", false},
    {"WEFT_BACKEND", "bruck:1", "cannot carry out this exchange", false},
    {"WEFT_BACKEND", "waitall*2", "there is no backend \"waitall*2\"", false},
    {"WEFT_TIMELIMIT", "5 s", "WEFT_TIMELIMIT is \"5 s\"", false},
    {"WEFT_TIMELIMIT", "nan", "WEFT_TIMELIMIT is \"nan\"", false},
    {"WEFT_WIRE", "half", "WEFT_WIRE is \"half\"; the only value is float", false},
    {"WEFT_VERBOSE", "aye", "WEFT_VERBOSE is \"aye\"", false},
    {"WEFT_MACHINE", "fast", "WEFT_MACHINE is \"fast\"", false},
    {"WEFT_PLUGINS", "/no/such.so", "plug-in /no/such.so cannot be loaded", false},
    {"WEFT_GRID", "foo", "WEFT_GRID is foo", false},
    {"WEFT_GRID", "7x9", "WEFT_GRID is 7x9, which does not divide an array of 3 axes", true},
};

TEST(rank_0_reports_wrong_settings_once, .to = NUMBER(environments))
{
    char text[2][1000];
    int made = 0, said = 0, lines = 0;
    if (ranks == 1) /* one rank has no exchange and no grid */
        return;
    clear();
    set_environment(environments[_i].name, rank == 0 ? environments[_i].value : NULL);
    for (int turn = 0; turn < 2; turn++) {
        fftw_plan plan = planned(FFTW_ESTIMATE, text[turn]);
        made += plan != NULL;
        said += occurrences(text[turn], environments[_i].says);
        lines += occurrences(text[turn], "\n");
        fftw_destroy_plan(plan);
    }
    clear();
    all_true(made == (environments[_i].planned ? 2 : 0), "%s=%s: %d plans", environments[_i].name,
             environments[_i].value, made);
    all_true(said == (rank == 0) && lines == (rank == 0), "%s=%s: \"%s%s\"", environments[_i].name,
             environments[_i].value, text[0], text[1]);
}

/* Plug-ins that load, but make invalid requests. */
static const struct {
    const char *plugin, *backend, *says;
    unsigned rigor;
} demands[] = {
    {"greed", "greed", "bytes of workspace, more than can be addressed", FFTW_ESTIMATE},
    {"greed", "greed", "bytes of workspace, more than can be addressed", FFTW_MEASURE},
    {"greed", "greed:2", "workspace", FFTW_ESTIMATE},
    {"greed", "greed:2", "workspace", FFTW_MEASURE},
    {"silence", "silence", "offers no value for this exchange; give one", FFTW_ESTIMATE},
    {"silence", "silence", "offers no value for this exchange; give one", FFTW_PATIENT},
    {"silence", "silence:3", NULL, FFTW_ESTIMATE},
};

TEST(invalid_requests_of_plugins_are_reported, .to = NUMBER(demands))
{
    char path[1000], text[1000];
    if (ranks == 1) /* one rank has no exchange */
        return;
    clear();
    snprintf(path, sizeof path, PLUGINS "libflaw_%s.so", demands[_i].plugin);
    set_environment("WEFT_PLUGINS", path);
    set_environment("WEFT_BACKEND", demands[_i].backend);
    fftw_plan plan = planned(demands[_i].rigor, text);
    const char *said = weft_last_error();
    all_true(demands[_i].says ? !plan && strstr(said, demands[_i].says) : plan != NULL,
             "%s: %s, \"%s\"", demands[_i].backend, plan ? "a plan" : "no plan", said);
    fftw_destroy_plan(plan);
    clear();
}

/* The same for WEFT_GRID with impossible grids. */
TEST(rank_0_reports_impossible_grids_once, .to = 2)
{
    static const char *const options[] = {"2*2", "9x7"};
    char text[1000];
    int made = 0;
    if (ranks == 1)
        return;
    clear();
    set_environment("WEFT_GRID", rank == 0 ? options[_i] : "auto");
    capture();
    for (int turn = 0; turn < 4; turn++) {
        weft_grid grid = turn / 2 ? weft_grid_tune(MPI_COMM_WORLD, 2, 3, (ptrdiff_t[]){8, 8, 8}, 1,
                                                   WEFT_DFT_FORWARD, FFTW_ESTIMATE)
                                  : weft_grid_create(MPI_COMM_WORLD, 2, NULL);
        made += grid != NULL;
        weft_grid_free(grid);
    }
    captured(text, sizeof text);
    clear();
    all_true(made == (_i ? 4 : 0), "%d grids", made);
    all_true(occurrences(text, options[_i]) == (rank == 0) &&
                 occurrences(text, "\n") == (rank == 0),
             "\"%s\"", text);
}

/* Rank 0's limit counts on all ranks. */
TEST(the_smaller_of_two_time_limits_counts, .to = 8)
{
    static const struct {
        double own;
        const char *environment;
        double limit;
    } row[] = {{7, NULL, 7},  {-1, "7", 7}, {7, "8", 7},  {8, "7", 7},
               {0, "7.5", 0}, {7, "0", 0},  {7, "-1", 7}, {-1, NULL, -1}};
    weft_settings settings;
    clear();
    set_environment("WEFT_TIMELIMIT", row[_i].environment);
    set_environment("WEFT_BACKEND", rank == 0 ? "bruck:4,auto" : "no such backend");
    set_environment("WEFT_WISDOM", rank == 0 ? "a file\nof two lines" : NULL);
    set_environment("WEFT_VERBOSE", rank == 0 ? "2" : "many");
    const bool ok =
        weft_settings_read(MPI_COMM_WORLD, true, rank == 0 ? row[_i].own : 0.001, &settings);
    all_true(ok && settings.limit == row[_i].limit, "row %d: %g", _i, settings.limit);
    all_true(settings.named == 2 && settings.method[0].value == 4 && settings.verbose == 2 &&
                 same(settings.wisdom, "a file of two lines"),
             "%d backends, wisdom %s, verbose %d", settings.named, settings.wisdom,
             settings.verbose);
    weft_settings_free(&settings);
    clear();
}

/* The sentence does not name the environment, and nothing is printed. */
TEST(a_time_limit_that_is_no_number_is_an_error)
{
    char text[1000];
    clear();
    weft_set_timelimit(rank == 0 ? (double)NAN : 1);
    fftw_plan plan = planned(FFTW_ESTIMATE, text);
    const char *said = weft_last_error();
    all_true(!plan && strstr(said, "the argument of weft_set_timelimit is \"") && !*text,
             "%s, \"%s\", \"%s\"", plan ? "a plan" : "no plan", said, text);
    weft_set_timelimit(-1);
    clear();
}
