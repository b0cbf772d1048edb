/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dividing a pass into sweeps: as many axes at once as fit the cache together, the innermost of the
 * source first. Between sweeps the data lies where it will end up, or else in the workspace.
 *
 * What was found is a text, the variant, which wisdom can keep and another process can repeat:
 * "c.gs----:524288/2.g-n-e-:524288" says for every sweep which axes (a hexadecimal mask) it
 * transforms, and its choice.
 */
#include "kernels/pass/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/cache.h"
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "kernels/pass/fft.h"
#include "kernels/pass/tune/time.h"
#include "kernels/pass/tune/tune.h"

static const double OWN_CACHE = 1.25; /* as tiles may be a little larger than level 2 */
/* What sweeps touch of which it is in question whether they should stream, in caches of level 2. */
static const double LEAST_IN_QUESTION = 1. / 64, MOST_IN_QUESTION = 64;

/* What is common to the sweeps of a pass. */
typedef struct {
    weft_pass *pass;
    const weft_pass_spec *spec;
    const weft_side *source, *target;
    bool match; /* in place, and tiles can be written where they were read */
    int sets;
    int set[WEFT_MAX_AXES]; /* the sweep of every axis, -1: kept */
} division;

static bool transforms(const weft_pass_spec *spec)
{
    for (int a = 0; a < spec->axes; a++)
        if (spec->kind[a] != WEFT_KEEP)
            return true;
    return false;
}

static double larger_count(const division *d, int axis)
{
    ptrdiff_t a = d->source->count[axis], b = d->target->count[axis];
    return (double)(a > b ? a : b);
}

static size_t in_lines(size_t bytes)
{
    return (bytes + WEFT_LINE - 1) / WEFT_LINE * WEFT_LINE;
}

/* Bytes of the least tile that transforms the axes of one set: lines of kept innermost axes are
 * whole. */
static double least_tile(const division *d, int set)
{
    int order[2][WEFT_MAX_AXES], last = d->spec->axes - 1;
    double elements = 1;
    weft_side_order(d->source, order[0]);
    weft_side_order(d->target, order[1]);
    for (int a = 0; a < d->spec->axes; a++)
        if (d->set[a] == set)
            elements *= larger_count(d, a);
    size_t element =
        d->source->element > d->target->element ? d->source->element : d->target->element;
    double line = (double)WEFT_LINE / (double)element;
    for (int s = 0; s < 2; s++) {
        int inner = order[s][last];
        if (d->set[inner] != set && (s == 0 || inner != order[0][last]))
            elements *= larger_count(d, inner) < line ? larger_count(d, inner) : line;
    }
    return elements * (double)element;
}

/* Puts the transformed axes into sets of which a tile has at most `most` bytes. */
static void choose_sets(division *d, double most)
{
    int order[WEFT_MAX_AXES], first = weft_axis_of_kind(d->spec->axes, d->spec->kind, WEFT_R2C),
                              last = weft_axis_of_kind(d->spec->axes, d->spec->kind, WEFT_C2R);
    weft_side_order(d->source, order);
    d->sets = 0;
    for (int a = 0; a < d->spec->axes; a++)
        d->set[a] = -1;
    bool filled = false;
    for (int k = d->spec->axes; k >= -1; k--) {
        int a = k == d->spec->axes ? first : k == -1 ? last : order[k];
        if (a < 0 || d->set[a] >= 0 || d->spec->kind[a] == WEFT_KEEP || (a == last && k >= 0))
            continue;
        d->set[a] = d->sets;
        if (filled && least_tile(d, d->sets) > most)
            d->set[a] = ++d->sets;
        filled = true;
    }
    d->sets++;
}

static bool modes_differ(const weft_pass_spec *spec)
{
    for (int a = 0; a < spec->axes; a++)
        if (spec->modes[a])
            return true;
    return false;
}

/* Between sweeps s - 1 and s, in the workspace, where spectra have other lengths: what has been
 * transformed lies as in the target, else as in the source, with room for the longer of the two, so
 * that in the workspace sweeps can write where they read. */
static bool between_modes(const division *d, int s, weft_side *side)
{
    const bool done = s == d->sets; /* what comes only copies */
    const weft_side *type =
        !done && d->source->element > d->target->element ? d->source : d->target;
    ptrdiff_t room[WEFT_MAX_AXES];
    for (int a = 0; a < d->spec->axes; a++) {
        const ptrdiff_t source = d->source->count[a], target = d->target->count[a];
        const weft_kind kind = d->spec->kind[a];
        room[a] =
            !done && (kind == WEFT_C2R || (kind != WEFT_R2C && source > target)) ? source : target;
    }
    if (!weft_side_make_compact(side, d->target, room, type->element))
        return false;
    d->pass->between = in_lines((size_t)weft_side_elements(side) * side->element);
    for (int a = 0; a < d->spec->axes; a++)
        side->count[a] =
            d->set[a] >= 0 && d->set[a] < s ? d->target->count[a] : d->source->count[a];
    side->piece[0].count = side->count[side->axis];
    return true;
}

/* The array between sweeps s - 1 and s. */
static bool between(const division *d, int s, weft_array *array, weft_side *side)
{
    if (modes_differ(d->spec)) {
        *array = WEFT_WORK_ARRAY;
        return between_modes(d, s, side);
    }
    bool last_halves =
        d->sets > 1 && weft_axis_of_kind(d->spec->axes, d->spec->kind, WEFT_C2R) >= 0;
    if (last_halves && d->match) {
        *array = WEFT_IN_ARRAY;
        return weft_side_copy(side, d->source);
    }
    if (!last_halves && (!d->spec->in_place || d->match)) {
        *array = WEFT_OUT_ARRAY;
        return weft_side_copy(side, d->target);
    }
    *array = WEFT_WORK_ARRAY;
    const weft_side *type = last_halves ? d->source : d->target;
    if (!weft_side_make_compact(side, d->target, type->count, type->element))
        return false;
    d->pass->between = in_lines((size_t)weft_side_elements(side) * side->element);
    return true;
}

static bool make_sweep(const division *d, int s, int sweeps)
{
    weft_sweep *sweep = &d->pass->sweep[s];
    const weft_pass_spec *spec = d->spec;
    *sweep = (weft_sweep){
        .axes = spec->axes,
        .may_destroy = s > 0 || spec->may_destroy || spec->in_place,
        .flags = spec->fftw_flags,
        .timed = !spec->variant,
        .until = spec->until,
        .threads = spec->threads > 1 ? spec->threads : 1,
        .source_array = WEFT_IN_ARRAY,
        .target_array = WEFT_OUT_ARRAY,
    };
    for (int a = 0; a < spec->axes; a++) {
        sweep->size[a] = spec->size[a];
        sweep->kind[a] = d->set[a] == s ? spec->kind[a] : WEFT_KEEP;
        sweep->transformed[a] = sweep->kind[a] != WEFT_KEEP;
        sweep->modes[a] = d->set[a] == s ? spec->modes[a] : 0;
    }
    d->pass->sweeps = s + 1; /* so that it is freed */
    if (!(s == 0 ? weft_side_copy(&sweep->source, d->source)
                 : between(d, s, &sweep->source_array, &sweep->source)) ||
        !(s == sweeps - 1 ? weft_side_copy(&sweep->target, d->target)
                          : between(d, s + 1, &sweep->target_array, &sweep->target)))
        return false;
    sweep->in_place = sweep->source_array == sweep->target_array ||
                      (d->match && sweep->source_array != WEFT_WORK_ARRAY &&
                       sweep->target_array != WEFT_WORK_ARRAY);
    return true;
}

static bool make_sweeps(const division *d)
{
    int sweeps = d->sets;
    if (d->spec->in_place && !d->match && sweeps == 1)
        sweeps = 2; /* the second only copies */
    d->pass->sweep = calloc((size_t)sweeps, sizeof *d->pass->sweep);
    if (!d->pass->sweep) {
        weft_error("pass: no memory for %d sweeps", sweeps);
        return false;
    }
    for (int s = 0; s < sweeps; s++)
        if (!make_sweep(d, s, sweeps))
            return false;
    if (d->pass->factors)
        d->pass->sweep[d->sets - 1].factors = d->pass->factors;
    return true;
}

/* Room for the buffers of the sweeps. */
static void count_buffers(weft_pass *pass)
{
    for (int s = 0; s < pass->sweeps; s++) {
        size_t buffers = pass->sweep[s].buffer[0] + pass->sweep[s].buffer[1];
        if (pass->buffers < buffers)
            pass->buffers = buffers;
    }
}

/* Sweeps for when tiles of `most` bytes are thought to fit the cache. */
static bool divide(division *d, double most, const weft_pass_limits *limits, double *time)
{
    *time = 0;
    choose_sets(d, most);
    if (!make_sweeps(d))
        return false;
    for (int s = 0; s < d->pass->sweeps; s++) {
        if (!weft_tune(&d->pass->sweep[s], limits))
            return false;
        *time += d->pass->sweep[s].time;
    }
    return true;
}

/* A variant, read: the axes and the choice of every sweep. */
typedef struct {
    int sweeps;
    unsigned long axes[WEFT_MAX_AXES + 1];
    weft_choice choice[WEFT_MAX_AXES + 1];
} variant;

/* Beyond those that are always written stand only such that hold. */
enum { LETTERS = 8, ALWAYS = 6 };
static const char letters[LETTERS + 1] = "gsnfeqhu";

static bool *letter_meaning(weft_choice *choice, int letter)
{
    bool *const meaning[LETTERS] = {&choice->gather,        &choice->scatter,   &choice->stream,
                                    &choice->follow_source, &choice->estimated, &choice->quick,
                                    &choice->halves,        &choice->unpruned};
    return meaning[letter];
}

/*
 * Whether it is not clear if a sweep had better write past the caches. A lot always. Of less,
 * others than this core decide: what the machine says of its last cache they use, too; and ordinary
 * stores to a line that another core has read wait until that core has let it go, each in turn,
 * where streaming ones do not. On one machine, two cores of an AMD EPYC, that took 18 us a MB, or
 * 70, or 240 to 600, as its host had placed them, and 40 to 90 by streaming: planned without
 * looking, 32^3 to 64^3 took 1.4 to 1.8 times as long in the last case, and no less in the others.
 */
static bool in_question(const weft_sweep *sweep)
{
    const double level2 = (double)weft_cache_level2(), bytes = weft_touched_bytes(sweep);
    return sweep->tiling.tiles > 0 && bytes > LEAST_IN_QUESTION * level2 &&
           bytes < MOST_IN_QUESTION * level2;
}

bool weft_sweeps_write_variant(const weft_pass *pass, bool other, char *text, size_t room)
{
    weft_writer writer = weft_write_to(text, room);
    bool differs = false;
    for (int s = 0; s < pass->sweeps; s++) {
        const weft_sweep *sweep = &pass->sweep[s];
        weft_choice choice = sweep->choice;
        unsigned long axes = 0;
        if (other && in_question(sweep)) {
            choice.stream = !choice.stream;
            choice.scatter |= choice.stream && sweep->groups > 0;
            differs = true;
        }
        for (int a = 0; a < sweep->axes; a++)
            if (sweep->transformed[a])
                axes |= 1UL << a;
        weft_write(&writer, "%s%lx.", s ? "/" : "", axes);
        for (int k = 0; k < LETTERS; k++)
            if (k < ALWAYS || *letter_meaning(&choice, k))
                weft_write(&writer, "%c", *letter_meaning(&choice, k) ? letters[k] : '-');
        weft_write(&writer, ":%.0f", choice.tile);
    }
    return (differs || !other) && writer.used + 1 < writer.room;
}

/* Reads one sweep; NULL: malformed. */
static const char *read_sweep(const char *text, unsigned long *axes, weft_choice *choice)
{
    char *end;
    *axes = strtoul(text, &end, 16);
    if (end == text || *end++ != '.')
        return NULL;
    /* words of earlier versions have one letter more, the fourth, of plans that are no longer made
     * apart */
    const bool older = strcspn(end, ":") == ALWAYS + 1 && (end[3] == 'a' || end[3] == '-') &&
                       !strchr(letters + ALWAYS, end[ALWAYS]);
    for (int k = 0; k < LETTERS; k++) {
        end += older && k == 3;
        *letter_meaning(choice, k) = *end == letters[k];
        if (k < ALWAYS && *end != letters[k] && *end != '-')
            return NULL;
        end += k < ALWAYS || *end == letters[k];
    }
    if (*end != ':' || end[1] < '0' || end[1] > '9')
        return NULL;
    choice->tile = (double)strtoull(end + 1, &end, 10);
    return choice->tile > 0 ? end : NULL;
}

/* False: the text is none. */
static bool read_variant(const char *text, int axes, variant *to)
{
    unsigned long seen = 0, all = axes < 32 ? (1UL << axes) - 1 : 0xFFFFFFFFUL;
    *to = (variant){0};
    for (;;) {
        int s = to->sweeps;
        if (s > axes)
            return false;
        text = read_sweep(text, &to->axes[s], &to->choice[s]);
        if (!text || (to->axes[s] & seen) || (to->axes[s] & ~all))
            return false;
        seen |= to->axes[s];
        to->sweeps++;
        if (*text == 0)
            return true;
        if (*text++ != '/')
            return false;
    }
}

/* Divided and done as the text says; false when it does not fit this pass. */
static bool repeat(division *d, const char *text)
{
    variant found;
    int r2c = weft_axis_of_kind(d->spec->axes, d->spec->kind, WEFT_R2C),
        c2r = weft_axis_of_kind(d->spec->axes, d->spec->kind, WEFT_C2R);
    if (!read_variant(text, d->spec->axes, &found))
        return false;
    int copies = found.sweeps > 1 && found.axes[found.sweeps - 1] == 0;
    d->sets = found.sweeps - copies;
    for (int a = 0; a < d->spec->axes; a++) {
        d->set[a] = -1;
        for (int s = 0; s < d->sets; s++)
            if (found.axes[s] >> a & 1)
                d->set[a] = s;
        if ((d->set[a] >= 0) != (d->spec->kind[a] != WEFT_KEEP))
            return false;
    }
    if ((r2c >= 0 && d->set[r2c] != 0) || (c2r >= 0 && d->set[c2r] != d->sets - 1) ||
        !make_sweeps(d) || d->pass->sweeps != found.sweeps)
        return false;
    for (int s = 0; s < found.sweeps; s++)
        if (!weft_sweep_make(&d->pass->sweep[s], &found.choice[s]))
            return false;
    return true;
}

/* Tries other divisions into sweeps than the one there is: tiles for the cache of a core, or
 * everything at once. */
static void compare(division *d, const weft_pass_limits *limits, double time)
{
    weft_pass *pass = d->pass;
    const double most[] = {OWN_CACHE * (double)limits->level2, HUGE_VAL};
    int first_sets = d->sets, last_sets = d->sets;
    for (int k = 0; k < 2 && time > 0; k++) {
        weft_pass other = {.threads = pass->threads, .factors = pass->factors};
        double other_time;
        choose_sets(d, most[k]);
        if (d->sets == first_sets || d->sets == last_sets)
            continue;
        last_sets = d->sets;
        d->pass = &other;
        if (divide(d, most[k], limits, &other_time) && other_time > 0 && other_time < time) {
            weft_pass slower = *pass;
            *pass = other;
            other = slower;
            time = other_time;
        }
        weft_sweeps_free(&other);
        d->pass = pass;
    }
}

bool weft_sweeps_make(weft_pass *pass, const weft_pass_spec *spec, const weft_side *source,
                      const weft_side *target, const weft_pass_limits *limits)
{
    int r2c = weft_axis_of_kind(spec->axes, spec->kind, WEFT_R2C),
        c2r = weft_axis_of_kind(spec->axes, spec->kind, WEFT_C2R);
    division d = {
        .pass = pass,
        .spec = spec,
        .source = source,
        .target = target,
        .match = spec->in_place && !modes_differ(spec) &&
                 weft_sides_match(source, target, r2c >= 0 ? r2c : c2r) &&
                 (transforms(spec) || !weft_sides_differ(source, target)),
    };
    bool repeated = spec->variant && repeat(&d, spec->variant);
    if (!repeated) {
        double time;
        weft_sweeps_free(pass);
        const double own = OWN_CACHE * (double)limits->level2;
        double most = (double)limits->last / (4 * pass->threads);
        if (most < own || spec->fftw_flags & FFTW_ESTIMATE) /* nothing is compared with it */
            most = own;
        if (!divide(&d, most, limits, &time))
            return false;
        compare(&d, limits, time);
        for (int s = 0; s < pass->sweeps; s++)
            weft_tune_finish(&pass->sweep[s], limits);
    }
    count_buffers(pass);
    if (!weft_sweeps_write_variant(pass, false, pass->variant, sizeof pass->variant))
        pass->variant[0] = '\0';
    return true;
}

void weft_sweeps_free(weft_pass *pass)
{
    for (int s = 0; s < pass->sweeps; s++) {
        weft_sweep_unmake(&pass->sweep[s]);
        weft_side_free(&pass->sweep[s].source);
        weft_side_free(&pass->sweep[s].target);
    }
    free(pass->sweep);
    pass->sweep = NULL;
    pass->sweeps = 0;
    pass->between = pass->buffers = 0;
}
