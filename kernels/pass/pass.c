/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interface of passes: makes the sweeps, runs them one after another, and
 * says what they cost and how each is done: "fft 256x256 c2c, 256 tiles of 1x256x256, streamed".
 */
#include "kernels/pass/pass.h"

#include <stdint.h>
#include <stdlib.h>
#include "kernels/base/cache.h"
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "kernels/pass/libfftw3.h"
#include "kernels/pass/tuning.h"

static const unsigned known_flags =
    FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE | FFTW_WISDOM_ONLY | FFTW_UNALIGNED;

/* Whether both sides are real unless r2c or c2r says otherwise. */
static bool is_real(const weft_pass_spec *spec)
{
    bool r2r = false, complex = false;
    for (int a = 0; a < spec->axes; a++) {
        const weft_kind kind = spec->kind[a];
        r2r |= weft_kind_is_r2r(kind);
        complex |= kind != WEFT_KEEP && !weft_kind_is_r2r(kind);
    }
    return r2r || (spec->real && !complex);
}

static bool make_side(weft_side *side, const weft_pass_spec *spec, bool target, bool real)
{
    ptrdiff_t count[WEFT_MAX_AXES];
    for (int a = 0; a < spec->axes; a++) {
        const weft_kind kind = spec->kind[a];
        /* a callback leaves both sides with as many points as the grid */
        const bool spectral = !spec->callback && (kind == (target ? WEFT_FORWARD : WEFT_BACKWARD) ||
                                                  kind == (target ? WEFT_R2C : WEFT_C2R));
        real = real || kind == (target ? WEFT_C2R : WEFT_R2C);
        count[a] = spectral && spec->modes[a] ? spec->modes[a] : spec->size[a];
        if (spectral && weft_kind_is_halving(kind))
            count[a] = count[a] / 2 + 1;
    }
    return weft_side_make(side, spec->axes, count, real ? sizeof(weft_real) : sizeof(weft_complex),
                          target ? &spec->target : &spec->source);
}

bool weft_pass_sides(const weft_pass_spec *spec, weft_side *source, weft_side *target)
{
    const bool real = is_real(spec);
    return make_side(source, spec, false, real) && make_side(target, spec, true, real);
}

/* Joins kept axes that form one axis on both sides, so that tiles can be cut at cache lines
 * wherever rows begin. */
static void join_axes(weft_pass_spec *spec, weft_side *source, weft_side *target)
{
    for (int outer = 0; outer < spec->axes && !spec->twiddle.n && !spec->callback; outer++)
        for (int inner = 0; inner < spec->axes; inner++) {
            if (inner == outer || spec->kind[outer] != WEFT_KEEP ||
                spec->kind[inner] != WEFT_KEEP || spec->size[outer] == 1 ||
                spec->size[inner] == 1 || !weft_side_can_join_axes(source, outer, inner) ||
                !weft_side_can_join_axes(target, outer, inner))
                continue;
            weft_side_join_axes(source, outer, inner);
            weft_side_join_axes(target, outer, inner);
            spec->size[inner] *= spec->size[outer];
            spec->size[outer] = 1;
            outer = -1; /* the joined axis may be joined again */
            break;
        }
}

/* Makes the sweeps that a text describes. Returns false if the text does not fit this pass. */
static bool repeat(weft_division *division, const char *text)
{
    weft_pass *pass = division->pass;
    if (!weft_division_read(division, text) || !weft_division_make_sweeps(division))
        return false;
    for (int s = 0; s < pass->sweeps; s++)
        if (!weft_sweep_make(&pass->sweep[s], &division->variant[s]))
            return false;
    return true;
}

static void free_sweeps(weft_pass *pass)
{
    weft_sweeps_free(pass->sweep, pass->sweeps);
    pass->sweep = NULL;
    pass->sweeps = 0;
    pass->between = 0;
}

static bool make_sweeps(weft_pass *pass, const weft_pass_spec *spec, const weft_side *source,
                        const weft_side *target, const weft_pass_limits *limits)
{
    weft_division division = weft_division_of(pass, spec, source, target);
    if (!spec->variant || !repeat(&division, spec->variant)) {
        free_sweeps(pass);
        if (!weft_tune(&division, limits))
            return false;
    }
    for (int s = 0; s < pass->sweeps; s++) {
        const size_t buffers = pass->sweep[s].buffer[0] + pass->sweep[s].buffer[1];
        if (pass->buffers < buffers)
            pass->buffers = buffers;
    }
    if (!weft_division_write(pass, false, pass->variant, sizeof pass->variant))
        pass->variant[0] = '\0';
    return true;
}

static bool make(weft_pass *pass, const weft_pass_spec *spec, const weft_pass_limits *limits)
{
    weft_side source = {0}, target = {0};
    weft_pass_spec known = *spec;
    known.fftw_flags &= known_flags;
    pass->threads = spec->threads > 1 ? spec->threads : 1;
    bool made = weft_pass_sides(spec, &source, &target);
    if (made && spec->twiddle.n) {
        pass->factors = weft_factors_make(&spec->twiddle);
        made = pass->factors != NULL;
    }
    if (made)
        join_axes(&known, &source, &target);
    made = made && make_sweeps(pass, &known, &source, &target, limits);
    weft_side_free(&source);
    weft_side_free(&target);
    return made;
}

static const char *kind_name(const weft_pass_sweep *sweep)
{
    for (int g = 0; g < sweep->groups; g++)
        if (sweep->group[g].kind == WEFT_R2C)
            return "r2c";
        else if (sweep->group[g].kind == WEFT_C2R)
            return "c2r";
        else if (weft_kind_is_r2r(sweep->group[g].kind))
            return "r2r";
    return "c2c";
}

static void describe(const weft_pass_sweep *sweep, weft_writer *writer)
{
    if (writer->used > 0)
        weft_write(writer, "; ");
    if (sweep->tiling.tiles == 0) {
        weft_write(writer, "nothing");
        return;
    }
    weft_write(writer, sweep->groups ? "fft " : "copy");
    const char *between = "";
    for (int a = 0; a < sweep->axes; a++)
        if (sweep->transformed[a]) {
            weft_write(writer, "%s%td", between, sweep->size[a]);
            if (sweep->modes[a])
                weft_write(writer, ":%td", sweep->modes[a]);
            between = "x";
        }
    if (sweep->groups)
        weft_write(writer, " %s", kind_name(sweep));
    weft_write(writer, ", %td tiles of ", sweep->tiling.tiles);
    for (int a = 0; a < sweep->axes; a++)
        weft_write(writer, "%s%td", a ? "x" : "", sweep->tiling.axis[a].stretch[0].part);
    if (sweep->variant.gather)
        weft_write(writer, ", gathered");
    if (sweep->factors)
        weft_write(writer, ", times factors");
    if (sweep->callback)
        weft_write(writer, ", operator, and back");
    if (sweep->variant.stream)
        weft_write(writer, ", streamed");
    else if (sweep->variant.scatter)
        weft_write(writer, ", scattered");
}

weft_pass *weft_pass_create_limited(const weft_pass_spec *spec, const weft_pass_limits *limits)
{
    weft_pass *pass = calloc(1, sizeof *pass);
    if (!pass) {
        weft_error("pass: no memory for its description (%zu bytes)", sizeof *pass);
        return NULL;
    }
    if (!make(pass, spec, limits)) {
        weft_pass_destroy(pass);
        return NULL;
    }
    weft_writer writer = weft_write_to(pass->text, sizeof pass->text);
    for (int s = 0; s < pass->sweeps; s++)
        describe(&pass->sweep[s], &writer);
    return pass;
}

weft_pass *weft_pass_create(const weft_pass_spec *spec)
{
    const size_t threads = spec->threads > 1 ? (size_t)spec->threads : 1;
    const size_t ranks_per_core = spec->ranks_per_core > 1 ? (size_t)spec->ranks_per_core : 1;
    const size_t last = weft_cache_last(), share = weft_cache_share() * threads / ranks_per_core;
    weft_pass_limits limits = {.level2 = weft_cache_level2(), .last = share < last ? share : last};
    if (spec->buffer > 0 && spec->buffer < limits.level2)
        limits.level2 = spec->buffer;
    if (spec->buffer > 0 && spec->buffer < limits.last)
        limits.last = spec->buffer;
    return weft_pass_create_limited(spec, &limits);
}

bool weft_pass_array_aligned(const void *array)
{
    return weft_fft_aligned((ptrdiff_t)(uintptr_t)array);
}

size_t weft_pass_workspace(const weft_pass *pass)
{
    return pass->between + pass->buffers * (size_t)pass->threads;
}

void weft_pass_run(const weft_pass *pass, const void *const *in, void *const *out, void *workspace)
{
    char *buffers = (char *)workspace + pass->between;
    const void *const from_work[] = {workspace};
    void *const to_work[] = {workspace};
    for (int s = 0; s < pass->sweeps; s++) {
        const weft_pass_sweep *sweep = &pass->sweep[s];
        const void *const *from = sweep->source_array == WEFT_IN_ARRAY ? in
                                  : sweep->source_array == WEFT_WORK_ARRAY
                                      ? from_work
                                      : (const void *const *)out;
        /* An input array that a sweep writes is in place, so the output is the same memory. */
        void *const *to = sweep->target_array == WEFT_WORK_ARRAY ? to_work : out;
        weft_sweep_run(sweep, from, to, buffers, pass->buffers, 0, sweep->tiling.tiles);
    }
}

void weft_pass_cost(const weft_pass *pass, double *read, double *written, double *flops)
{
    *read = *written = *flops = 0;
    for (int s = 0; s < pass->sweeps; s++) {
        const weft_pass_sweep *sweep = &pass->sweep[s];
        if (sweep->tiling.tiles == 0)
            continue;
        *read += weft_side_bytes(&sweep->source);
        *written += weft_side_bytes(&sweep->target);
        *flops += sweep->flops;
        if (sweep->factors)
            *flops += 12.0 * (double)weft_side_elements(&sweep->target);
    }
}

double weft_pass_seconds(const weft_pass *pass)
{
    double sum = 0;
    for (int s = 0; s < pass->sweeps; s++) {
        const weft_pass_sweep *sweep = &pass->sweep[s];
        if (sweep->tiling.tiles > 0 && sweep->time <= 0)
            return -1;
        sum += sweep->time;
    }
    return sum;
}

const char *weft_pass_text(const weft_pass *pass)
{
    return pass->text;
}

const char *weft_pass_variant(const weft_pass *pass)
{
    return pass->variant;
}

bool weft_pass_other_variant(const weft_pass *pass, char *text, size_t capacity)
{
    return weft_division_write(pass, true, text, capacity);
}

void weft_pass_destroy(weft_pass *pass)
{
    if (!pass)
        return;
    free_sweeps(pass);
    weft_factors_free(pass->factors);
    free(pass);
}

const weft_pass_functions weft_pass_on_host = {
    .create = weft_pass_create,
    .workspace = weft_pass_workspace,
    .run = weft_pass_run,
    .cost = weft_pass_cost,
    .text = weft_pass_text,
    .seconds = weft_pass_seconds,
    .variant = weft_pass_variant,
    .other_variant = weft_pass_other_variant,
    .destroy = weft_pass_destroy,
};
