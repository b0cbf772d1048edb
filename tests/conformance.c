/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables are tab-separated; the arguments of a local_size function are words within one field.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/conformance.h"

FILE *table_open(const char *name)
{
    char path[TABLE_LINE];
    const char *srcdir = getenv("srcdir");
    snprintf(path, sizeof path, "%s/tests/conformance/%s", srcdir ? srcdir : ".", name);
    return fopen(path, "r");
}

int table_row(FILE *file, char line[TABLE_LINE], char *field[TABLE_FIELDS])
{
    int fields = 0;
    do {
        if (!fgets(line, TABLE_LINE, file))
            return 0;
    } while (line[0] == '#');
    line[strcspn(line, "\n")] = '\0';
    for (char *at = strtok(line, "\t"); at && fields < TABLE_FIELDS; at = strtok(NULL, "\t"))
        field[fields++] = at;
    return fields;
}

/* The number after `name` in the arguments; `absent` when it is not there. */
static ptrdiff_t argument(const char *arguments, const char *name, ptrdiff_t absent)
{
    const char *at = strstr(arguments, name);
    return at ? strtoll(at + strlen(name), NULL, 10) : absent;
}

void size_row_read(char *field[TABLE_FIELDS], int fields, size_row *row)
{
    const char *function = field[0], *arguments = field[1];
    *row = (size_row){.line = strstr(function, "1d") != NULL,
                      .transposed = strstr(function, "transposed") != NULL,
                      .many = strstr(function, "many") != NULL,
                      .howmany = argument(arguments, "howmany=", 1),
                      .block0 = argument(arguments, "block0=", 0),
                      .block1 = argument(arguments, "block1=", 0),
                      .sign = (int)argument(arguments, "sign=", 0),
                      .scrambled_in = strstr(arguments, "SCRAMBLED_IN") != NULL,
                      .scrambled_out = strstr(arguments, "SCRAMBLED_OUT") != NULL,
                      .ranks = atoi(field[2]),
                      .rank = atoi(field[3])};
    const char *at = strstr(arguments, " n=");
    for (at = at ? at + 3 : arguments; row->axes < 4;) {
        char *end;
        row->n[row->axes++] = strtoll(at, &end, 10);
        at = end + 1;
        if (row->line || *end == '\0' || strncmp(end, " howmany", 8) == 0)
            break;
    }
    for (int i = 4; i < fields; i++)
        row->result[row->results++] = strtoll(field[i], NULL, 10);
}
