/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the table of weft-info --check: a line for each group of cases, with the largest error in
 * each precision. */
#include "tools/info/check.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/info/facts.h"

static const check_precision *const precisions[] = {
    &weft_check_precision,
#ifdef WEFT_HAVE_FLOAT
    &weftf_check_precision,
#endif
#ifdef WEFT_HAVE_LONG_DOUBLE
    &weftl_check_precision,
#endif
};
enum { PRECISIONS = sizeof precisions / sizeof *precisions };

/* Names of the groups, in the order of check_group. CHECK_BACKENDS has a line for each backend
 * instead. */
static const char *const groups[CHECK_BACKENDS] = {"slabs, c2c",
                                                   "slabs, r2c and c2r",
                                                   "slabs, r2r",
                                                   "transposes",
                                                   "one dimension",
                                                   "process grids",
                                                   "rows",
                                                   "bricks",
                                                   "redistribution",
                                                   "more or fewer modes",
                                                   "many uneven tiles"};

/* WEFT_MACHINE for the cases of CHECK_TILES: with small caches, small arrays have many tiles. */
static const char small_cache[] = "l2=64K l3=256K";

static int rank, ranks;

typedef struct {
    int cases, wrong, refused;
    bool said; /* the first wrong case has been printed */
} total;

static bool open_all(void)
{
    if (rank == 0)
        printf("Weft %s on %d rank%s; compiler: %s; flags: %s\n", PACKAGE_VERSION, ranks,
               ranks > 1 ? "s" : "", info_compiler, info_flags);
    for (int p = 0; p < PRECISIONS; p++) {
        char file[600];
        const char *why = precisions[p]->open(file, sizeof file);
        int open = !why;
        if (why)
            fprintf(stderr, "weft-info: %s cannot be used: %s\n", file, why);
        MPI_Allreduce(MPI_IN_PLACE, &open, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (!open)
            return false;
        if (rank == 0)
            printf("%s: %s\n", precisions[p]->name, file);
    }
    return true;
}

static void print_head(void)
{
    printf("\n%-22s %5s", "group", "cases");
    for (int p = 0; p < PRECISIONS; p++)
        printf("  %11s", precisions[p]->name);
    printf("  result\n");
}

/* Prints the reason in a sentence such as "backend direct cannot carry out this exchange: its
 * arrays ...; these can: ...". */
static void print_reason(const char *why)
{
    const char *before = strstr(why, "exchange: ");
    why = before ? before + strlen("exchange: ") : why;
    const char *end = strstr(why, "; these can");
    printf("not available: %.*s\n", (int)(end ? end - why : (ptrdiff_t)strlen(why)), why);
}

/* Prints the line of a group. Only the first wrong case is followed by advice; where there was no
 * plan, its reason is the advice. */
static void print_group(const char *name, const check_result *result, total *all)
{
    int cases = 0, wrong = 0, refused = 0;
    const char *why = "", *first = "";
    for (int p = PRECISIONS - 1; p >= 0; p--) {
        cases += result[p].cases;
        wrong += result[p].wrong;
        refused += result[p].refused;
        why = *result[p].why ? result[p].why : why;
        first = *result[p].first ? result[p].first : first;
    }
    all->cases += cases - refused;
    all->wrong += wrong;
    all->refused += refused;
    if (rank != 0)
        return;
    printf("%-22s %5d", name, cases - refused);
    for (int p = 0; p < PRECISIONS; p++)
        if (result[p].refused == result[p].cases)
            printf("  %11s", "-");
        else
            printf("  %11.1e", result[p].error);
    printf("  ");
    if (refused && !wrong)
        print_reason(why);
    else
        puts(wrong ? "WRONG" : "right");
    if (wrong && !all->said && strstr(first, ": no plan: "))
        printf("FAILED: %s\n", first);
    else if (wrong && !all->said)
        printf(
            "FAILED: %s. Do not use this build (%s, %s): build Weft with another compiler or with "
            "CFLAGS=-O1, check again, and report this line to %s\n",
            first, info_compiler, info_flags, WEFT_BUG_ADDRESS);
    all->said |= wrong > 0;
    fflush(stdout);
}

static void check_group_of(check_group group, const char *backend, const char *name, total *all)
{
    check_result result[PRECISIONS] = {0};
    for (int p = 0; p < PRECISIONS; p++)
        precisions[p]->run(group, backend, &result[p]);
    print_group(name, result, all);
}

/* Runs CHECK_BACKENDS. The reason why a backend cannot be used is printed in the table, not on
 * standard error. */
static void check_backends(total *all)
{
    const char *backend;
    char name[64];
    const int kept = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    if (kept >= 0 && nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
    for (int place = 0; (backend = precisions[0]->backend(place)); place++) {
        snprintf(name, sizeof name, "backend %.50s", backend);
        check_group_of(CHECK_BACKENDS, backend, name, all);
    }
    if (kept >= 0 && nowhere >= 0)
        dup2(kept, STDERR_FILENO);
    close(kept);
    close(nowhere);
}

static void check_layouts(total *all)
{
    for (int group = 0; group < CHECK_BACKENDS; group++) {
        const char *machine = getenv("WEFT_MACHINE");
        char *kept = machine ? strdup(machine) : NULL;
        if (group == CHECK_TILES)
            setenv("WEFT_MACHINE", small_cache, 1);
        check_group_of((check_group)group, "auto", groups[group], all);
        if (group == CHECK_TILES && kept)
            setenv("WEFT_MACHINE", kept, 1);
        else if (group == CHECK_TILES)
            unsetenv("WEFT_MACHINE");
        free(kept);
    }
}

int info_check(void)
{
    total all = {0};
    unsetenv("WEFT_RECORD"); /* the checks must not read or write files of the user */
    unsetenv("WEFT_WISDOM");
    unsetenv("WEFT_WIRE"); /* the numbers are compared to more than single precision */
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const bool opened = open_all();
    if (opened) {
        if (rank == 0)
            print_head();
        check_layouts(&all);
        if (ranks > 1)
            check_backends(&all);
        else
            puts("backends: not checked, since one rank exchanges nothing: mpiexec -n 2 weft-info "
                 "--check");
        if (rank == 0 && all.wrong > 0)
            printf("%d of %d cases are wrong\n", all.wrong, all.cases);
        else if (rank == 0)
            printf("all %d cases are right\n", all.cases);
    }
    MPI_Finalize();
    return opened && all.wrong == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}
