/* SPDX-License-Identifier: BSD-3-Clause */
/* Several plans at a time. They run on their arrays or others, one by one, in threads, or in two
 * halves while other plans run. */
#include "tests/fuzz/living.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLANS = 8, AT_ONCE = 3 };

char fuzz_wrong[FUZZ_TEXT];
int fuzz_step;
const char *fuzz_step_name = "";
bool fuzz_threads, fuzz_loud, fuzz_whole;
long fuzz_runs;

void fuzz_fail(const char *format, ...)
{
    va_list arguments;
    if (fuzz_wrong[0])
        return;
    int at = snprintf(fuzz_wrong, FUZZ_TEXT, "step %d, %s: ", fuzz_step, fuzz_step_name);
    va_start(arguments, format);
    vsnprintf(fuzz_wrong + at, FUZZ_TEXT - (size_t)at, format, arguments);
    va_end(arguments);
}

static living plans[PLANS];

/* Makes a problem and its arrays. Returns false if this rank has no problem. */
static bool prepare(living *plan, unsigned *state)
{
    char text[PROBLEM_TEXT] = "", printed[400];
    const unsigned slot = arrays_random(state, FUZZ_COMMS);
    living_drop(plan);
    plan->comm = fuzz_comms[fuzz_one_in(state, 2) ? 0 : slot];
    if (plan->comm.comm == MPI_COMM_NULL)
        return false;
    if (!fuzz_loud)
        capture();
    const bool made = problem_any(&plan->it, state, plan->comm.comm, text);
    if (captured(printed, sizeof printed) > 0 && !fuzz_settings_print())
        living_wrong(plan, printed);
    if (text[0])
        living_wrong(plan, text);
    if (!made || text[0]) {
        if (fuzz_settings_fit() == SETTINGS_FIT)
            living_wrong(plan, WEFT(last_error)());
        return false;
    }
    if (fuzz_loud) {
        problem_describe(&plan->it, text);
        fprintf(stderr, "    %s\n", text);
    }
    plan->it.null = fuzz_one_in(state, 4) ? 1 + arrays_random(state, 3) : 0;
    plan->first = living_arrays(plan, false, state);
    return true;
}

/* Frees the grid and distributions, which plans do not need: always if the communicator may be
 * freed, otherwise sometimes. */
static void trim(living *plan, unsigned *state)
{
    if (!fuzz_one_in(state, 2) && plan->comm.number == 0)
        return;
    WEFT(grid_free)(plan->it.grid);
    plan->it.grid = NULL;
    for (int s = 0; s < 2; s++) {
        WEFT(distribution_free)(plan->it.made[s]);
        plan->it.made[s] = NULL;
    }
}

/* Plans a problem, and checks that planning prints nothing and keeps the arrays. */
static void make(unsigned *state)
{
    char printed[400];
    living *plan = &plans[arrays_random(state, PLANS)];
    if (!prepare(plan, state)) {
        living_drop(plan);
        return;
    }
    const fuzz_fit fit = fuzz_settings_fit();
    plan->it.may_fail |= fit != SETTINGS_FIT;
    if (!fuzz_loud)
        capture();
    trial_plan(&plan->first, plan->comm.comm);
    const long bytes = captured(printed, sizeof printed);
    const bool planned = plan->first.plan, said = WEFT(last_error)()[0];
    if (plan->first.text[0])
        living_wrong(plan, plan->first.text);
    if (planned == said)
        living_wrong(plan, said ? WEFT(last_error)() : "no plan, and no sentence");
    if (bytes > 0 && !fuzz_settings_print())
        living_wrong(plan, printed);
    if (planned && fit == SETTINGS_FAIL)
        living_wrong(plan, "a plan with an invalid setting");
    trim(plan, state);
    if (!planned)
        living_drop(plan);
}

static void execute_at_once(unsigned *state)
{
    trial it[AT_ONCE];
    pthread_t thread[AT_ONCE];
    int begun = 0;
    const unsigned first = arrays_random(state, PLANS);
    for (unsigned i = 0; i < AT_ONCE; i++) {
        unsigned own = *state + i; /* some ranks do not have all plans */
        begun += trial_begin(&it[begun], &plans[(first + i) % PLANS], &own);
    }
    for (int i = 0; i < begun; i++)
        if (fuzz_threads)
            pthread_create(&thread[i], NULL, trial_run, &it[i]);
        else
            trial_run(&it[i]);
    for (int i = 0; i < begun && fuzz_threads; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < begun; i++)
        trial_end(&it[i], 1);
}

/* Some of the plans in random order, the same on all ranks, even if some ranks do not have all
 * plans. */
typedef struct {
    unsigned first, step, some;
} run_order;

static run_order choose(unsigned *state)
{
    return (run_order){arrays_random(state, PLANS), 1 + 2 * arrays_random(state, PLANS / 2),
                       arrays_random(state, 1 << PLANS)};
}

/* Returns the plan at a place of the order; NULL: this rank does not have it, or it was not chosen.
 */
static living *chosen(const run_order *of, unsigned i)
{
    living *plan = &plans[(of->first + i * of->step) % PLANS];
    return plan->first.plan && of->some >> i & 1 ? plan : NULL;
}

static void execute(unsigned *state)
{
    const run_order these = choose(state);
    for (unsigned i = 0; i < PLANS; i++) {
        living *plan = chosen(&these, i);
        unsigned own = *state + i;
        trial it;
        if (!plan || !trial_begin(&it, plan, &own))
            continue;
        const int turns = 1 + (int)arrays_random(&own, 12);
        for (int turn = 0; turn < turns && !it.text[0]; turn++)
            trial_run(&it);
        trial_end(&it, turns);
    }
}

static void start(unsigned *state)
{
    const run_order these = choose(state);
    for (unsigned i = 0; i < PLANS && !fuzz_whole; i++) {
        living *plan = chosen(&these, i);
        unsigned own = *state + i;
        if (!plan || !trial_begin(&plan->flight, plan, &own))
            continue;
        plan->started = true;
        trial_start(&plan->flight);
    }
}

static void finish(unsigned *state)
{
    const run_order these = choose(state);
    const unsigned questions = arrays_random(state, 3);
    for (unsigned i = 0; i < PLANS; i++) {
        living *plan = chosen(&these, i);
        if (!plan || !plan->started)
            continue;
        trial_finish(&plan->flight, questions);
        plan->started = false;
        trial_end(&plan->flight, 1);
    }
}

/* Plans of one communicator, because all ranks must have the same order. */
static void execute_many(unsigned *state)
{
    const run_order these = choose(state);
    const living *one = &plans[arrays_random(state, PLANS)];
    FFTW(plan) plan[PLANS];
    void *in[PLANS], *out[PLANS];
    trial it[PLANS];
    int count = 0;
    for (unsigned i = 0; i < PLANS && one->first.plan && !fuzz_whole; i++) {
        living *my = chosen(&these, i);
        unsigned own = *state + i;
        if (!my || my->comm.number != one->comm.number || !trial_begin(&it[count], my, &own))
            continue;
        trial_fill(&it[count]);
        plan[count] = my->first.plan;
        in[count] = it[count].in;
        out[count] = it[count].out;
        count++;
    }
    const int done = WEFT(execute_many)(count, plan, in, out);
    for (int i = 0; i < count; i++) {
        trial_must(&it[i], done, "execute_many");
        if (done)
            trial_check(&it[i]);
        trial_end(&it[i], 1);
    }
}

/* Gives a plan the workspace that it needs, or takes it away again. That must fail for a plan in
 * flight. */
static void give_workspace(unsigned *state)
{
    living *plan = &plans[arrays_random(state, PLANS)];
    const bool own = fuzz_one_in(state, 4);
    ptrdiff_t bytes = 0;
    if (!plan->first.plan)
        return;
    WEFT(plan_memory)(plan->first.plan, &bytes, NULL);
    bytes += 63;
    void *memory = own ? NULL : malloc((size_t)bytes);
    const int given = WEFT(plan_set_workspace)(plan->first.plan, memory, own ? 0 : bytes);
    if (given == plan->started)
        living_wrong(plan, given ? "a plan in flight accepts a workspace" : WEFT(last_error)());
    free(given ? plan->workspace : memory);
    if (given)
        plan->workspace = memory;
}

static void destroy(unsigned *state)
{
    living_drop(&plans[arrays_random(state, PLANS)]);
}

static void report(unsigned *state)
{
    const living *plan = &plans[arrays_random(state, PLANS)];
    double adds, multiplies, fused;
    if (!plan->first.plan)
        return;
    FILE *file = fopen("/dev/null", "w");
    if (!WEFT(plan_report)(plan->first.plan, file) ||
        !WEFT(plan_report_json)(plan->first.plan, file))
        living_wrong(plan, "no report");
    FFTW(fprint_plan)(plan->first.plan, file);
    fclose(file);
    char *text = FFTW(sprint_plan)(plan->first.plan);
    if (!text || !*text)
        living_wrong(plan, "nothing to print");
    free(text);
    FFTW(flops)(plan->first.plan, &adds, &multiplies, &fused);
    FFTW(cost)(plan->first.plan);
}

static void destroy_all(unsigned *state)
{
    const run_order order = choose(state);
    for (unsigned i = 0; i < PLANS; i++)
        living_drop(&plans[(order.first + i * order.step) % PLANS]);
}

static void clean_up(unsigned *state)
{
    destroy_all(state);
    FFTW(mpi_cleanup)();
    if (fuzz_one_in(state, 2))
        FFTW(mpi_init)();
}

/* The sorts of steps, and their frequencies. */
static const struct {
    const char *name;
    unsigned weight;
    void (*take)(unsigned *state);
} steps[] = {
    {"make", 24, make},
    {"execute", 24, execute},
    {"execute at once", 6, execute_at_once},
    {"start", 8, start},
    {"finish", 8, finish},
    {"execute many", 6, execute_many},
    {"workspace", 2, give_workspace},
    {"destroy", 6, destroy},
    {"communicators", 4, fuzz_change_comms},
    {"settings", 6, fuzz_change_settings},
    {"backend", 6, fuzz_force_backend},
    {"clear settings", 6, NULL},
    {"wisdom", 5, fuzz_change_wisdom},
    {"report", 2, report},
    {"clean up", 1, clean_up},
};

enum { STEPS = sizeof steps / sizeof *steps };

/* Hashes similar numbers to different ones. */
static unsigned mixed(unsigned a, unsigned b)
{
    unsigned x = a * 2654435761u + b * 40503u + 12345u;
    x = (x ^ x >> 16) * 2246822519u;
    x = (x ^ x >> 13) * 3266489917u;
    return x ^ x >> 16;
}

static void take_step(unsigned state)
{
    unsigned total = 0, which = 0;
    for (int i = 0; i < STEPS; i++)
        total += steps[i].weight;
    for (unsigned at = arrays_random(&state, total); at >= steps[which].weight; which++)
        at -= steps[which].weight;
    fuzz_step_name = steps[which].name;
    if (fuzz_loud)
        fprintf(stderr, "  step %d: %s\n", fuzz_step, fuzz_step_name);
    if (steps[which].take)
        steps[which].take(&state);
    else
        fuzz_clear_settings();
}

void fuzz_sequence(unsigned seed, const bool leave_out[FUZZ_STEPS])
{
    unsigned state = mixed(seed, 0);
    const int count = 4 + (int)arrays_random(&state, FUZZ_STEPS - 3);
    fuzz_wrong[0] = '\0';
    fuzz_comms_begin();
    for (fuzz_step = 0; fuzz_step < count; fuzz_step++)
        if (!leave_out[fuzz_step])
            take_step(mixed(seed, (unsigned)fuzz_step + 1));
    fuzz_step_name = "the end";
    destroy_all(&state);
    fuzz_clear_settings();
    WEFT(forget_wisdom)();
    FFTW(forget_wisdom)();
    fuzz_comms_end();
}
