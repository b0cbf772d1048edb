/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans live side by side and run on their own arrays or others, one by one, in threads, or in two
 * halves between which others run. */
#include "tests/fuzz/fuzz.h"
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

/* A run of a plan. */
typedef struct {
    const struct living *plan;
    weft_real *in, *out;
    int shift;
    bool others; /* than the arrays of planning */
    bool halves; /* is started and finished */
    char text[PROBLEM_TEXT];
} trial;

/* A plan, with the arrays it was made for; none where plan is NULL. */
typedef struct living {
    problem it;
    FFTW(plan) plan;
    fuzz_comm comm; /* which the user may have freed */
    weft_real *in, *out;
    bool none;     /* this rank holds nothing, and says NULL */
    unsigned null; /* bits 0, 1: made for an input, an output of NULL */
    trial flight;  /* of a plan that was started */
    bool started;
    void *workspace; /* that it was given */
} living;

static living plans[PLANS];

/* One of memory that ranks share, where all ranks still have the communicator for that; on all of
 * them, or on some. */
static weft_real *some_array(const living *plan, int shift, unsigned *state)
{
    const bool share = fuzz_one_in(state, 4) && shift == 0, all = fuzz_one_in(state, 2);
    int me;
    for (int i = 0; share && i < FUZZ_COMMS; i++) {
        if (fuzz_comms[i].number != plan->comm.number || fuzz_comms[i].comm == MPI_COMM_NULL)
            continue;
        weft_real *shared = arrays_shared(plan->it.numbers, fuzz_comms[i].comm);
        MPI_Comm_rank(fuzz_comms[i].comm, &me);
        if (all || me % 2 == 0)
            return shared;
        arrays_free(shared, 0);
    }
    return arrays_fresh(plan->it.numbers, shift);
}

static void drop_arrays(weft_real *in, weft_real *out, int shift)
{
    if (out != in)
        arrays_free(out, shift);
    arrays_free(in, shift);
}

/* The problem goes first where its communicator may. */
static void drop(living *plan)
{
    if (plan->plan)
        FFTW(destroy_plan)(plan->plan);
    if (plan->started && plan->flight.others)
        drop_arrays(plan->flight.in, plan->flight.out, plan->flight.shift);
    drop_arrays(plan->in, plan->out, plan->it.shift);
    free(plan->workspace);
    problem_free(&plan->it);
    memset(plan, 0, sizeof *plan);
}

static void describe(const living *plan, const char *what)
{
    char name[PROBLEM_TEXT];
    problem_describe(&plan->it, name);
    fuzz_fail("%s: %s", name, what);
}

/* Whether the ranks of a communicator have plans, or none. */
static bool all_alike(bool made, MPI_Comm comm)
{
    int counts[2] = {made, !made};
    MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT, MPI_MAX, comm);
    return counts[0] + counts[1] == 1;
}

/* Plans as the problem says, and looks at what else that does. */
static FFTW(plan) make_plan(living *plan, const problem *asked, const char *how)
{
    char printed[400], text[1000];
    fuzz_catch();
    FFTW(plan)
    made = problem_plan(asked, plan->null & 1 ? NULL : plan->in, plan->null & 2 ? NULL : plan->out,
                        plan->comm.comm);
    const long bytes = fuzz_caught(printed, sizeof printed);
    const bool sentence = WEFT(last_error)()[0];
    snprintf(text, sizeof text, "%s%s, \"%.400s\"", how, made ? "a plan" : "no plan",
             WEFT(last_error)());
    if (!all_alike(made != NULL, plan->comm.comm))
        describe(plan, "a plan on some ranks alone");
    if ((made != NULL) == sentence)
        describe(plan, text);
    if (bytes > 0 && !fuzz_settings_print())
        describe(plan, printed);
    if (plan->in && (!made || problem_estimates(asked)) &&
        (!arrays_untouched(plan->in, plan->it.numbers) ||
         !arrays_untouched(plan->out, plan->it.numbers)))
        describe(plan, "planning wrote to an array");
    return made;
}

/* A problem and its arrays; false: there is none here. */
static bool prepare(living *plan, unsigned *state)
{
    char text[PROBLEM_TEXT] = "", printed[400];
    const unsigned slot = arrays_random(state, FUZZ_COMMS);
    drop(plan);
    plan->comm = fuzz_comms[fuzz_one_in(state, 2) ? 0 : slot];
    if (plan->comm.comm == MPI_COMM_NULL)
        return false;
    fuzz_catch();
    const bool made = problem_any(&plan->it, state, plan->comm.comm, text);
    if (fuzz_caught(printed, sizeof printed) > 0 && !fuzz_settings_print())
        describe(plan, printed);
    if (text[0])
        describe(plan, text);
    if (!made || text[0]) {
        if (fuzz_settings_fit() == SETTINGS_FIT)
            describe(plan, WEFT(last_error)());
        return false;
    }
    if (fuzz_loud) {
        problem_describe(&plan->it, text);
        fprintf(stderr, "    %s\n", text);
    }
    const bool nothing = plan->it.side[0].slots == 0 && plan->it.side[1].slots == 0;
    plan->none = plan->it.sort == ON_SLABS && plan->it.slabs.nulls && nothing;
    plan->null = fuzz_one_in(state, 4) ? 1 + arrays_random(state, 3) : 0;
    /* Arrays of shared memory are made by all ranks or by none. */
    weft_real *in = some_array(plan, plan->it.shift, state);
    weft_real *out = plan->it.in_place ? in : some_array(plan, plan->it.shift, state);
    if (plan->none)
        drop_arrays(in, out, plan->it.shift);
    plan->in = plan->none ? NULL : in;
    plan->out = plan->none ? NULL : out;
    return true;
}

/* What plans do not need may go at once; what hangs on a communicator must. */
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

static void make(unsigned *state)
{
    living *plan = &plans[arrays_random(state, PLANS)];
    if (!prepare(plan, state)) {
        drop(plan);
        return;
    }
    plan->plan = make_plan(plan, &plan->it, "");
    const fuzz_fit fit = fuzz_settings_fit();
    if (plan->plan && fit == SETTINGS_FAIL)
        describe(plan, "a plan, with a setting that cannot be");
    if (!plan->plan && fit == SETTINGS_FIT && !plan->it.may_fail)
        describe(plan, WEFT(last_error)());
    trim(plan, state);
    if (!plan->plan)
        drop(plan);
}

/* Of all ranks, or of one alone. */
static void make_wrong(unsigned *state)
{
    living *plan = &plans[arrays_random(state, PLANS)];
    int me, ranks;
    char how[100];
    if (!prepare(plan, state)) {
        drop(plan);
        return;
    }
    MPI_Comm_rank(plan->comm.comm, &me);
    MPI_Comm_size(plan->comm.comm, &ranks);
    problem asked = plan->it;
    const char *what = problem_spoil(&asked, state, plan->comm.comm);
    const bool alone = fuzz_one_in(state, 2);
    const int who = (int)arrays_random(state, (unsigned)ranks);
    snprintf(how, sizeof how, "with a wrong %s on %s: ", what ? what : "nothing",
             alone ? "one rank" : "all ranks");
    if (what && fuzz_loud)
        fprintf(stderr, "    %s\n", how);
    if (what) {
        plan->plan = make_plan(plan, alone && me != who ? &plan->it : &asked, how);
        if (plan->plan)
            describe(plan, how);
    }
    drop(plan);
}

static bool begin(trial *it, int which, unsigned *state)
{
    const living *plan = &plans[which];
    const problem *of = &plan->it;
    if (!plan->plan || plan->started)
        return false;
    *it = (trial){.plan = plan, .in = plan->in, .out = plan->out, .shift = of->shift};
    it->halves = fuzz_one_in(state, 4) && !fuzz_whole;
    it->others = plan->null || fuzz_one_in(state, 2);
    if (!it->others)
        return true;
    const bool turn = fuzz_one_in(state, 4) && problem_fits_in_place(of);
    const bool in_place = of->in_place != turn;
    it->shift = of->new_shift;
    it->in = some_array(plan, it->shift, state);
    it->out = in_place ? it->in : some_array(plan, it->shift, state);
    if (plan->none) {
        drop_arrays(it->in, it->out, it->shift);
        it->in = it->out = NULL;
    }
    return true;
}

static void fill(const trial *it)
{
    const problem *of = &it->plan->it;
    if (it->out && it->out != it->in)
        arrays_spoil(it->out, of->numbers);
    if (it->in)
        arrays_fill(it->in, &of->side[0], of->all[0]);
}

static void check(trial *it)
{
    const problem *of = &it->plan->it;
    const bool in_place = it->in == it->out;
    if (!it->in ||
        !arrays_right(it->out, &of->side[1], of->all[1], of->largest, it->text, PROBLEM_TEXT))
        return;
    if (problem_preserves(of, in_place) &&
        !arrays_unchanged(it->in, &of->side[0], of->all[0], it->text, PROBLEM_TEXT))
        return;
    if (!arrays_guarded(it->in, of->numbers) || !arrays_guarded(it->out, of->numbers))
        snprintf(it->text, PROBLEM_TEXT, "memory behind the %td numbers allocated was written",
                 of->numbers);
    if (problem_keeps_holes(of) &&
        (!arrays_kept_holes(it->out, &of->side[1], in_place ? &of->side[0] : NULL) ||
         (!in_place && !arrays_kept_holes(it->in, &of->side[0], NULL))))
        snprintf(it->text, PROBLEM_TEXT, "memory around a box was written");
}

static void must(trial *it, int done, const char *function)
{
    if (!done)
        snprintf(it->text, PROBLEM_TEXT, "%s: %.400s", function, WEFT(last_error)());
}

static void start_one(trial *it)
{
    fill(it);
    must(it, WEFT(execute_start)(it->plan->plan, it->in, it->out), "start");
}

/* Asked whether messages have arrived, it says so, or nothing. */
static void finish_one(trial *it, unsigned questions)
{
    while (questions-- > 0)
        must(it, WEFT(execute_test)(it->plan->plan) || !WEFT(last_error)()[0], "test");
    must(it, WEFT(execute_finish)(it->plan->plan), "finish");
    if (!it->text[0])
        check(it);
}

static void *run(void *of)
{
    trial *it = of;
    if (it->halves) {
        start_one(it);
        finish_one(it, 1);
        return NULL;
    }
    fill(it);
    if (it->others)
        problem_execute(&it->plan->it, it->plan->plan, it->in, it->out);
    else
        FFTW(execute)(it->plan->plan);
    check(it);
    return NULL;
}

/* Says what was wrong with so many runs. */
static void end(trial *it, int runs)
{
    fuzz_runs += runs;
    if (it->text[0])
        describe(it->plan, it->text);
    if (it->others)
        drop_arrays(it->in, it->out, it->shift);
}

static void execute_at_once(unsigned *state)
{
    trial it[AT_ONCE];
    pthread_t thread[AT_ONCE];
    bool begun[AT_ONCE];
    const unsigned first = arrays_random(state, PLANS);
    for (int i = 0; i < AT_ONCE; i++) {
        unsigned own = *state + (unsigned)i; /* not all ranks have all plans */
        begun[i] = begin(&it[i], (int)(first + (unsigned)i) % PLANS, &own);
    }
    for (int i = 0; i < AT_ONCE; i++)
        if (begun[i] && !fuzz_threads)
            run(&it[i]);
        else if (begun[i])
            pthread_create(&thread[i], NULL, run, &it[i]);
    for (int i = 0; i < AT_ONCE; i++)
        if (begun[i] && fuzz_threads)
            pthread_join(thread[i], NULL);
    for (int i = 0; i < AT_ONCE; i++)
        if (begun[i])
            end(&it[i], 1);
}

/* Some of all plans, in an order made up; the same on all ranks, though not all have all plans. */
typedef struct {
    unsigned first, step, some;
} choice;

static choice choose(unsigned *state)
{
    return (choice){arrays_random(state, PLANS), 1 + 2 * arrays_random(state, PLANS / 2),
                    arrays_random(state, 1 << PLANS)};
}

/* The plan at a place in that order; NULL: this rank has none, or it was not chosen. */
static living *chosen(const choice *of, unsigned i)
{
    living *plan = &plans[(of->first + i * of->step) % PLANS];
    return plan->plan && of->some >> i & 1 ? plan : NULL;
}

static void execute(unsigned *state)
{
    const choice these = choose(state);
    for (unsigned i = 0; i < PLANS; i++) {
        const living *plan = chosen(&these, i);
        unsigned own = *state + i;
        trial it;
        if (!plan || !begin(&it, (int)(plan - plans), &own))
            continue;
        const int turns = 1 + (int)arrays_random(&own, 12);
        for (int turn = 0; turn < turns && !it.text[0]; turn++)
            run(&it);
        end(&it, turns);
    }
}

static void start(unsigned *state)
{
    const choice these = choose(state);
    for (unsigned i = 0; i < PLANS && !fuzz_whole; i++) {
        living *plan = chosen(&these, i);
        unsigned own = *state + i;
        if (!plan || !begin(&plan->flight, (int)(plan - plans), &own))
            continue;
        plan->started = true;
        start_one(&plan->flight);
    }
}

static void finish(unsigned *state)
{
    const choice these = choose(state);
    const unsigned questions = arrays_random(state, 3);
    for (unsigned i = 0; i < PLANS; i++) {
        living *plan = chosen(&these, i);
        if (!plan || !plan->started)
            continue;
        finish_one(&plan->flight, questions);
        plan->started = false;
        end(&plan->flight, 1);
    }
}

/* Of one communicator, since ranks must agree on what comes after what. */
static void execute_many(unsigned *state)
{
    const choice these = choose(state);
    const living *one = &plans[arrays_random(state, PLANS)];
    FFTW(plan) plan[PLANS];
    void *in[PLANS], *out[PLANS];
    trial it[PLANS];
    int count = 0;
    for (unsigned i = 0; i < PLANS && one->plan && !fuzz_whole; i++) {
        const living *my = chosen(&these, i);
        unsigned own = *state + i;
        if (!my || my->comm.number != one->comm.number ||
            !begin(&it[count], (int)(my - plans), &own))
            continue;
        fill(&it[count]);
        plan[count] = my->plan;
        in[count] = it[count].in;
        out[count] = it[count].out;
        count++;
    }
    const int done = WEFT(execute_many)(count, plan, in, out);
    for (int i = 0; i < count; i++) {
        must(&it[i], done, "execute_many");
        if (done)
            check(&it[i]);
        end(&it[i], 1);
    }
}

/* As much as the plan takes, or none of its own again; not while it runs. */
static void give_workspace(unsigned *state)
{
    living *plan = &plans[arrays_random(state, PLANS)];
    const bool own = fuzz_one_in(state, 4);
    ptrdiff_t bytes = 0;
    if (!plan->plan)
        return;
    WEFT(plan_memory)(plan->plan, &bytes, NULL);
    bytes += 63;
    void *memory = own ? NULL : malloc((size_t)bytes);
    const int given = WEFT(plan_set_workspace)(plan->plan, memory, own ? 0 : bytes);
    if (given == plan->started)
        describe(plan, given ? "a workspace, of a plan in flight" : WEFT(last_error)());
    free(given ? plan->workspace : memory);
    if (given)
        plan->workspace = memory;
}

static void destroy(unsigned *state)
{
    drop(&plans[arrays_random(state, PLANS)]);
}

static void report(unsigned *state)
{
    const living *plan = &plans[arrays_random(state, PLANS)];
    double adds, multiplies, fused;
    if (!plan->plan)
        return;
    FILE *file = fopen("/dev/null", "w");
    if (!WEFT(plan_report)(plan->plan, file) || !WEFT(plan_report_json)(plan->plan, file))
        describe(plan, "no report");
    FFTW(fprint_plan)(plan->plan, file);
    fclose(file);
    char *text = FFTW(sprint_plan)(plan->plan);
    if (!text || !*text)
        describe(plan, "nothing to print");
    free(text);
    FFTW(flops)(plan->plan, &adds, &multiplies, &fused);
    FFTW(cost)(plan->plan);
}

/* In any order. */
static void destroy_all(unsigned *state)
{
    const choice order = choose(state);
    for (unsigned i = 0; i < PLANS; i++)
        drop(&plans[(order.first + i * order.step) % PLANS]);
}

static void clean_up(unsigned *state)
{
    destroy_all(state);
    FFTW(mpi_cleanup)();
    if (fuzz_one_in(state, 2))
        FFTW(mpi_init)();
}

/* What a sequence is made of, and how often. */
static const struct {
    const char *name;
    unsigned weight;
    void (*take)(unsigned *state);
} steps[] = {
    {"make", 24, make},
    {"make wrong", 8, make_wrong},
    {"execute", 24, execute},
    {"execute at once", 6, execute_at_once},
    {"start", 8, start},
    {"finish", 8, finish},
    {"execute many", 6, execute_many},
    {"workspace", 2, give_workspace},
    {"destroy", 6, destroy},
    {"communicators", 4, fuzz_change_comms},
    {"settings", 6, fuzz_change_settings},
    {"clear settings", 4, NULL},
    {"wisdom", 5, fuzz_change_wisdom},
    {"report", 2, report},
    {"clean up", 1, clean_up},
};

enum { STEPS = sizeof steps / sizeof *steps };

/* Good numbers of what is nearly the same. */
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
