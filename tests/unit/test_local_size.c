/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The distributions against those recorded from FFTW-MPI (tests/conformance): every row of the
 * tables, for every rank, as arithmetic alone.
 */
#include <fftw3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "local_size.h"
#include "unit/harness.h"

enum { LINE = 4096, FIELDS = 12 };

static FILE *table(const char *name)
{
    char path[LINE];
    const char *srcdir = getenv("srcdir");
    snprintf(path, sizeof path, "%s/tests/conformance/%s", srcdir ? srcdir : ".", name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "cannot read %s", path);
    return file;
}

static int split(char *line, char **field)
{
    int fields = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *at = strtok(line, "\t"); at && fields < FIELDS; at = strtok(NULL, "\t"))
        field[fields++] = at;
    return fields;
}

/* The number after `name` in the arguments; `absent` when it is not there. */
static ptrdiff_t argument(const char *arguments, const char *name, ptrdiff_t absent)
{
    const char *at = strstr(arguments, name);
    return at ? strtoll(at + strlen(name), NULL, 10) : absent;
}

static weft_local_size computed(const char *function, const char *arguments, int rank, int ranks)
{
    ptrdiff_t howmany = argument(arguments, "howmany=", 1);
    if (strstr(function, "1d"))
        return weft_local_size_line(strtoll(arguments, NULL, 10), howmany,
                                    (int)argument(arguments, "sign=", 0),
                                    strstr(arguments, "SCRAMBLED_IN") != NULL,
                                    strstr(arguments, "SCRAMBLED_OUT") != NULL, rank, ranks);
    ptrdiff_t n[4];
    int axes = 0;
    const char *at = strstr(arguments, "n=");
    for (at = at ? at + 2 : arguments; axes < 4;) {
        char *end;
        n[axes++] = strtoll(at, &end, 10);
        at = end + 1;
        if (*end == 0 || strncmp(end, " howmany", 8) == 0)
            break;
    }
    return weft_local_size_of(axes, n, howmany, argument(arguments, "block0=", 0),
                              argument(arguments, "block1=", 0),
                              strstr(function, "transposed") != NULL, rank, ranks);
}

START_TEST(sizes_are_those_of_the_table)
{
    FILE *file = table("local_size.tsv");
    char line[LINE], row[LINE], *field[FIELDS];
    int rows = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        strcpy(row, line);
        int fields = split(line, field);
        ck_assert_int_ge(fields, 7);
        weft_local_size size = computed(field[0], field[1], atoi(field[3]), atoi(field[2]));
        ptrdiff_t found[] = {size.allocation, size.in.start, size.in.count, size.out.start,
                             size.out.count};
        ptrdiff_t got[] = {found[0], found[2], found[1], found[4], found[3]};
        for (int i = 4; i < fields; i++)
            ck_assert_msg(strtoll(field[i], NULL, 10) == got[i - 4], "%sresult %d is %td", row,
                          i - 4, got[i - 4]);
        rows++;
    }
    fclose(file);
    ck_assert_int_eq(rows, 13005);
}
END_TEST

START_TEST(scrambled_orders_are_those_of_the_table)
{
    FILE *file = table("scrambled_1d.tsv");
    char line[LINE], *field[FIELDS];
    int rows = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        ck_assert_int_eq(split(line, field), 5);
        ptrdiff_t n = atoll(field[0]);
        bool in = strcmp(field[3], "SCRAMBLED_IN") == 0;
        weft_line order = weft_line_of(n, 1, atoi(field[2]), in, !in, atoi(field[1]));
        ptrdiff_t radix = in ? order.scrambled_in : order.scrambled_out;
        char *at = field[4];
        if (strcmp(at, "NULL") == 0) {
            ck_assert_int_eq(radix, 0); /* the natural order, where FFTW-MPI makes no plan */
            continue;
        }
        ck_assert_msg(radix > 0 && n % radix == 0, "n %td radix %td", n, radix);
        for (ptrdiff_t place = 0; place < n; place++, at++) {
            ptrdiff_t index = place / (n / radix) + place % (n / radix) * radix;
            ck_assert_msg(index == strtoll(at, &at, 10), "n %td place %td index %td", n, place,
                          index);
        }
        rows++;
    }
    fclose(file);
    ck_assert_int_eq(rows, 72);
}
END_TEST

START_TEST(nothing_is_allocated_for_no_transforms)
{
    ptrdiff_t n[] = {6, 8};
    weft_local_size size = weft_local_size_of(2, n, 0, 0, 0, true, 1, 2);
    ck_assert_int_eq(size.allocation, 0);
    ck_assert_int_eq(size.in.count, 3);
    ck_assert_int_eq(size.out.start, 4);
    ck_assert_int_eq(weft_local_size_line(16, 0, FFTW_FORWARD, false, false, 0, 2).allocation, 0);
}
END_TEST

START_TEST(huge_sizes_do_not_overflow)
{
    ptrdiff_t n = PTRDIFF_MAX / 4;
    for (int rank = 0; rank < 3; rank++) {
        weft_span span = weft_block_span(n, n - 1, rank);
        ck_assert_int_eq(span.start, rank == 1 ? n - 1 : 0);
        ck_assert_int_eq(span.count, rank == 0 ? n - 1 : rank == 1 ? 1 : 0);
    }
    ck_assert(!weft_block_fits(n, 1, 1000));
    ck_assert(weft_block_fits(n, n, 1));
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("local_size");
    TCase *tests = tcase_create("distributions");
    tcase_add_test(tests, sizes_are_those_of_the_table);
    tcase_add_test(tests, scrambled_orders_are_those_of_the_table);
    tcase_add_test(tests, nothing_is_allocated_for_no_transforms);
    tcase_add_test(tests, huge_sizes_do_not_overflow);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_unit(suite());
}
