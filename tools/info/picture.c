/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Draws the picture of a plan as SVG. Each stage is a block, seen from the front, the right and
 * above, in which each rank's part has another colour. Between stages there are arrows, with a
 * square that shows who sends how much to whom.
 *
 *              n1
 *            .----.
 *           /    /|
 *          .----. |
 *      n0  |    | '
 *          |    |/
 *          '----'
 *            n2
 *
 * Parts are drawn from the farthest to the nearest. A part that hides another is not behind it
 * along any axis. Colours go from dark to light with the rank, so that they also differ in grey.
 * The numbers of ranks are written where there is space.
 */
#include <math.h>
#include <string.h>
#include "kernels/base/text.h"
#include "tools/info/plan.h"

enum {
    BLOCK = 150,
    STAGE = 270,
    BETWEEN = 190,
    TOP = 90,
    SQUARE = 110,
    MOST_NUMBERED = 64,
    MOST_SQUARES = 64
};

/* The axes that are drawn. */
typedef struct {
    int axis[3]; /* the axes that go down, to the back and to the right; -1: the array has no such
                    axis */
    double length[3];
} view;

typedef struct {
    double x, y;
} point;

/* Chooses the axes to draw: all if there are at most three, otherwise those that are divided in
 * some stage. */
static view choose_view(const info_plan *plan)
{
    const int axes = plan->problem.axes;
    int chosen[3], count = 0;
    double longest = 1;
    for (int turn = 0; turn < 2; turn++)
        for (int axis = 0; axis < axes && count < 3; axis++) {
            bool divided = axes <= 3, there = false;
            for (int i = 0; i < plan->path.stages; i++)
                divided |= plan->path.stage[i].before.axis[axis].grid_axis >= 0;
            for (int i = 0; i < count; i++)
                there |= chosen[i] == axis;
            if ((divided || turn == 1) && !there)
                chosen[count++] = axis;
        }
    for (int i = 0; i < count; i++) /* sorts the axes */
        for (int j = i + 1; j < count; j++)
            if (chosen[j] < chosen[i]) {
                const int other = chosen[i];
                chosen[i] = chosen[j];
                chosen[j] = other;
            }
    view it = {.axis = {-1, -1, -1}};
    it.axis[0] = count > 1 ? chosen[0] : -1;
    it.axis[1] = count > 2 ? chosen[1] : -1;
    it.axis[2] = chosen[count - 1];
    for (int i = 0; i < 3; i++)
        if (it.axis[i] >= 0 && (double)plan->problem.size[it.axis[i]] > longest)
            longest = (double)plan->problem.size[it.axis[i]];
    for (int i = 0; i < 3; i++) {
        const double share = it.axis[i] >= 0 ? (double)plan->problem.size[it.axis[i]] / longest : 0;
        it.length[i] = it.axis[i] >= 0 ? BLOCK * (share < 0.2 ? 0.2 : share) : i == 0 ? 40 : 0;
    }
    return it;
}

/* The position in the picture of a point of the block, whose coordinates from 0 to 1 go down, to
 * the back and to the right. */
static point at(const view *it, double x, double y, const double u[3])
{
    return (point){x + u[2] * it->length[2] + 0.6 * u[1] * it->length[1],
                   y + u[0] * it->length[0] + (1 - u[1]) * 0.45 * it->length[1]};
}

/* Writes the colour of a rank, from dark blue through green to light yellow, with evenly rising
 * luminance. */
static void colour(int rank, int ranks, double light, char *text, size_t capacity)
{
    static const double stop[5][3] = {
        {68, 40, 110}, {58, 90, 150}, {40, 150, 140}, {120, 200, 90}, {250, 232, 110}};
    const double place = ranks > 1 ? 4.0 * rank / (ranks - 1) : 2;
    const int below = place >= 4 ? 3 : (int)place;
    double mixed[3];
    for (int i = 0; i < 3; i++) {
        mixed[i] = stop[below][i] + (place - below) * (stop[below + 1][i] - stop[below][i]);
        mixed[i] = light > 0 ? mixed[i] + light * (255 - mixed[i]) : mixed[i] * (1 + light);
    }
    snprintf(text, capacity, "#%02x%02x%02x", (unsigned)mixed[0], (unsigned)mixed[1],
             (unsigned)mixed[2]);
}

static void text_at(FILE *file, double x, double y, int size, const char *more, const char *text)
{
    fprintf(file, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" %s>%s</text>\n", (int)x, (int)y, size,
            more, text);
}

/* Draws the face of a part on which the coordinate along one axis is fixed, at its lower (0) or
 * upper (1) end. */
static void face(FILE *file, const view *it, double x, double y, double end[2][3], int fixed,
                 int side, const char *fill)
{
    static const int turn[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
    const int a = fixed == 0 ? 1 : 0, b = fixed == 2 ? 1 : 2;
    fprintf(file, "<polygon fill=\"%s\" points=\"", fill);
    for (int i = 0; i < 4; i++) {
        double u[3];
        u[fixed] = end[side][fixed];
        u[a] = end[turn[i][0]][a];
        u[b] = end[turn[i][1]][b];
        const point p = at(it, x, y, u);
        fprintf(file, "%d.%d,%d.%d ", (int)p.x, (int)(10 * p.x) % 10, (int)p.y,
                (int)(10 * p.y) % 10);
    }
    fputs("\"/>\n", file);
}

/* Sets the ends of a rank's part in the block, from 0 to 1. Returns false if the rank has no
 * points. */
static bool ends_of(const view *it, const weft_layout *layout, int rank, double end[2][3])
{
    weft_box box;
    weft_layout_box(layout, rank, &box);
    for (int i = 0; i < 3; i++) {
        const int axis = it->axis[i];
        const double size = axis >= 0 ? (double)layout->axis[axis].size : 1;
        end[0][i] = axis >= 0 ? (double)box.span[axis].start / size : 0;
        end[1][i] = axis >= 0 ? end[0][i] + (double)box.span[axis].count / size : 1;
    }
    return !weft_box_empty(layout->axes, &box);
}

/* The face on which all parts are visible: the face across an axis that is not divided. */
static int best_face(const view *it, const weft_layout *layout)
{
    static const int order[3] = {1, 2, 0}; /* the faces: front, right, top */
    if (it->axis[1] < 0)
        return 1;
    for (int i = 0; i < 3; i++) {
        const int axis = it->axis[order[i]], g = layout->axis[axis].grid_axis;
        if (g < 0 || layout->grid[g] == 1)
            return order[i];
    }
    return 1;
}

static void part(FILE *file, const view *it, double x, double y, double end[2][3], int rank,
                 int ranks, int label)
{
    char fill[8], number[16];
    double middle[3];
    const bool deep = it->axis[1] >= 0;
    colour(rank, ranks, 0.25, fill, sizeof fill);
    if (deep)
        face(file, it, x, y, end, 0, 0, fill);
    colour(rank, ranks, -0.2, fill, sizeof fill);
    if (deep)
        face(file, it, x, y, end, 2, 1, fill);
    colour(rank, ranks, 0, fill, sizeof fill);
    face(file, it, x, y, end, 1, 0, fill);
    for (int i = 0; i < 3; i++)
        middle[i] = (end[0][i] + end[1][i]) / 2;
    middle[label] = label == 2 ? end[1][2] : end[0][label];
    const point p = at(it, x, y, middle);
    snprintf(number, sizeof number, "%d", rank);
    if (ranks <= MOST_NUMBERED)
        text_at(file, p.x, p.y + 4,
                ranks > 16  ? 8
                : ranks > 8 ? 9
                            : 12,
                "class=\"number\" text-anchor=\"middle\"", number);
}

/* Whether the picture shows part a before part b: because it is farther back, lower, or more to the
 * left. */
static bool before(double a[2][3], double b[2][3])
{
    if (a[0][1] != b[0][1])
        return a[0][1] > b[0][1];
    if (a[0][0] != b[0][0])
        return a[0][0] > b[0][0];
    return a[0][2] < b[0][2];
}

static void block(FILE *file, const info_plan *plan, const view *it, const weft_layout *layout,
                  double x, double y)
{
    enum { MOST = 4096 };
    static double end[MOST][2][3];
    static int order[MOST];
    int parts = 0;
    for (int rank = 0; rank < plan->problem.ranks; rank++) {
        if (!ends_of(it, layout, rank, end[rank]))
            continue;
        int place = parts++;
        for (; place > 0 && before(end[rank], end[order[place - 1]]); place--)
            order[place] = order[place - 1];
        order[place] = rank;
    }
    fputs("<g stroke=\"white\" stroke-width=\"1\" stroke-linejoin=\"round\">\n", file);
    for (int i = 0; i < parts; i++)
        part(file, it, x, y, end[order[i]], order[i], plan->problem.ranks, best_face(it, layout));
    fputs("</g>\n", file);
}

static void stage(FILE *file, const info_plan *plan, const view *it, int i, double x, double y)
{
    const weft_stage *that = &plan->path.stage[i];
    char text[160], line[256], bytes[32];
    int nothing = 0;
    block(file, plan, it, &that->before, x, y);
    text_at(file, x, TOP - 12, 15, "font-weight=\"bold\"", info_stage_name(plan, i));
    y += it->length[0] + 0.45 * it->length[1] + 24;
    info_divided(&that->before, text, sizeof text);
    text_at(file, x, y, 12, "", text);
    info_bytes(info_stage_bytes(plan, &that->before, that->real_before), bytes, sizeof bytes);
    snprintf(line, sizeof line, "%s%s, %s per rank", that->real_before ? "real" : "complex",
             that->real_before == that->real_after ? ""
             : that->real_after                    ? ", then real"
                                                   : ", then complex",
             bytes);
    text_at(file, x, y + 17, 12, "", line);
    weft_writer to = weft_write_to(line, sizeof line);
    weft_write(&to, "in memory");
    for (int axis = 0; axis < that->before.axes; axis++)
        weft_write(&to, " n%d", that->before.order[axis]);
    text_at(file, x, y + 34, 12, "", line);
    info_transformed(that, text, sizeof text);
    snprintf(line, sizeof line,
             weft_stage_transforms(that) ? "transforms %s" : "transforms nothing", text);
    text_at(file, x, y + 51, 12, "font-weight=\"bold\"", line);
    for (int rank = 0; rank < plan->problem.ranks; rank++) {
        double end[2][3];
        nothing += !ends_of(it, &that->before, rank, end);
    }
    snprintf(line, sizeof line, "%d of %d ranks hold nothing", nothing, plan->problem.ranks);
    if (nothing > 0)
        text_at(file, x, y + 68, 12, "font-style=\"italic\"", line);
}

/* Draws the square of an exchange. Rows are senders, columns receivers; darker cells have more
 * bytes. Own blocks, which do not move, are grey outlines. */
static void square(FILE *file, const info_plan *plan, const info_traffic *traffic, double x,
                   double y)
{
    const int ranks = plan->problem.ranks;
    double most = 0;
    for (int i = 0; i < ranks * ranks; i++)
        if (i / ranks != i % ranks && traffic->bytes[i] > most)
            most = traffic->bytes[i];
    const double side = (double)SQUARE / ranks;
    fprintf(file,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n",
            (int)x, (int)y, SQUARE, SQUARE);
    for (int from = 0; from < ranks; from++)
        for (int to = 0; to < ranks; to++) {
            const double bytes = traffic->bytes[from * ranks + to];
            const int grey = most > 0 ? 225 - (int)(195 * bytes / most) : 225;
            if (bytes <= 0)
                continue;
            fprintf(file, "<rect x=\"%d.%02d\" y=\"%d.%02d\" width=\"%d.%02d\" height=\"%d.%02d\" ",
                    (int)(x + to * side), (int)(100 * (x + to * side)) % 100,
                    (int)(y + from * side), (int)(100 * (y + from * side)) % 100, (int)side,
                    (int)(100 * side) % 100, (int)side, (int)(100 * side) % 100);
            if (from == to)
                fputs("fill=\"white\" stroke=\"#888\" stroke-width=\"0.7\"/>\n", file);
            else
                fprintf(file, "fill=\"#%02x%02x%02x\" stroke=\"white\" stroke-width=\"0.3\"/>\n",
                        grey, grey, grey);
        }
}

static void arrow(FILE *file, const info_plan *plan, int i, double x)
{
    const info_traffic *traffic = &plan->traffic[i];
    char line[160], bytes[32];
    double y = TOP + 40;
    fprintf(
        file,
        "<path d=\"M%d %d h%d\" stroke=\"black\" stroke-width=\"3\" marker-end=\"url(#tip)\"/>\n",
        (int)x, (int)y, SQUARE - 12);
    snprintf(line, sizeof line, "exchange %d", i + 1);
    text_at(file, x, y - 30, 13, "font-weight=\"bold\"", line);
    snprintf(line, sizeof line, "among %d ranks", traffic->talking);
    text_at(file, x, y - 13, 12, "", line);
    info_bytes(traffic->most, bytes, sizeof bytes);
    snprintf(line, sizeof line, "at most %s per rank", bytes);
    text_at(file, x, y + 22, 12, "", line);
    snprintf(line, sizeof line, "in %d message%s", traffic->most_messages,
             traffic->most_messages == 1 ? "" : "s");
    text_at(file, x, y + 38, 12, "", line);
    info_bytes(traffic->all, bytes, sizeof bytes);
    snprintf(line, sizeof line, "%s in all", bytes);
    text_at(file, x, y + 54, 12, "", line);
    if (plan->problem.ranks <= MOST_SQUARES && plan->problem.ranks > 1)
        square(file, plan, traffic, x, y + 76);
}

/* Draws the legend: the colours of ranks, the directions of the axes, the meaning of the squares.
 */
static void legend(FILE *file, const info_plan *plan, const view *it, double y)
{
    static const char *const way[] = {"down", "to the back", "to the right"};
    const int ranks = plan->problem.ranks, shown = ranks <= 32 ? ranks : 32;
    char text[200], fill[8];
    text_at(file, 30, y + 12, 12, "", "ranks");
    for (int i = 0; i < shown; i++) {
        const int rank = shown > 1 ? (int)((long)i * (ranks - 1) / (shown - 1)) : 0;
        colour(rank, ranks, 0, fill, sizeof fill);
        fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"16\" height=\"14\" fill=\"%s\"/>\n",
                75 + 22 * i, (int)y + 1, fill);
        snprintf(text, sizeof text, "%d", rank);
        if (shown <= 16 || i % 4 == 0 || i == shown - 1)
            text_at(file, 83 + 22 * i, y + 28, 10, "text-anchor=\"middle\"", text);
    }
    weft_writer to = weft_write_to(text, sizeof text);
    for (int i = 0; i < 3; i++)
        if (it->axis[i] >= 0)
            weft_write(&to, "%sn%d %s", to.used ? ", " : "", it->axis[i], way[i]);
    if (plan->problem.axes > 3)
        weft_write(&to,
                   "; of %d axes these are drawn, and of ranks that differ in another the last",
                   plan->problem.axes);
    text_at(file, 30, y + 50, 12, "", text);
    if (plan->path.stages > 1 && ranks > 1 && ranks <= MOST_SQUARES)
        text_at(file, 30, y + 68, 12, "",
                "Squares: rows send, columns receive, rank 0 first; the darker the more, white "
                "with an outline stays.");
    text_at(file, 30, y + 86, 12, "", "1 KiB is 1024 bytes; numbers in double precision.");
}

static bool has_nothing(const info_plan *plan)
{
    weft_box box;
    for (int i = 0; i < plan->path.stages; i++) {
        const weft_layout *layout = &plan->path.stage[i].before;
        weft_layout_box(layout, plan->problem.ranks - 1, &box);
        if (weft_box_empty(layout->axes, &box))
            return true;
    }
    return false;
}

bool info_draw(const info_plan *plan, FILE *file)
{
    const view it = choose_view(plan);
    const int stages = plan->path.stages;
    const double block_height =
        it.length[0] + 0.45 * it.length[1] + 80 + (has_nothing(plan) ? 17 : 0);
    const double exchange_height = stages > 1 ? 116 + SQUARE + 20 : 0;
    const int height =
        TOP + (int)(block_height > exchange_height ? block_height : exchange_height) + 30;
    int width = 60 + stages * STAGE + (stages - 1) * BETWEEN;
    char text[400];
    width = width < 800 ? 800 : width;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
            "%d\" "
            "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n"
            "<title>%s on %d ranks</title>\n"
            "<defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"2\" refY=\"5\" "
            "markerWidth=\"4\" markerHeight=\"4\" "
            "orient=\"auto\"><path d=\"M0 0 L10 5 L0 10 z\"/></marker></defs>\n"
            "<style>.number { fill: black; stroke: white; stroke-width: 3px; paint-order: stroke; "
            "stroke-linejoin: round }</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height + 110, width, height + 110, plan->name, plan->problem.ranks);
    snprintf(text, sizeof text, "%s on %d rank%s: %s", plan->name, plan->problem.ranks,
             plan->problem.ranks == 1 ? "" : "s", plan->shape);
    text_at(file, 30, 36, 20, "font-weight=\"bold\"", text);
    for (int i = 0; i < stages; i++) {
        const double x = 30 + i * (STAGE + BETWEEN);
        stage(file, plan, &it, i, x, TOP);
        if (i + 1 < stages)
            arrow(file, plan, i, x + STAGE + 10);
    }
    legend(file, plan, &it, height);
    fputs("</svg>\n", file);
    return fflush(file) == 0 && !ferror(file);
}
