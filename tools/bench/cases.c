/* SPDX-License-Identifier: BSD-3-Clause */
/* The suites of cases, and the names of cases. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "api/weft.h"
#include "kernels/base/text.h"
#include "tools/bench/bench.h"

bool bench_case_sizes(const char *text, bench_case *that)
{
    that->axes = weft_parse_sizes(text, "", 1, PTRDIFF_MAX, that->size, BENCH_MAX_AXES);
    return that->axes > 0;
}

void bench_bad_sizes(const char *text, char *error, size_t capacity)
{
    snprintf(error, capacity,
             "\"%.100s\" is not a size; write 1 to %d numbers from 1 to %td with x between them, "
             "such as 256x256x256",
             text, BENCH_MAX_AXES, PTRDIFF_MAX);
}

static const char column_major[] = ":column-major";

bool bench_case_grid(const char *text, bench_case *that)
{
    ptrdiff_t extent[BENCH_MAX_AXES];
    that->column_major = strchr(text, ':');
    that->grid_axes = weft_parse_sizes(text, that->column_major ? column_major : "", 0, 1 << 30,
                                       extent, BENCH_MAX_AXES);
    for (int g = 0; g < that->grid_axes; g++)
        that->grid[g] = (int)extent[g];
    return that->grid_axes > 0;
}

void bench_choose_grid(bench_case *that, int ranks)
{
    enum { MOST_CHOSEN = 20 }; /* the most dimensions that MPICH's MPI_Dims_create accepts */
    int given = 1, chosen = 0;
    for (int g = 0; g < that->grid_axes; g++)
        if (that->grid[g] > 0)
            given = that->grid[g] <= ranks / given ? given * that->grid[g] : ranks + 1;
        else
            chosen++;
    if (getenv("WEFT_GRID"))
        return; /* the library chooses all extents */
    if (chosen > 0 && chosen <= MOST_CHOSEN &&
        ranks % given == 0) /* otherwise the library reports the error */
        MPI_Dims_create(ranks, that->grid_axes, that->grid);
}

void bench_case_name(const bench_case *that, char *text, size_t capacity)
{
    static const char *const kind[] = {"c2c", "r2c", "c2r", "r2r", "transpose"};
    static const char *const precision[] = {"", " float", " long double"};
    size_t used = (size_t)snprintf(text, capacity, "%s ", kind[that->kind]);
    for (int axis = 0; axis < that->axes && used < capacity; axis++)
        used +=
            (size_t)snprintf(text + used, capacity - used, axis ? "x%td" : "%td", that->size[axis]);
    if (used < capacity && that->howmany != 1)
        used += (size_t)snprintf(text + used, capacity - used, " *%td", that->howmany);
    for (int g = 0; g < that->grid_axes && used < capacity; g++)
        used += (size_t)snprintf(text + used, capacity - used, g ? "x%d" : " on %d", that->grid[g]);
    if (used < capacity)
        snprintf(text + used, capacity - used, "%s%s%s%s%s%s%s%s%s",
                 that->operates ? " operator" : "", that->column_major ? column_major : "",
                 that->flags & WEFT_ROWS ? " in rows" : "", that->backward ? " backward" : "",
                 that->transposed ? " transposed" : "", that->scrambled ? " scrambled" : "",
                 that->in_place ? " in place" : "", that->private ? " private" : "",
                 precision[that->precision]);
}

size_t bench_number_bytes(bench_precision precision)
{
    return precision == BENCH_DOUBLE  ? sizeof(double)
           : precision == BENCH_FLOAT ? sizeof(float)
                                      : sizeof(long double);
}

double bench_case_operations(const bench_case *that)
{
    double points = 1;
    for (int axis = 0; axis < that->axes; axis++)
        points *= (double)that->size[axis];
    if (that->kind == BENCH_TRANSPOSE)
        return 0;
    return (that->kind == BENCH_C2C ? 5 : 2.5) * (that->operates ? 2 : 1) * (double)that->howmany *
           points * log2(points);
}

static void add(bench_case *cases, int *count, bench_kind kind, const char *sizes, bool transposed,
                bool in_place)
{
    bench_case *that = &cases[(*count)++];
    *that =
        (bench_case){.kind = kind, .howmany = 1, .transposed = transposed, .in_place = in_place};
    bench_case_sizes(sizes, that);
}

int bench_standard_suite(bench_case *cases)
{
    static const char *const c2c[] = {"64x64x64", "128x128x128", "256x256x256", "100x120x90",
                                      "1024x1024"};
    static const char *const real[] = {"128x128x128", "256x256x256"};
    int count = 0;
    for (size_t i = 0; i < sizeof c2c / sizeof c2c[0]; i++)
        for (int variant = 0; variant < 4; variant++)
            add(cases, &count, BENCH_C2C, c2c[i], variant & 1, variant & 2);
    for (size_t i = 0; i < sizeof real / sizeof real[0]; i++)
        for (int transposed = 0; transposed < 2; transposed++) {
            add(cases, &count, BENCH_R2C, real[i], transposed, false);
            add(cases, &count, BENCH_C2R, real[i], transposed, false);
        }
    add(cases, &count, BENCH_R2R, "128x128x128", false, false);
    add(cases, &count, BENCH_C2C, "48x48x48", false, false);
    cases[count - 1].howmany = 3;
    add(cases, &count, BENCH_C2C, "1048576", false, false);
    add(cases, &count, BENCH_C2C, "1048576", false, false);
    cases[count - 1].scrambled = true;
    add(cases, &count, BENCH_TRANSPOSE, "2048x2048", false, false);
    add(cases, &count, BENCH_C2C, "16x16x16", false, false);
    add(cases, &count, BENCH_C2C, "32x32x32", false, false);
    add(cases, &count, BENCH_C2C, "128x128x128", false, false);
    cases[count - 1].precision = BENCH_FLOAT;
    add(cases, &count, BENCH_R2C, "128x128x128", true, false);
    cases[count - 1].precision = BENCH_FLOAT;
    add(cases, &count, BENCH_C2C, "256x256x256", true, false);
    cases[count - 1].precision = BENCH_FLOAT;
    return count;
}

int bench_steps_suite(bench_case *cases)
{
    static const char *const sizes[] = {"8x8x8",    "12x12x12", "16x16x16", "20x20x20", "24x24x24",
                                        "32x32x32", "40x40x40", "48x48x48", "64x64x64", "64x64"};
    int count = 0;
    for (int kind = BENCH_C2C; kind <= BENCH_C2R; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            for (int transposed = 0; transposed < (kind == BENCH_C2C ? 1 : 2); transposed++)
                add(cases, &count, (bench_kind)kind, sizes[i], transposed, kind == BENCH_C2C);
    return count;
}

int bench_papers_suite(bench_case *cases)
{
    static const struct {
        const char *sizes, *grid;
    } paper[] = {{"42x127x256", "0x0"}, {"16x17x18x19", "0x0x0"}, {"64x64x64x64", "0x0x0"}};
    int count = 0;
    for (size_t i = 0; i < sizeof paper / sizeof paper[0]; i++)
        for (int kind = BENCH_C2C; kind <= BENCH_C2R; kind++) {
            add(cases, &count, (bench_kind)kind, paper[i].sizes, false, false);
            bench_case_grid(paper[i].grid, &cases[count - 1]);
        }
    return count;
}
