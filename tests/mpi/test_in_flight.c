/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs in two halves: refused calls, workspaces that the program gives, and several plans in flight
 * at once. These plans exchange through shared memory, by messages, and through shared memory
 * again; two of them always use the same memory. Each plan transforms another multiple of the same
 * input, so that their outputs differ.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/harness.h"
#include "tests/mpi/problems.h"
#include "tests/mpi/variants.h"

enum { PLANS = 3 };

/* Slabs in place, a grid, rows, r2c in slabs, and slabs in place with little memory. */
enum { SORTS = 5 };

static void make_sort(kept_plan *my, int sort, const char *backend)
{
    static const dropin_case slabs[2] = {
        {.what = DROPIN_C2C, .rank = 3, .n = {6, 8, 10}, .in_place = true},
        {.what = DROPIN_R2C, .rank = 3, .n = {6, 8, 10}}};
    const grids_case grid = {.rank = 3,
                             .n = {6, 8, 10},
                             .howmany = 1,
                             .kind = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_FORWARD},
                             .dimensions = 2,
                             .flags = FFTW_ESTIMATE | (sort == 2 ? WEFT_ROWS : 0)};
    const dropin_case it =
        dropin_single(&slabs[sort == 3], FFTW_ESTIMATE | (sort == 4 ? FFTW_CONSERVE_MEMORY : 0));
    char text[PROBLEM_TEXT] = "";
    if (sort == 1 || sort == 2)
        problem_on_grid(&my->of, &grid, MPI_COMM_WORLD, text);
    else
        problem_on_slabs(&my->of, &it, MPI_COMM_WORLD);
    my->of.backend = backend;
    kept_make(my, false, MPI_COMM_WORLD);
    all_true(my->run.plan && !text[0], "%s%s", text, WEFT(last_error)());
}

TEST(invalid_calls_are_refused)
{
    FFTW(complex) number[4];
    kept_plan my;
    make_sort(&my, 0, NULL);
    FFTW(plan)
    plan = my.run.plan, two[2] = {plan, plan},
    serial = FFTW(plan_dft_1d)(4, number, number, FFTW_FORWARD, FFTW_ESTIMATE);
    void *array = my.run.in, *in[2] = {array, array};
    refused(WEFT(execute_finish)(plan), "has not been started");
    refused(WEFT(execute_test)(plan), "has not been started");
    refused(WEFT(execute_start)(serial, number, number), "not one of Weft's");
    refused(WEFT(plan_set_workspace)(serial, number, 8), "not one of Weft's");
    refused(WEFT(execute_many)(2, two, in, in), "0 and 1 are the same");
    refused(WEFT(execute_many)(-1, two, in, in), "the number of plans is -1");
    refused(WEFT(execute_many)(2, two, NULL, in), "inputs");
    all_true(WEFT(execute_many)(0, NULL, NULL, NULL), "\"%s\"", WEFT(last_error)());
    all_true(WEFT(execute_start)(plan, array, array), "\"%s\"", WEFT(last_error)());
    refused(WEFT(execute_start)(plan, array, array), "is not finished");
    refused(WEFT(execute_many)(1, two, in, in), "is not finished");
    refused(WEFT(plan_set_workspace)(plan, NULL, 0), "is running");
    all_true(WEFT(execute_finish)(plan), "\"%s\"", WEFT(last_error)());
    FFTW(destroy_plan)(serial);
    kept_drop(&my);
}

enum { STALE = 0x5a, LINE = 64 };

/* Whether the bytes from `from` to before `until` are stale. */
static bool stale(const char *memory, ptrdiff_t from, ptrdiff_t until)
{
    while (from < until && memory[from] == STALE)
        from++;
    return from >= until;
}

static bool works(kept_plan *my, bool halves)
{
    my->run.halves = halves;
    return kept_works(my);
}

/* Gives a plan exactly the bytes that it needs, `shift` bytes after the begin of a cache line.
 * Returns whether it wrote only there. */
static bool in_its_place(kept_plan *my, ptrdiff_t shift, ptrdiff_t bytes)
{
    const ptrdiff_t begin = LINE + shift, first = shift ? 2 * LINE : LINE, end = first + bytes,
                    all = (end / LINE + 2) * LINE;
    FFTW(plan) plan = my->run.plan;
    char *memory = aligned_alloc(LINE, (size_t)all);
    int used[2] = {bytes > 0};
    memset(memory, STALE, (size_t)all);
    bool right = true;
    const bool small =
        end == begin || !WEFT(plan_set_workspace)(plan, memory + begin, end - begin - 1);
    refused(!small, end == begin ? "" : "a workspace of");
    right = works(my, false) && stale(memory, 0, all) && right;
    right = WEFT(plan_set_workspace)(plan, memory + begin, end - begin) && right;
    right = works(my, false) && right;
    right = works(my, true) && right;
    used[1] = !stale(memory, first, end);
    MPI_Allreduce(MPI_IN_PLACE, used, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    right = right && used[0] == used[1] && stale(memory, 0, first) && stale(memory, end, all);
    right = WEFT(plan_set_workspace)(plan, NULL, 0) && right;
    memset(memory, STALE, (size_t)all);
    right = works(my, false) && stale(memory, 0, all) && right;
    free(memory);
    return right;
}

/* Between nodes (in_flight+nodes2) `node` is the backend. */
static int backends_of_one_node(void)
{
    return variant.nodes ? 0 : backends_for_all();
}

TEST(programs_may_give_a_workspace, .count = backends_of_one_node)
{
    static char late[1 << 20];
    for (int sort = 0; sort < SORTS; sort++) {
        kept_plan my;
        ptrdiff_t bytes = -1;
        make_sort(&my, sort, backend_for_all(_i));
        WEFT(plan_memory)(my.run.plan, &bytes, NULL);
        bool right = in_its_place(&my, 0, bytes);
        right = in_its_place(&my, 8, bytes) && right;
        /* a workspace that the plan has when it is destroyed */
        WEFT(plan_set_workspace)(my.run.plan, late, sizeof late);
        kept_drop(&my);
        all_true(right, "%s, sort %d, %td bytes: %s", backend_for_all(_i), sort, bytes,
                 WEFT(last_error)());
    }
}

/* Exchanges from slabs of one axis to slabs of another; `uneven`: higher ranks have more. */
typedef struct {
    const char *name;
    int kind[3], axis[2];
    bool uneven;
} transform;

static const transform transforms[] = {
    {"cosines", {FFTW_REDFT10, FFTW_REDFT10, WEFT_DFT_R2C}, {2, 2}, false},
    {"uneven cosines", {FFTW_REDFT10, FFTW_REDFT10, WEFT_DFT_R2C}, {2, 2}, true},
    {"natural order", {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_FORWARD}, {0, 0}, true},
};
enum { TRANSFORMS = NUMBER(transforms) };

/* How runs overlap: letters start plans, capital letters finish them; '!' runs plan c as a whole,
 * '.' destroys all plans, which finishes those in flight; "": weft_execute_many. */
static const char *const orders[] = {"",      "abcABC", "abcCBA", "abcBCA", "abAcCB",
                                     "ab!AB", "ab!BA",  "a!bB!A", "abc."};

static ptrdiff_t begin_of(const transform *of, ptrdiff_t size, int process)
{
    const int shares = of->uneven ? ranks * (ranks + 1) / 2 : ranks,
              before = of->uneven ? process * (process + 1) / 2 : process;
    return size * before / shares;
}

static weft_distribution slabs(const transform *of, int side, arrays_part *part)
{
    const bool real = of->kind[2] == WEFT_DFT_R2C && side == 0;
    *part = (arrays_part){.rank = 3, .order = {0, 1, 2}, .tuple = real ? 1 : 2};
    for (int axis = 0; axis < 3; axis++)
        part->length[axis] = part->count[axis] = 8;
    if (of->kind[2] == WEFT_DFT_R2C && side == 1)
        part->length[2] = part->count[2] = 5;
    const int axis = of->axis[side];
    part->start[axis] = begin_of(of, part->length[axis], rank);
    part->count[axis] = begin_of(of, part->length[axis], rank + 1) - part->start[axis];
    memcpy(part->stored, part->count, sizeof part->stored);
    return WEFT(distribution_boxes)(MPI_COMM_WORLD, 3, part->length, part->start, part->count);
}

static void prepare(kept_plan *my, const transform *of, const char *backend, bool shared,
                    int multiple)
{
    problem *it = &my->of;
    *it = (problem){.sort = BETWEEN, .backend = backend};
    it->between.it = (grids_case){.rank = 3, .n = {8, 8, 8}, .howmany = 1, .flags = FFTW_ESTIMATE};
    memcpy(it->between.it.kind, of->kind, sizeof of->kind);
    problem_compute(it, (weft_real)multiple);
    for (int s = 0; s < 2; s++) {
        arrays_part part;
        it->made[s] = slabs(of, s, &part);
        it->side[s] = arrays_map_of(&part);
        it->numbers = it->side[s].slots > it->numbers ? it->side[s].slots : it->numbers;
    }
    kept_make(my, shared, MPI_COMM_WORLD);
    all_true(my->run.plan, "%s, %s: %s", of->name, backend, WEFT(last_error)());
}

static bool run(kept_plan *of, const char *order)
{
    FFTW(plan) plan[PLANS];
    void *in[PLANS], *out[PLANS];
    bool ok = true;
    for (int i = 0; i < PLANS; i++) {
        of[i].run.text[0] = '\0';
        trial_fill(&of[i].run);
        plan[i] = of[i].run.plan;
        in[i] = of[i].run.in;
        out[i] = of[i].run.out;
    }
    if (!*order)
        return WEFT(execute_many)(PLANS, plan, in, out);
    for (; *order; order++) {
        const int lower = *order - 'a', upper = *order - 'A';
        if (*order == '!')
            FFTW(execute)(plan[2]);
        for (int i = PLANS - 1; *order == '.' && i >= 0; i--) {
            FFTW(destroy_plan)(plan[i]);
            of[i].run.plan = NULL;
        }
        if (lower >= 0)
            ok = WEFT(execute_start)(plan[lower], in[lower], out[lower]) && ok;
        else if (upper >= 0)
            ok = WEFT(execute_finish)(plan[upper]) && ok;
    }
    return ok;
}

/* Returns what is wrong with the first plan with a wrong result; "": all are right. */
static const char *wrong(kept_plan *of)
{
    const char *text = "";
    for (int i = PLANS - 1; i >= 0; i--) {
        trial_check(&of[i].run);
        text = of[i].run.text[0] ? of[i].run.text : text;
    }
    return text;
}

/* Exchanges that use a backend: all, or one while the others go through shared memory. */
static const char *const uses[] = {"%s", "shared,%s,shared,shared", "shared,shared,%s,shared"};

/* Two plans of the first transform, and one of the last. Bits of `shared`: plans with arrays in
 * memory that the ranks share. */
static void check(int first, int last, const char *backend, unsigned shared)
{
    kept_plan of[PLANS];
    for (int i = 0; i < PLANS; i++)
        prepare(&of[i], &transforms[i < 2 ? first : last], backend, shared >> i & 1, i + 1);
    for (int i = 0; i < NUMBER(orders); i++) {
        const bool ran = run(of, orders[i]);
        const char *text = ran ? wrong(of) : WEFT(last_error)();
        all_true(ran && !*text, "%s, %s, arrays shared %u, order %s: %s", transforms[first].name,
                 backend, shared, orders[i], text);
    }
    for (int i = 0; i < PLANS; i++)
        kept_drop(&of[i]);
}

TEST(plans_in_flight_do_not_disturb_each_other, .count = backends_of_one_node)
{
    const unsigned every = (1 << PLANS) - 1;
    for (int first = ranks > 3 ? _i % TRANSFORMS : 0;
         first<TRANSFORMS; first += ranks> 3 ? TRANSFORMS : 1)
        for (int use = 0; use < NUMBER(uses); use++) {
            char backends[100];
            snprintf(backends, sizeof backends, uses[use], backend_for_all(_i));
            check(first, (first + 1) % TRANSFORMS, backends, use ? every : (unsigned)_i & every);
        }
}

/* Each exchange has separate memory of the node. (Cosines are exchanged between few ranks.) */
TEST(plans_in_flight_between_nodes)
{
    if (variant.nodes)
        check(TRANSFORMS - 1, TRANSFORMS - 1, "node", 0);
}

AROUND(.start = variant_begin)
