/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times transforms on simulated ranks. Computation takes no simulated time, so only the exchanges
 * count. Linked with Weft, the program prints a line for each way of exchanging, or for the plan of
 * FFTW_ESTIMATE or FFTW_MEASURE. Linked with FFTW-MPI (FFTW_MPI_ALONE), it times the plan of
 * FFTW_ESTIMATE.
 *
 *     exchange WAYS ORDERS SIZE...       exchange waitall,bruck:4,estimate natural 64x64x64
 *     64x64x64 natural estimate 15.62 960 4128768 65536 211 bruck:8
 *
 * Ways: a backend; estimate; measure; planned: as estimate, but the plan is not run; nothing: no
 * plan is made, which shows the cost of the rest of the program.
 *
 * Orders: natural; transposed; grid: on a grid of two dimensions that weft_grid_create or WEFT_GRID
 * chooses, from the side aligned along the last axis to the side aligned along the first;
 * column-major: the same with weft_grid_create_column_major; r2c: as grid, with real numbers.
 *
 * Columns after the way: microseconds of a run; messages and bytes between nodes, of all ranks,
 * without messages inside MPI's collectives; the largest number of bytes that a plan takes on a
 * rank besides the array; microseconds of planning; the methods of the exchanges.
 */
#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef FFTW_MPI_ALONE
#include <weft.h>
#endif

enum { MOST_AXES = 8 };

typedef struct {
    const char *size, *order, *way; /* words of the command line */
    int axes;
    ptrdiff_t n[MOST_AXES];
    int rank;
} run;

/* node[r]: the first rank on the node of rank r. sent: what this rank has sent to other nodes. */
static int *node;
static double sent[2]; /* messages, bytes */

static void find_nodes(void)
{
    MPI_Comm here;
    int rank, ranks, first;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Allreduce(&rank, &first, 1, MPI_INT, MPI_MIN, here);
    MPI_Comm_free(&here);
    node = malloc((size_t)ranks * sizeof *node);
    MPI_Allgather(&first, 1, MPI_INT, node, 1, MPI_INT, MPI_COMM_WORLD);
}

static void count_message(int count, MPI_Datatype type, int to, MPI_Comm comm)
{
    MPI_Group all, group;
    int there, size, rank;
    if (!node || to == MPI_PROC_NULL)
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_group(comm, &group);
    MPI_Group_translate_ranks(group, 1, &to, all, &there);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Type_size(type, &size);
    sent[0] += node[there] != node[rank];
    sent[1] += node[there] != node[rank] ? (double)count * size : 0;
}

int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    count_message(count, type, to, comm);
    return PMPI_Isend(from, count, type, to, tag, comm, request);
}

int MPI_Sendrecv(const void *from, int count, MPI_Datatype type, int to, int tag, void *receive,
                 int most, MPI_Datatype kind, int source, int its_tag, MPI_Comm comm,
                 MPI_Status *status)
{
    count_message(count, type, to, comm);
    return PMPI_Sendrecv(from, count, type, to, tag, receive, most, kind, source, its_tag, comm,
                         status);
}

/* Replaces SimGrid 3.32's MPI_Waitsome, which keeps every message it has waited for and searches
 * all of them in each later call, so that long simulations take hours. */
int MPI_Waitsome(int count, MPI_Request *request, int *number, int *index, MPI_Status *status)
{
    int which;
    const int code = MPI_Waitany(count, request, &which, status);
    *number = which == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
    index[0] = which;
    return code;
}

static int read_size(run *it)
{
    const char *at = it->size;
    char *end;
    for (it->axes = 0; it->axes < MOST_AXES; at = end + 1) {
        it->n[it->axes++] = strtol(at, &end, 10);
        if (end == at || it->n[it->axes - 1] < 1 || (*end != 'x' && *end))
            return 0;
        if (!*end)
            return it->axes > 1;
    }
    return 0;
}

/* Returns at the same simulated time on all ranks, which a barrier does not ensure. */
static double start_together(void)
{
    double now = MPI_Wtime(), begin;
    MPI_Allreduce(&now, &begin, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    begin += 1e-3;
    const double wait = begin - MPI_Wtime();
    nanosleep(&(struct timespec){.tv_nsec = (long)(wait * 1e9)}, NULL);
    return begin;
}

/* Prints, on rank 0, the methods of the plan's exchanges. */
static void say_what(fftw_plan plan)
{
    char *text = fftw_sprint_plan(plan);
    const char *comma = "";
    for (const char *at = text; (at = strstr(at, "exchange ")); comma = ",") {
        at += strlen("exchange ");
        const int length = (int)strcspn(at, " \n)");
        printf("%s%.*s", comma, length, at);
    }
    puts(*comma ? "" : "-");
    free(text);
}

static unsigned flags_of(const run *it)
{
    unsigned flags = strcmp(it->way, "measure") == 0 ? FFTW_MEASURE : FFTW_ESTIMATE;
    if (strcmp(it->order, "transposed") == 0)
        flags |= FFTW_MPI_TRANSPOSED_OUT;
#ifndef FFTW_MPI_ALONE
    const int chooses = strcmp(it->way, "estimate") == 0 || strcmp(it->way, "measure") == 0 ||
                        strcmp(it->way, "planned") == 0 || strcmp(it->way, "nothing") == 0;
    weft_set_backend(chooses ? NULL : it->way);
#endif
    return flags;
}

/* Allocates the array and makes the plan; NULL: failed. */
static fftw_plan make_plan(const run *it, fftw_complex **data, ptrdiff_t *size, double *begin)
{
    ptrdiff_t count, start;
    const int planned = strcmp(it->way, "nothing") != 0;
    if (strcmp(it->order, "natural") == 0 || strcmp(it->order, "transposed") == 0) {
        *size = fftw_mpi_local_size(it->axes, it->n, MPI_COMM_WORLD, &count, &start);
        *data = fftw_alloc_complex((size_t)(*size > 0 ? *size : 1));
        *begin = start_together();
        return planned ? fftw_mpi_plan_dft(it->axes, it->n, *data, *data, MPI_COMM_WORLD,
                                           FFTW_FORWARD, flags_of(it))
                       : NULL;
    }
#ifndef FFTW_MPI_ALONE
    const int real = strcmp(it->order, "r2c") == 0;
    weft_grid grid = strcmp(it->order, "column-major") == 0
                         ? weft_grid_create_column_major(MPI_COMM_WORLD, 2, NULL)
                         : weft_grid_create(MPI_COMM_WORLD, 2, NULL);
    fftw_plan plan = NULL;
    *size = weft_local_size(it->axes, it->n, 1, grid, real ? WEFT_DFT_R2C : WEFT_DFT_FORWARD, 0,
                            NULL, NULL, NULL, NULL);
    *data = fftw_alloc_complex((size_t)(*size > 0 ? *size : 1));
    *begin = start_together();
    if (planned && real)
        plan = weft_plan_dft_r2c(it->axes, it->n, (double *)*data, *data, grid, flags_of(it));
    else if (planned)
        plan = weft_plan_dft(it->axes, it->n, *data, *data, grid, FFTW_FORWARD, flags_of(it));
    weft_grid_free(grid);
    return plan;
#else
    *size = 0;
    *data = NULL;
    *begin = MPI_Wtime();
    return NULL;
#endif
}

static void time_run(const run *it)
{
    ptrdiff_t size;
    fftw_complex *data;
    double begin;
    fftw_plan plan = make_plan(it, &data, &size, &begin);
    double took[3] = {MPI_Wtime() - begin, 0, 0};
    const int runs = plan && strcmp(it->way, "planned") != 0 ? 2 : 0;
    if (data && runs > 0)
        memset(data, 0, sizeof *data * (size_t)size);
    for (int turn = 0; turn < runs; turn++) { /* the first run does not count */
        const double from = start_together();
        sent[0] = sent[1] = 0;
        fftw_execute(plan);
        took[1] = MPI_Wtime() - from;
    }
#ifndef FFTW_MPI_ALONE
    took[2] = plan ? (double)weft_plan_memory(plan, NULL, NULL) : 0;
#endif
    MPI_Allreduce(MPI_IN_PLACE, took, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, sent, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (it->rank == 0) {
        printf("%s %s %s ", it->size, it->order, it->way);
        if (plan) {
            printf("%.2f %.0f %.0f %.0f %.0f ", took[1] * 1e6, sent[0], sent[1], took[2],
                   took[0] * 1e6);
            say_what(plan);
        } else {
            puts("- - - - - -");
        }
        fflush(stdout);
    }
    if (plan)
        fftw_destroy_plan(plan);
    fftw_free(data);
}

int main(int argc, char **argv)
{
    run it;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &it.rank);
    find_nodes();
    for (int i = 3; i < argc; i++) {
        char *ways = strdup(argv[1]), *rest = ways;
        it.size = argv[i];
        while (read_size(&it) && (it.way = strsep(&rest, ","))) {
            char *orders = strdup(argv[2]), *left = orders;
            while ((it.order = strsep(&left, ",")))
                time_run(&it);
            free(orders);
        }
        free(ways);
    }
    free(node);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return 0;
}
