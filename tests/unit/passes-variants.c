/* SPDX-License-Identifier: BSD-3-Clause */
/* Variants: the result of a search makes the same pass again. */
#include <stdlib.h>
#include <string.h>
#include "kernels/pass/sweep.h"
#include "tests/unit/passes.h"

/* Compares a pass from a search with one made from its variant. */
TEST(a_variant_makes_the_same_pass_again)
{
    int repeated = 0;
    for (int n = 0; n < 60; n++) {
        test_case c;
        case_make(&c, 7 * n, (pass_family)(n % FAMILIES));
        c.spec.fftw_flags = n % 3 ? FFTW_MEASURE : FFTW_ESTIMATE;
        weft_pass *pass = pass_made(&c.spec, &c.limits);
        ck_assert_ptr_null(strpbrk(pass->variant, " ,;"));
        c.spec.variant = pass->variant;
        weft_pass *again = pass_made(&c.spec, &c.limits);
        ck_assert_str_eq(again->text, pass->text);
        ck_assert_str_eq(again->variant, pass->variant);
        c.spec.variant = NULL;
        c.spec.fftw_flags = FFTW_ESTIMATE;
        weft_pass *rule = pass_made(&c.spec, &c.limits);
        repeated += strcmp(rule->text, pass->text) != 0;
        weft_pass_destroy(rule);
        weft_pass_destroy(again);
        weft_pass_destroy(pass);
    }
    ck_assert_int_gt(repeated, 0); /* some differ from the pass that the rule makes */
}

static const char *const no_variants[] = {
    "",
    "2",
    "2.gs----",
    "2.gs----:",
    "2.gs----:x",
    "2.gs---:9",
    "zebra",
    "2.gs----:9/",
    "1.gs----:9",
    "2.gs----:9/1.gs----:9",
    "3.gs----:9",
    "0.gs----:9",
    "2.gs----:9 and more",
    "2.gs----x:9",
    "2.gs----uh:9",
    "2.gs----:9/2.gs----:9",
    "2.gs----:9/0.gs----:9",
    "2.gs----:0",
    "FFFFFFFFFFFFFFFFFFFF.gs----:9",
};

TEST(a_variant_that_does_not_fit_is_ignored, .to = NUMBER(no_variants))
{
    const weft_view_block rows[] = {
        {.count = 6, .stride = {5, 1}},
        {.count = 4, .stride = {5, 1}},
        {.count = 2, .offset = 20, .stride = {5, 1}},
    };
    weft_pass_spec spec = pass_of_two_axes(6, 5, WEFT_KEEP, WEFT_FORWARD, rows, rows + 1);
    spec.target.blocks = 2;
    weft_pass *pass = pass_made(&spec, NULL);
    spec.variant = no_variants[_i];
    weft_pass *other = pass_made(&spec, NULL);
    ck_assert_str_eq(other->variant, pass->variant);
    weft_pass_destroy(other);
    weft_pass_destroy(pass);
}

TEST(after_the_time_limit_passes_are_made_by_rule)
{
    test_case c;
    case_make(&c, 9, C2C);
    c.limits = (weft_pass_limits){.level2 = 1 << 20, .last = 1 << 20}; /* one rule fits all tiles */
    c.spec.fftw_flags = FFTW_ESTIMATE;
    weft_pass *rule = pass_made(&c.spec, &c.limits);
    c.spec.fftw_flags = FFTW_PATIENT;
    c.spec.until = 1e-9;
    weft_pass *pass = pass_made(&c.spec, &c.limits);
    ck_assert_str_eq(pass->text, rule->text);
    weft_pass_destroy(rule);
    weft_pass_destroy(pass);
}

/* The variant stores the question to FFTW, so nothing is measured again. */
TEST(a_variant_says_whether_the_first_way_is_good, .to = 2)
{
    const weft_view_block block = {.count = 64, .stride = {60, 1}};
    weft_pass_spec spec = pass_of_two_axes(64, 60, WEFT_KEEP, WEFT_FORWARD, &block, &block);
    spec.fftw_flags = FFTW_MEASURE;
    spec.variant = _i ? "2.-----qu:4096" : "2.-----q:4096";
    char *wisdom[2];
    for (int as = 0; as < 2; as++) {
        weft_effort_set_first_plan_is_good(!as);
        weft_pass *pass = pass_made(&spec, NULL);
        ck_assert_str_eq(pass->variant, spec.variant);
        weft_pass_destroy(pass);
        wisdom[as] = FFTW(export_wisdom_to_string)();
    }
    ck_assert_str_eq(wisdom[0], wisdom[1]);
    free(wisdom[0]);
    free(wisdom[1]);
}
