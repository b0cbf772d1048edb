/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of backends: its backends, names and values as users write them, good and bad plug-ins.
 */
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "backends/table.h"
#include "tests/unit/harness.h"

#define PLUGIN PLUGINS "libturns.so"

TEST(every_descriptor_is_complete)
{
    const weft_backend *backend;
    int place = 0;
    for (; (backend = weft_backend_at(place)); place++) {
        ck_assert_uint_eq(backend->version, WEFT_BACKEND_VERSION);
        ck_assert(backend->about && *backend->about);
        if (backend->memory)
            ck_assert_msg(!backend->prepare && !backend->parameter, "%s", backend->name);
        else
            ck_assert_msg(backend->prepare && backend->start && backend->finish && backend->release,
                          "%s", backend->name);
        ck_assert_msg(!backend->parameter == !backend->values, "%s", backend->name);
        ck_assert_ptr_eq(weft_backend_named(backend->name), backend);
    }
    ck_assert_int_ge(place, 14);
    ck_assert_ptr_null(weft_backend_at(-1));
    ck_assert_ptr_null(weft_backend_at(place + 1000));
}

static const struct {
    const char *text, *name;
    int value;
} good[] = {
    {"bruck", "bruck", 0},           {"bruck:4", "bruck", 4},
    {"waitsome", "waitsome", 0},     {"waitsome:16", "waitsome/b", 16},
    {"waitall:1", "waitall/b", 1},   {"waitsome/b", "waitsome/b", 0},
    {"waitall/b:8", "waitall/b", 8}, {"bruck:2147483647", "bruck", 2147483647},
};

TEST(names_and_values_are_understood, .to = NUMBER(good))
{
    int value = -1;
    const weft_backend *backend = weft_backend_parse(good[_i].text, &value);
    ck_assert_msg(backend, "%s: %s", good[_i].text, weft_error_text());
    ck_assert_str_eq(backend->name, good[_i].name);
    ck_assert_int_eq(value, good[_i].value);
}

/* The flaw, and the words that the sentence must have. */
static const struct {
    const char *text, *said;
} bad[] = {
    {"", "\"\""},
    {"bruk", "\"bruk\""},
    {"bruk", "waitsome/b"},
    {"Bruck", "\"Bruck\""},
    {"bruck ", "\"bruck \""},
    {"wait", "\"wait\""},
    {":4", "\"\""},
    {"bruck:", "bruck:NUMBER"},
    {"bruck:0", "\"bruck:0\""},
    {"bruck:-2", "\"bruck:-2\""},
    {"bruck: 2", "\"bruck: 2\""},
    {"bruck:two", "\"bruck:two\""},
    {"bruck:2x", "\"bruck:2x\""},
    {"bruck:2147483648", "\"bruck:2147483648\""},
    {"bruck:99999999999999999999", "\"bruck:99999999999999999999\""},
    {"pairwise:2", "takes no value"},
    {"alltoallv:1", "takes no value"},
};

TEST(bad_names_and_values_are_refused_with_a_sentence, .to = NUMBER(bad))
{
    int value;
    weft_error_clear();
    ck_assert_ptr_null(weft_backend_parse(bad[_i].text, &value));
    ck_assert_msg(strstr(weft_error_text(), bad[_i].said), "%s: %s", bad[_i].text,
                  weft_error_text());
}

static int entries(void)
{
    int entries = 0;
    while (weft_backend_at(entries))
        entries++;
    return entries;
}

TEST(a_plugin_is_in_the_table_like_ours)
{
    int before = entries();
    ck_assert_msg(weft_plugins_load(PLUGIN), "%s", weft_error_text());
    ck_assert_int_eq(entries(), before + 1);
    ck_assert_str_eq(weft_backend_at(before)->name, "turns");
    ck_assert_ptr_eq(weft_backend_named("turns"), weft_backend_at(before));
    /* It is loaded only once. */
    ck_assert(weft_plugins_load(PLUGIN ":" PLUGIN));
    ck_assert(weft_plugins_load(""));
    ck_assert_int_eq(entries(), before + 1);
}

#define TEXT_OF(number)      #number
#define VERSION_TEXT(number) "this library needs version " TEXT_OF(number)

static const struct {
    const char *paths, *said;
} flawed[] = {
    {"/nowhere/plugin.so", "/nowhere/plugin.so cannot be loaded"},
    {PLUGINS "libflaw_name.so", "no descriptor named weft_plugin"},
    {PLUGINS "libflaw_version.so", VERSION_TEXT(WEFT_BACKEND_VERSION)},
    {PLUGINS "libflaw_old.so", VERSION_TEXT(WEFT_BACKEND_VERSION)},
    {PLUGINS "libflaw_function.so", "lacks one of the functions prepare"},
    {PLUGINS "libflaw_memory.so", "lacks one of the functions of its memory"},
    {PLUGINS "libflaw_parameter.so", "lacks the function `values`"},
    {PLUGINS "libflaw_star.so", "lacks a name of printable characters"},
    {PLUGINS "libflaw_long.so", "lacks a name of at most 64 characters"},
    {PLUGINS "libflaw_duplicate.so", "has the name pairwise"},
    {PLUGIN ":/nowhere/plugin.so", "/nowhere/plugin.so cannot be loaded"},
};

TEST(a_bad_plugin_is_refused_with_a_sentence_and_leaves_the_table_as_it_was, .to = NUMBER(flawed))
{
    int before = entries();
    ck_assert(!weft_plugins_load(flawed[_i].paths));
    ck_assert_msg(strstr(weft_error_text(), flawed[_i].said), "%s: %s", flawed[_i].paths,
                  weft_error_text());
    ck_assert_int_eq(entries(), before);
    ck_assert(weft_plugins_load(PLUGIN));
    ck_assert_int_eq(entries(), before + 1);
}
