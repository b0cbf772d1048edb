/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Divides a pass into sweeps. Each sweep transforms as many axes as fit the cache together. The
 * first sweep has the innermost axis of the source. With c2r, the last sweep has the innermost axis
 * of the target. Between sweeps the data is in the target or the source array if possible,
 * otherwise in the workspace.
 *
 * The division can be written as text, which wisdom stores and another process reads. For each
 * sweep, "c.gs----:524288/2.g-n-e-:524288" names the axes (a hexadecimal mask) and the variant.
 */
#include "kernels/pass/division.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/cache.h"
#include "kernels/base/memory.h"
#include "kernels/base/text.h"

/* If a sweep touches more bytes than the first and fewer than the second limit (both as multiples
 * of level 2), only timing shows whether it should stream. */
static const double LEAST_IN_QUESTION = 1. / 64, MOST_IN_QUESTION = 64;

static int axis_of_kind(const weft_division *d, weft_kind kind)
{
    return weft_axis_of_kind(d->spec->axes, d->spec->kind, kind);
}

/* The number of sweeps: one for each set, and one more that only copies if a single sweep in place
 * cannot write its tiles where it reads them. */
static int sweeps_of(const weft_division *d)
{
    return d->spec->in_place && !d->match && d->sets == 1 ? 2 : d->sets;
}

static double larger_count(const weft_division *d, int axis)
{
    ptrdiff_t a = d->source->count[axis], b = d->target->count[axis];
    return (double)(a > b ? a : b);
}

/* Bytes of the smallest tile that transforms the axes of one set. If the innermost axis is kept,
 * the tile has at least a whole cache line of it. */
static double smallest_tile(const weft_division *d, int set)
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

/* Fills the sets from the axis of r2c or the innermost axis of the source on. With c2r, fills them
 * from the axis of c2r and the innermost axis of the target on, and then reverses their order. So
 * c2r has the sets of r2c. */
void weft_division_choose(weft_division *d, double most)
{
    const int r2c = axis_of_kind(d, WEFT_R2C), c2r = axis_of_kind(d, WEFT_C2R),
              axes = d->spec->axes;
    bool filled = false;
    int order[WEFT_MAX_AXES];
    weft_side_order(c2r >= 0 ? d->target : d->source, order);
    d->sets = 0;
    for (int a = 0; a < axes; a++)
        d->set[a] = -1;
    for (int k = axes; k >= 0; k--) {
        const int a = k < axes ? order[k] : c2r >= 0 ? c2r : r2c;
        if (a < 0 || d->set[a] >= 0 || d->spec->kind[a] == WEFT_KEEP)
            continue;
        d->set[a] = d->sets;
        if (filled && smallest_tile(d, d->sets) > most)
            d->set[a] = ++d->sets;
        filled = true;
    }
    d->sets++;
    for (int a = 0; a < axes && c2r >= 0; a++)
        if (d->set[a] >= 0)
            d->set[a] = d->sets - 1 - d->set[a];
}

/* Makes an array in the workspace between sweeps s - 1 and s, in the order of the target. It has
 * the target's count along axes that are already transformed, and the source's count along all
 * others. Where spectra have other lengths than the grid, the strides leave space for the longer of
 * the two counts, so that sweeps can work in place there. */
static bool make_work_array(const weft_division *d, int s, weft_side *side)
{
    const bool done = s == d->sets; /* the next sweep only copies */
    const weft_side *source = d->source, *target = d->target;
    ptrdiff_t count[WEFT_MAX_AXES], capacity[WEFT_MAX_AXES];
    size_t bytes = !done && source->element > target->element ? source->element : target->element;
    const size_t element = bytes;
    int order[WEFT_MAX_AXES];
    for (int a = 0; a < d->spec->axes; a++) {
        const weft_kind kind = d->spec->kind[a];
        const bool longer = kind == WEFT_C2R ||
                            (kind != WEFT_R2C && source->count[a] > target->count[a]),
                   transformed = d->set[a] >= 0 && d->set[a] < s;
        count[a] = (done || transformed ? target : source)->count[a];
        capacity[a] = (!done && longer ? source : target)->count[a];
        bytes *= (size_t)capacity[a];
    }
    d->pass->between = weft_round_up(bytes, WEFT_LINE);
    weft_side_order(target, order);
    return weft_side_make_compact(side, d->spec->axes, order, capacity, count, element);
}

/* Sets the target of sweep s - 1, which is the source of sweep s. */
static bool make_between(const weft_division *d, int s, weft_pass_sweep *sweep)
{
    const bool last_halves = d->sets > 1 && axis_of_kind(d, WEFT_C2R) >= 0;
    if (weft_modes_differ(d->spec->axes, d->spec->modes) ||
        (!d->match && (last_halves || d->spec->in_place))) {
        sweep->target_array = WEFT_WORK_ARRAY;
        sweep->target = &sweep->between;
        return make_work_array(d, s, &sweep->between);
    }
    sweep->target_array = last_halves ? WEFT_IN_ARRAY : WEFT_OUT_ARRAY;
    sweep->target = last_halves ? d->source : d->target;
    return true;
}

static bool make_sweep(const weft_division *d, int s, int sweeps)
{
    weft_pass_sweep *sweep = &d->pass->sweep[s];
    const weft_pass_sweep *before = s > 0 ? sweep - 1 : NULL;
    const weft_pass_spec *spec = d->spec;
    sweep->spec = spec;
    sweep->axes = spec->axes;
    sweep->may_destroy = s > 0 || spec->may_destroy || spec->in_place;
    sweep->source = before ? before->target : d->source;
    sweep->source_array = before ? before->target_array : WEFT_IN_ARRAY;
    sweep->target = d->target;
    sweep->target_array = WEFT_OUT_ARRAY;
    for (int a = 0; a < spec->axes; a++) {
        sweep->size[a] = spec->size[a];
        sweep->kind[a] = d->set[a] == s ? spec->kind[a] : WEFT_KEEP;
        sweep->transformed[a] = sweep->kind[a] != WEFT_KEEP;
        sweep->modes[a] = d->set[a] == s ? spec->modes[a] : 0;
    }
    d->pass->sweeps = s + 1; /* so that the caller frees it */
    if (s < sweeps - 1 && !make_between(d, s + 1, sweep))
        return false;
    sweep->second = sweep->target->element;
    sweep->in_place = sweep->source_array == sweep->target_array ||
                      (d->match && sweep->source_array != WEFT_WORK_ARRAY &&
                       sweep->target_array != WEFT_WORK_ARRAY);
    return true;
}

bool weft_division_make_sweeps(const weft_division *d)
{
    const int sweeps = sweeps_of(d);
    d->pass->sweep = weft_new((size_t)sweeps, sizeof *d->pass->sweep, "the sweeps of a pass");
    d->pass->sweeps = 0;
    d->pass->between = 0;
    for (int s = 0; s < sweeps; s++)
        if (!d->pass->sweep || !make_sweep(d, s, sweeps))
            return false;
    weft_pass_sweep *last = &d->pass->sweep[d->sets - 1];
    last->factors = d->pass->factors;
    last->callback = d->spec->callback;
    last->only_reads = d->spec->only_reads;
    if (last->callback && axis_of_kind(d, WEFT_C2R) >= 0)
        last->second = sizeof(weft_real);
    return true;
}

/* Letters of a variant. The first ALWAYS letters are always written, as '-' if false; the other
 * letters are written only if true. */
enum { LETTERS = 8, ALWAYS = 6 };
static const char letters[LETTERS + 1] = "gsnfeqhu";

static bool *letter_meaning(weft_variant *variant, int letter)
{
    bool *const meaning[LETTERS] = {&variant->gather,        &variant->scatter,   &variant->stream,
                                    &variant->follow_source, &variant->estimated, &variant->quick,
                                    &variant->halves,        &variant->unpruned};
    return meaning[letter];
}

/*
 * Whether only timing shows if a sweep should use streaming stores. Large arrays should stream. For
 * smaller arrays it depends on other cores, which use the last cache, too: an ordinary store to a
 * line that another core has read waits until the other core gives the line up; a streaming store
 * does not wait. On two cores of an AMD EPYC, ordinary stores took 18, 70 or 240 to 600 us per MB,
 * depending on where the host had placed the cores, and streaming stores 40 to 90 us. In the last
 * case, transforms of 32^3 to 64^3 took 1.4 to 1.8 times as long without the timing.
 */
static bool in_question(const weft_pass_sweep *sweep)
{
    const double level2 = (double)weft_cache_level2(), bytes = weft_touched_bytes(sweep);
    return sweep->tiling.tiles > 0 && bytes > LEAST_IN_QUESTION * level2 &&
           bytes < MOST_IN_QUESTION * level2;
}

bool weft_division_write(const weft_host_pass *pass, bool other, char *text, size_t capacity)
{
    weft_writer writer = weft_write_to(text, capacity);
    bool differs = false;
    for (int s = 0; s < pass->sweeps; s++) {
        const weft_pass_sweep *sweep = &pass->sweep[s];
        weft_variant variant = sweep->variant;
        char head[16], word[LETTERS + 1] = "", *end = word;
        unsigned long axes = 0;
        if (other && in_question(sweep)) {
            variant.stream = !variant.stream;
            variant.scatter |= variant.stream && sweep->groups > 0;
            differs = true;
        }
        for (int a = 0; a < sweep->axes; a++)
            if (sweep->transformed[a])
                axes |= 1UL << a;
        for (int k = 0; k < LETTERS; k++)
            if (k < ALWAYS || *letter_meaning(&variant, k))
                *end++ = *letter_meaning(&variant, k) ? letters[k] : '-';
        snprintf(head, sizeof head, "%s%lx", s ? "/" : "", axes);
        weft_write(&writer, "%s.%s:%td", head, word, (ptrdiff_t)(variant.tile + 0.5));
    }
    return (differs || !other) && writer.used + 1 < writer.capacity;
}

/* Reads one sweep and returns the end of its text; NULL: the text is malformed. */
static const char *read_sweep(const char *text, unsigned long *axes, weft_variant *variant)
{
    char *end;
    *axes = strtoul(text, &end, 16);
    if (end == text || *end++ != '.')
        return NULL;
    for (int k = 0; k < LETTERS; k++) {
        *letter_meaning(variant, k) = *end == letters[k];
        if (k < ALWAYS && *end != letters[k] && *end != '-')
            return NULL;
        end += k < ALWAYS || *end == letters[k];
    }
    if (*end != ':' || end[1] < '0' || end[1] > '9')
        return NULL;
    variant->tile = (double)strtoull(end + 1, &end, 10);
    return variant->tile > 0 ? end : NULL;
}

/* Reads the axes of each sweep and their variants. Returns the number of sweeps; 0: the text is
 * malformed. */
static int read_sweeps(const char *text, int axes, unsigned long *mask, weft_variant *variant)
{
    unsigned long seen = 0, all = axes < 32 ? (1UL << axes) - 1 : 0xFFFFFFFFUL;
    for (int s = 0; s <= axes; s++) {
        text = read_sweep(text, &mask[s], &variant[s]);
        if (!text || (mask[s] & seen) || (mask[s] & ~all))
            return 0;
        seen |= mask[s];
        if (*text == 0)
            return s + 1;
        if (*text++ != '/')
            return 0;
    }
    return 0;
}

bool weft_division_read(weft_division *d, const char *text)
{
    unsigned long mask[WEFT_MAX_AXES + 1];
    const int sweeps = read_sweeps(text, d->spec->axes, mask, d->variant),
              r2c = axis_of_kind(d, WEFT_R2C), c2r = axis_of_kind(d, WEFT_C2R);
    if (sweeps == 0)
        return false;
    d->sets = sweeps - (sweeps > 1 && mask[sweeps - 1] == 0);
    for (int a = 0; a < d->spec->axes; a++) {
        d->set[a] = -1;
        for (int s = 0; s < d->sets; s++)
            if (mask[s] >> a & 1)
                d->set[a] = s;
        if ((d->set[a] >= 0) != (d->spec->kind[a] != WEFT_KEEP))
            return false;
    }
    return sweeps == sweeps_of(d) && (r2c < 0 || d->set[r2c] == 0) &&
           (c2r < 0 || d->set[c2r] == d->sets - 1);
}

weft_division weft_division_of(weft_host_pass *pass)
{
    const weft_pass_spec *spec = &pass->spec;
    const weft_side *source = &pass->source, *target = &pass->target;
    weft_division d = {.pass = pass, .spec = spec, .source = source, .target = target};
    const int r2c = axis_of_kind(&d, WEFT_R2C), c2r = axis_of_kind(&d, WEFT_C2R);
    d.match = spec->in_place && (spec->callback || !weft_modes_differ(spec->axes, spec->modes)) &&
              weft_sides_match(source, target, r2c >= 0 ? r2c : c2r) &&
              (weft_kinds_transform(spec->axes, spec->kind) || !weft_sides_differ(source, target));
    return d;
}
