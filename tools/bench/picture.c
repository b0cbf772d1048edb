/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions for all parts of a picture: lists of words, points of the results, heights and colours.
 */
#include <string.h>
#include "tools/bench/picture.h"

void plot_add_word(words *list, const char *word)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->word[i], word) == 0)
            return;
    if (list->count < MOST_NAMES)
        list->word[list->count++] = word;
}

/* Lists the names of cases, or with `by` of libraries, in the results of file number `run`;
 * negative: of all files. */
words plot_names_of(const plot_results *results, int run, bool by)
{
    words list = {.count = 0};
    for (int i = 0; i < results->points; i++)
        if (run < 0 || results->point[i].run == run)
            plot_add_word(&list, by ? results->point[i].by : results->point[i].name);
    return list;
}

const plot_point *plot_find(const plot_results *results, int run, const char *name, const char *by)
{
    for (int i = 0; i < results->points; i++) {
        const plot_point *it = &results->point[i];
        if (it->run == run && strcmp(it->name, name) == 0 && strcmp(it->by, by) == 0)
            return it;
    }
    return NULL;
}

double plot_speed(const plot_point *it, bool counted)
{
    return counted ? it->gflops : it->milliseconds;
}

const char *plot_shown(const char *by)
{
    return strcmp(by, "weft") == 0 ? "Weft" : by;
}

/* Converts a distance from the top in pixels to gnuplot's height on the screen, 0 to 1. */
double plot_height_at(const picture *it, int pixels)
{
    return 1 - (double)pixels / it->height;
}

void plot_colour(FILE *to, int i, int count)
{
    static const int dark[3] = {24, 62, 120}, light[3] = {250, 222, 120};
    const double share = count > 1 ? (double)i / (count - 1) : 0;
    fprintf(to, "'#%02x%02x%02x'", dark[0] + (int)(share * (light[0] - dark[0])),
            dark[1] + (int)(share * (light[1] - dark[1])),
            dark[2] + (int)(share * (light[2] - dark[2])));
}
