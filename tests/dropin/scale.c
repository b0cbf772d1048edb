/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For simulated ranks: transforms on slabs, some of them empty, and on grids of two and three
 * dimensions, with every backend and with the planner's choice, compared with serial FFTW on the
 * whole array. All ranks must have the same plan.
 *
 *     scale [turns [twice]]    of each problem a part of the backends; everything done once more
 *     scale chosen             only what the planner chooses, and the backend node
 */
#include <complex.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

enum { MOST_AXES = 4 };

typedef struct {
    const char *name;
    int axes, dimensions; /* axes of the array; dimensions of the grid, 0: FFTW's interface */
    int transposed;
    ptrdiff_t n[MOST_AXES];
} problem;

/* One plan of a problem, on this rank. */
typedef struct {
    const problem *of;
    MPI_Comm comm;  /* a duplicate */
    weft_grid grid; /* NULL: without a grid */
    ptrdiff_t points, in_count[MOST_AXES], in_start[MOST_AXES], out_count[MOST_AXES],
        out_start[MOST_AXES];
    fftw_complex *data;
} share;

static fftw_complex *input, *reference; /* of the whole array */
static int rank;

static double noise(ptrdiff_t i)
{
    const unsigned long long x = (unsigned long long)i * 2654435761u + 12345;
    return (double)((x ^ x >> 13) * 40503 % 10007) / 10007 - 0.5;
}

static ptrdiff_t points_of(const problem *of)
{
    ptrdiff_t points = 1;
    for (int a = 0; a < of->axes; a++)
        points *= of->n[a];
    return points;
}

static void make_reference(const problem *of)
{
    int n[MOST_AXES];
    const ptrdiff_t points = points_of(of);
    for (int a = 0; a < of->axes; a++)
        n[a] = (int)of->n[a];
    input = fftw_alloc_complex((size_t)points);
    reference = fftw_alloc_complex((size_t)points);
    for (ptrdiff_t i = 0; i < points; i++)
        input[i] = noise(2 * i) + I * noise(2 * i + 1);
    fftw_plan plan = fftw_plan_dft(of->axes, n, input, reference, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
}

/* Takes slabs of axis `axis` by FFTW's division. */
static void take_slab(const problem *of, int axis, ptrdiff_t local, ptrdiff_t from,
                      ptrdiff_t *count, ptrdiff_t *start)
{
    for (int a = 0; a < of->axes; a++) {
        count[a] = a == axis ? local : of->n[a];
        start[a] = a == axis ? from : 0;
    }
}

static void find_share(share *it, const problem *of)
{
    ptrdiff_t n0, start0, n1, start1;
    *it = (share){.of = of};
    MPI_Comm_dup(MPI_COMM_WORLD, &it->comm);
    if (of->dimensions > 0) {
        it->grid = weft_grid_create(it->comm, of->dimensions, NULL);
        it->points = weft_local_size(of->axes, of->n, 1, it->grid, WEFT_DFT_FORWARD, 0,
                                     it->in_count, it->in_start, it->out_count, it->out_start);
    } else {
        it->points =
            fftw_mpi_local_size_transposed(of->axes, of->n, it->comm, &n0, &start0, &n1, &start1);
        take_slab(of, 0, n0, start0, it->in_count, it->in_start);
        take_slab(of, of->transposed, of->transposed ? n1 : n0, of->transposed ? start1 : start0,
                  it->out_count, it->out_start);
    }
    it->data = fftw_alloc_complex((size_t)(it->points > 0 ? it->points : 1));
}

static fftw_plan plan(const share *it, unsigned flags)
{
    const problem *of = it->of;
    if (it->grid)
        return weft_plan_dft(of->axes, of->n, it->data, it->data, it->grid, FFTW_FORWARD, flags);
    flags |= of->transposed ? FFTW_MPI_TRANSPOSED_OUT : 0;
    return fftw_mpi_plan_dft(of->axes, of->n, it->data, it->data, it->comm, FFTW_FORWARD, flags);
}

/* Visits this rank's numbers in memory order: fills them, or returns the largest error. */
static double walk(const share *it, int filling)
{
    const problem *of = it->of;
    const ptrdiff_t *count = filling ? it->in_count : it->out_count;
    const ptrdiff_t *start = filling ? it->in_start : it->out_start;
    ptrdiff_t at[MOST_AXES] = {0}, held = 1;
    int order[MOST_AXES] = {0, 1, 2, 3};
    double worst = 0;
    if (!filling && of->transposed)
        order[0] = 1, order[1] = 0;
    for (int a = 0; a < of->axes; a++)
        held *= count[a];
    for (ptrdiff_t i = 0; i < held; i++) {
        ptrdiff_t where = 0;
        for (int a = 0; a < of->axes; a++)
            where = where * of->n[a] + start[a] + at[a];
        if (filling)
            it->data[i] = input[where];
        else if (!(cabs(it->data[i] - reference[where]) <= worst)) /* true also for NaN */
            worst = cabs(it->data[i] - reference[where]);
        for (int o = of->axes - 1; o >= 0 && ++at[order[o]] == count[order[o]]; o--)
            at[order[o]] = 0;
    }
    return worst;
}

/* Returns a number for the backends of the exchanges. */
static double backends_of(fftw_plan made)
{
    char *text = fftw_sprint_plan(made);
    unsigned long long number = 5381;
    for (const char *at = text; (at = strstr(at, "exchange "));)
        for (at += strlen("exchange "); *at && *at != ' ' && *at != ')'; at++)
            number = number * 33 % 1000000007 + (unsigned char)*at;
    free(text);
    return (double)number;
}

/* Makes and runs a plan; returns 1 if it is wrong, otherwise 0. */
static int check(const share *it, const char *way, unsigned flags)
{
    /* error; a plan; no plan; backends */
    double mine[5] = {0}, all[5];
    weft_set_backend(way);
    fftw_plan made = plan(it, flags);
    mine[made ? 1 : 2] = 1;
    if (made) {
        walk(it, 1);
        fftw_execute(made);
        mine[0] = walk(it, 0);
        mine[3] = backends_of(made);
        mine[4] = -mine[3];
        fftw_destroy_plan(made);
    }
    MPI_Allreduce(mine, all, 5, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const char *wrong = NULL;
    if (all[1] == all[2])
        wrong = "a plan on some ranks only";
    else if (all[2] > 0 && !strstr(weft_last_error(), "its ranks are on several nodes") &&
             !strstr(weft_last_error(), "its ranks are on one node") &&
             !strstr(weft_last_error(), "its blocks differ too much") &&
             !strstr(weft_last_error(), "its arrays are in memory of the host"))
        wrong = weft_last_error();
    else if (all[3] != -all[4])
        wrong = "ranks have other plans";
    else if (!(all[0] < 1e-9))
        wrong = "other results than serial FFTW's";
    if (rank == 0 && wrong)
        printf("%s by %s: %s (%g)\n", it->of->name, way ? way : "choice", wrong, all[0]);
    if (rank == 0 && !wrong)
        printf("%s by %s: %s\n", it->of->name, way ? way : "choice",
               all[1] > 0 ? "right" : weft_last_error());
    fflush(stdout);
    return wrong != NULL;
}

/* Checks a problem with all backends, or with those whose turn it is, so that each backend has one
 * of the problems. With a negative turn with none of them. */
static int check_problem(const problem *of, int turn, int turns)
{
    share it;
    int wrong = 0;
    const char *way;
    make_reference(of);
    find_share(&it, of);
    for (int place = 0; (way = weft_backend_name(place)); place++)
        if (place % turns == turn || (of->transposed && strcmp(way, "node") == 0))
            wrong += check(&it, way, FFTW_ESTIMATE);
    if (of->dimensions > 1 && turn >= 0)
        wrong += check(&it, of->dimensions == 2 ? "shared,waitall" : "shared,waitall,waitall",
                       FFTW_ESTIMATE);
    wrong += check(&it, NULL, FFTW_ESTIMATE);
    if (it.grid)
        weft_grid_free(it.grid);
    MPI_Comm_free(&it.comm);
    fftw_free(it.data);
    fftw_free(input);
    fftw_free(reference);
    return wrong;
}

/* A chosen grid has its last dimensions within nodes: not 8 x 8 x 4. */
static int check_grid(int ranks)
{
    int dims[3] = {16, 4, 4};
    weft_grid grid = ranks == 256 ? weft_grid_create(MPI_COMM_WORLD, 3, NULL) : NULL;
    weft_grid_dims(grid, dims);
    weft_grid_free(grid);
    const int wrong = dims[0] != 16 || dims[1] != 4 || dims[2] != 4;
    if (rank == 0 && ranks == 256)
        printf("the grid of 256 ranks, 16 of each node, is %dx%dx%d: %s\n", dims[0], dims[1],
               dims[2], wrong ? "wrong" : "right");
    return wrong;
}

int main(int argc, char **argv)
{
    static const problem problems[] = {
        {"slabs", 3, 0, 0, {256, 10, 12}},
        {"transposed slabs", 3, 0, 1, {260, 300, 2}},
        {"idle ranks", 3, 0, 0, {32, 36, 10}},
        {"idle ranks, transposed", 3, 0, 1, {32, 36, 10}},
        {"a grid of two dimensions", 3, 2, 0, {20, 33, 18}},
        {"a grid of three dimensions", 4, 3, 0, {9, 10, 11, 12}},
    };
    enum { PROBLEMS = sizeof problems / sizeof *problems };
    const bool chosen = argc > 1 && strcmp(argv[1], "chosen") == 0;
    const int turns = argc > 1 && strcmp(argv[1], "turns") == 0 ? PROBLEMS : 1;
    const int times = argc > 2 && strcmp(argv[2], "twice") == 0 ? 2 : 1;
    int wrong, ranks;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    wrong = check_grid(ranks);
    for (int i = 0; i < PROBLEMS * times; i++)
        wrong +=
            check_problem(&problems[i / times], chosen ? -1 : (i / times + ranks) % turns, turns);
    if (rank == 0)
        printf("%d wrong\n", wrong);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return wrong > 0;
}
