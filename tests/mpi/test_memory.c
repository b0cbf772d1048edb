/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory: with many plans a process has at most one local array of workspace, private and shared
 * together, and a part of it with FFTW_CONSERVE_MEMORY, if slabs have one size.
 */
#include "api/fftw3-mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"
#include "api/weft.h"

/* Tiles of passes need extra memory, as much as caches, not as arrays. */
enum { TILES = 2 << 20 };

enum { SIZES = 3, KINDS = 4, SIDES = 4, PLANS = SIZES * KINDS * SIDES };

typedef struct {
    FFTW(plan) plan;
    double local; /* bytes of the program's larger array */
} planned;

static planned make(int which, unsigned flags, weft_real *in, weft_real *out)
{
    static const ptrdiff_t sizes[SIZES] = {4, 5, 7};
    static const dropin_what kinds[KINDS] = {DROPIN_C2C, DROPIN_R2C, DROPIN_C2R, DROPIN_R2R};
    const ptrdiff_t n = sizes[which % SIZES] * 8 * ranks;
    const int side = which / SIZES / KINDS;
    dropin_case it = {.what = kinds[which / SIZES % KINDS],
                      .rank = 3,
                      .n = {n, n, 128 / ranks},
                      .howmany = 1,
                      .sign = FFTW_FORWARD,
                      .kind = {FFTW_REDFT10, FFTW_RODFT10, FFTW_DHT}};
    it.flags = flags | dropin_orders(it.what, 3, side & 1 ? it.what == DROPIN_C2R ? 1 : 2 : 0);
    return (planned){dropin_plan(&it, in, side & 2 ? in : out, MPI_COMM_WORLD),
                     (double)sizeof(weft_real) *
                         (double)dropin_allocation(&it, MPI_COMM_WORLD, 0, 0)};
}

/* Makes all plans. The workspace of each, and the shared one of all, may have at most `most` local
 * arrays and `more` bytes. */
static void check(unsigned flags, double most, double more)
{
    planned it[PLANS];
    const size_t capacity = (size_t)56 * 56 * (size_t)ranks * (size_t)(128 / ranks + 2);
    weft_real *in = FFTW(alloc_real)(capacity * 2), *out = FFTW(alloc_real)(capacity * 2);
    double worst = 0, shared = 0, workspace = 0, largest = 0;
    int worst_plan = 0, missing = 0;
    for (int i = 0; i < PLANS; i++) {
        it[i] = make(i, flags, in, out);
        missing += it[i].plan == NULL;
        if (!it[i].plan)
            continue;
        ptrdiff_t borrowed, all;
        WEFT(plan_memory)(it[i].plan, &borrowed, &all);
        const double mine = (double)borrowed, window = (double)all;
        const double part = (mine + window - more) / it[i].local;
        if (part > worst) {
            worst = part;
            worst_plan = i;
        }
        shared = window > shared ? window : shared;
        workspace = mine > workspace ? mine : workspace;
        largest = it[i].local > largest ? it[i].local : largest;
        FFTW(execute)(it[i].plan);
    }
    for (int i = 0; i < PLANS; i++)
        if (it[i].plan)
            FFTW(destroy_plan)(it[i].plan);
    FFTW(free)(in);
    FFTW(free)(out);
    all_true(missing == 0, "%d plans could not be made", missing);
    if (rank == 0)
        printf("workspace: %.3f of the local array at the most, %.3f of the largest in all\n",
               worst, (shared + workspace - more) / largest);
    all_true(ranks == 1 || worst <= most, "plan %d has a workspace of %.3f of its local array",
             worst_plan, worst);
    all_true(ranks == 1 || shared + workspace - more <= most * largest,
             "all plans together have %.0f bytes private and %.0f shared", workspace, shared);
}

static const struct {
    const char *backend;
    unsigned flags;
    double most, more; /* local arrays; bytes */
} limits[] = {{NULL, FFTW_ESTIMATE, 1, TILES},
              {"waitall", FFTW_ESTIMATE, 3, TILES},
              {NULL, FFTW_ESTIMATE | FFTW_CONSERVE_MEMORY, 0.1, 0}};

TEST(all_plans_share_one_workspace, .to = 3)
{
    set_environment("WEFT_BACKEND", limits[_i].backend);
    check(limits[_i].flags, limits[_i].most, limits[_i].more);
    unsetenv("WEFT_BACKEND");
}
