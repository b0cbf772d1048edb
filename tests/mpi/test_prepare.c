/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preparing exchanges, with a backend that counts its calls: all ranks continue or none does, on
 * whichever rank a call fails. Ranks without peers do not call the backend.
 */
#include <stdio.h>
#include <string.h>
#include "backends/exchange/exchange.h"
#include "kernels/base/error.h"
#include "tests/layouts.h"
#include "tests/mpi/harness.h"

static int prepared, released;
/* The rank where preparing fails; -1: none. It gives a reason if the value is above 1. */
static int fails_on;

static const char *odd_values_only(const weft_exchange *exchange, int value)
{
    (void)exchange;
    return value % 2 == 0 ? "its value is even" : NULL;
}

/* The value is the number of bytes of the workspace. */
static void *count_preparing(const weft_exchange *exchange, int value, size_t *workspace)
{
    prepared++;
    *workspace = (size_t)value;
    if (rank != fails_on)
        return &prepared;
    if (value > 1)
        exchange->services->error("rank %d has no %s", rank, "strength");
    return NULL;
}

static void nothing(void *state, const void *in, void *out, void *workspace)
{
    (void)state, (void)in, (void)out, (void)workspace;
}

static void count_releasing(void *state)
{
    (void)state;
    released++;
}

static const weft_backend plain = {.version = WEFT_BACKEND_VERSION,
                                   .name = "plain",
                                   .about = "counts",
                                   .applicable = odd_values_only,
                                   .prepare = count_preparing,
                                   .start = nothing,
                                   .finish = nothing,
                                   .release = count_releasing};

static void begin(void)
{
    prepared = released = 0;
    fails_on = -1;
}

/* An exchange from slabs of one axis to slabs of the other on the first `used` ranks. */
static weft_exchange *make(int used)
{
    static const ptrdiff_t size[2] = {24, 16};
    weft_layout from, to;
    slab_layouts(2, size, 1, used, &from, &to);
    return weft_exchange_create(&from, &to, sizeof(ptrdiff_t), 0, NULL, MPI_COMM_WORLD);
}

/* The value, which is the workspace that the backend asks for, and the workspace that it gets; 0:
 * refused. */
static const struct {
    int asked;
    size_t given;
} values[] = {{1, 64}, {63, 64}, {65, 128}, {127, 128}, {129, 192}, {2, 0}};

TEST(workspace_is_rounded_up_to_64_bytes, .to = NUMBER(values))
{
    begin();
    const char *refusal = "backend plain cannot carry out this exchange: its value is even";
    weft_exchange *e = make(ranks);
    weft_prepared *p = weft_prepare(e, &plain, values[_i].asked);
    const size_t given = ranks > 1 ? values[_i].given : 0; /* one rank needs none */
    all_true(!p == (ranks > 1 && !given), "%s", weft_error_text());
    all_true(p || strcmp(weft_error_text(), refusal) == 0, "\"%s\"", weft_error_text());
    all_true(!p || (p->workspace == given && p->asked == &plain && p->value == values[_i].asked),
             "another workspace, backend or value");
    weft_prepared_release(p);
    all_true(prepared == (given > 0) && released == prepared, "%d prepared, %d released", prepared,
             released);
    weft_exchange_destroy(e);
}

/* If an exchange uses fewer ranks, the others have no peers, but must also fail. */
TEST(a_failure_on_one_rank_fails_on_all)
{
    begin();
    for (int used = 2; used <= ranks; used++)
        for (fails_on = 0; fails_on < used; fails_on++)
            for (int value = 1; value <= 3; value += 2) {
                weft_exchange *e = make(used);
                char expected[80] = "backend plain could not be prepared";
                const int mine = rank < used;
                prepared = released = 0;
                const weft_prepared *p = weft_prepare(e, &plain, value);
                if (value > 1)
                    snprintf(expected, sizeof expected, "rank %d has no strength", fails_on);
                all_true(!p && strcmp(weft_error_text(), expected) == 0, "\"%s\", not \"%s\"",
                         weft_error_text(), expected);
                all_true(prepared == mine && released == (mine && rank != fails_on),
                         "%d prepared, %d released with %d ranks, of which %d fails", prepared,
                         released, used, fails_on);
                weft_exchange_destroy(e);
            }
}

TEST(a_rank_alone_needs_memory_to_reorder_in_place, .to = 2)
{
    begin();
    const ptrdiff_t size[3] = {2 * ranks, 5, 7};
    weft_layout from, to;
    weft_layout_init(&from, 3, size, 2);
    from.grid_axes = 1;
    from.grid[0] = ranks;
    from.axis[0].grid_axis = 0;
    to = from;
    to.order[1] = _i ? 2 : 1;
    to.order[2] = _i ? 1 : 2;
    weft_exchange *e = weft_exchange_create(&from, &to, 8, WEFT_IN_PLACE, NULL, MPI_COMM_WORLD);
    weft_prepared *p = weft_prepare(e, &plain, 1);
    all_true(p && prepared == 0, "%s", weft_error_text());
    all_true((p->workspace > 0) == _i, "%zu bytes", p->workspace);
    weft_prepared_release(p);
    weft_exchange_destroy(e);
}
