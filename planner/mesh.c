/* SPDX-License-Identifier: BSD-3-Clause */
/* Process grids, by arithmetic alone. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "agreement.h"
#include "error.h"
#include "mesh.h"

bool weft_mesh_parse(const char *text, weft_mesh *mesh)
{
    *mesh = (weft_mesh){0};
    if (!text || !*text || strcmp(text, "auto") == 0)
        return true;
    for (const char *at = text;;) {
        char *end;
        const long extent = strtol(at, &end, 10);
        if (end == at || extent < 1 || extent > INT_MAX || mesh->axes == WEFT_MAX_RANK ||
            (*end && *end != 'x')) {
            weft_error("WEFT_GRID is %s; it must be auto, or extents as in 4x2", text);
            *mesh = (weft_mesh){0};
            return false;
        }
        mesh->extent[mesh->axes++] = (int)extent;
        if (!*end)
            return true;
        at = end + 1;
    }
}

bool weft_mesh_wish(MPI_Comm comm, weft_mesh *mesh)
{
    const char *mine = getenv("WEFT_GRID");
    char *text = weft_agree_text(comm, mine ? mine : "");
    const bool ok = text && weft_mesh_parse(text, mesh);
    free(text);
    return ok;
}

int weft_mesh_ranks(const weft_mesh *mesh)
{
    int ranks = 1;
    for (int g = 0; g < mesh->axes; g++)
        if (__builtin_mul_overflow(ranks, mesh->extent[g], &ranks))
            return 0;
    return ranks;
}

static int next_divisor(int of, int after)
{
    int divisor = after + 1;
    while (divisor <= of && of % divisor != 0)
        divisor++;
    return divisor <= of ? divisor : 0;
}

/* Extents from `dimension` on: the least that there are, of so many ranks. */
static void fill(weft_mesh *mesh, int dimension, int ranks)
{
    for (; dimension < mesh->axes - 1; dimension++)
        mesh->extent[dimension] = 1;
    mesh->extent[dimension] = ranks;
}

bool weft_mesh_next(weft_mesh *mesh, int ranks)
{
    if (mesh->extent[0] == 0) {
        fill(mesh, 0, ranks);
        return true;
    }
    int left = mesh->extent[mesh->axes - 1];
    for (int g = mesh->axes - 2; g >= 0; g--) {
        left *= mesh->extent[g];
        const int next = next_divisor(left, mesh->extent[g]);
        if (next) {
            mesh->extent[g] = next;
            fill(mesh, g + 1, left / next);
            return true;
        }
    }
    return false;
}

static ptrdiff_t length(const weft_problem *problem, int axis)
{
    const weft_kind kind = problem->kind[axis];
    return kind == WEFT_R2C || kind == WEFT_C2R ? problem->size[axis] / 2 + 1 : problem->size[axis];
}

double weft_mesh_load(const weft_problem *problem, const weft_mesh *mesh)
{
    double load = 0;
    for (int whole = mesh->axes; whole >= 0; whole--) { /* axis `whole` is whole */
        double points = 1;
        for (int axis = 0; axis < problem->axes; axis++) {
            const int g = axis < whole ? axis : axis - 1;
            const ptrdiff_t parts = axis == whole || g >= mesh->axes ? 1 : mesh->extent[g];
            points *= (double)((length(problem, axis) + parts - 1) / parts);
        }
        /* a dimension of one rank takes no step */
        if (whole == mesh->axes || mesh->extent[whole] > 1)
            load += points;
    }
    return load;
}

static void keep_better(const weft_problem *problem, const weft_mesh *mesh, weft_mesh *best,
                        double *least)
{
    const double load = weft_mesh_load(problem, mesh);
    if (best->axes == 0 || load < *least) {
        *best = *mesh;
        *least = load;
    }
}

bool weft_mesh_guess(const weft_problem *problem, weft_mesh *mesh)
{
    weft_mesh best = {0};
    double least = 0;
    if (problem->axes < 3)
        return false;
    for (int first = 1; first <= problem->ranks; first++) {
        const weft_mesh two = {2, {first, problem->ranks / first}};
        if (first <= length(problem, 0) && first <= length(problem, 1))
            keep_better(problem, &two, &best, &least);
    }
    weft_mesh three = {3, {0}};
    while (problem->axes > 3 && weft_mesh_next(&three, problem->ranks))
        keep_better(problem, &three, &best, &least);
    *mesh = best;
    return true;
}

bool weft_mesh_guess_divided(const weft_problem *problem, weft_mesh *mesh)
{
    weft_mesh best = {0}, two = {2, {0}};
    double least = 0;
    while (problem->axes > 2 && weft_mesh_next(&two, problem->ranks))
        if (two.extent[0] > 1 && two.extent[1] > 1)
            keep_better(problem, &two, &best, &least);
    *mesh = best;
    return best.axes > 0;
}
