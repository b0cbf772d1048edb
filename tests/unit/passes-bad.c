/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes that make no sense. */
#include <string.h>
#include "kernels/base/error.h"
#include "tests/unit/passes.h"

void sound_make(sound *s)
{
    *s = (sound){
        .spec = {.axes = 2, .size = {6, 5}, .kind = {WEFT_KEEP, WEFT_FORWARD}, .threads = 1},
        .source = {{.count = 6, .stride = {5, 1}}},
        .target = {{.count = 4, .stride = {5, 1}}, {.count = 2, .offset = 20, .stride = {5, 1}}},
    };
    s->spec.fftw_flags = FFTW_ESTIMATE;
    s->spec.source = (weft_view){.axis = 0, .pieces = 1, .piece = s->source};
    s->spec.target = (weft_view){.axis = 0, .pieces = 2, .piece = s->target};
}

/* Each case spoils something; the word must occur in the error. */
static const char *spoil(sound *s, int how)
{
    weft_pass_spec *spec = &s->spec;
    switch (how) {
    case 0:
        spec->size[1] = 0;
        return "size";
    case 1:
        spec->size[0] = -1;
        return "size";
    case 2:
        spec->axes = WEFT_MAX_AXES + 1;
        return "axes";
    case 3:
        spec->axes = 0;
        return "axes";
    case 4:
        s->source[0].count = 5;
        return "cover";
    case 5:
        s->target[1].count = 3;
        return "left";
    case 6:
        s->target[0].count = -1;
        return "block 0";
    case 7:
        s->source[0].stride[0] = PTRDIFF_MAX / 4;
        return "address";
    case 8:
        s->target[0].offset = PTRDIFF_MIN;
        return "address";
    case 9:
        spec->kind[0] = WEFT_REDFT00;
        spec->size[0] = 1;
        return "size";
    case 10:
        spec->kind[0] = WEFT_R2C;
        spec->kind[1] = WEFT_C2R;
        return "r2c or c2r";
    case 11:
        spec->kind[0] = WEFT_DHT;
        return "mixed";
    case 12:
        spec->twiddle = (weft_twiddle){.n = -30, .sign = 1, .axis = {0, 1}};
        return "twiddle";
    case 13:
        spec->kind[1] = WEFT_KEEP;
        spec->real = true;
        spec->twiddle = (weft_twiddle){.n = 30, .sign = 1, .axis = {0, 1}};
        return "twiddle";
    case 14:
        spec->modes[0] = -3;
        return "-3 modes";
    case 15:
        spec->kind[1] = WEFT_KEEP;
        spec->modes[1] = 4;
        return "4 modes";
    default:
        return NULL;
    }
}

enum { SPOILT = 16 };

START_TEST(what_makes_no_sense_is_refused_with_a_sentence)
{
    sound s;
    sound_make(&s);
    weft_pass *pass = weft_pass_create(&s.spec);
    ck_assert_ptr_nonnull(pass);
    weft_pass_destroy(pass);
    sound_make(&s);
    const char *word = spoil(&s, _i);
    weft_error_clear();
    ck_assert_ptr_null(weft_pass_create(&s.spec));
    ck_assert_msg(strstr(weft_error_text(), word) != NULL, "'%s' in: %s", word, weft_error_text());
}
END_TEST

void add_refusals(TCase *tests)
{
    tcase_add_loop_test(tests, what_makes_no_sense_is_refused_with_a_sentence, 0, SPOILT);
}
