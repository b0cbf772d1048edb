/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of facts. A section is stored as a fact without text. */
#include "tools/info/facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "kernels/base/events.h"

#if defined(__clang__)
const char info_compiler[] = "clang " __clang_version__;
#elif defined(__GNUC__)
const char info_compiler[] = "gcc " __VERSION__;
#else
const char info_compiler[] = "unknown";
#endif
const char info_flags[] = WEFT_FLAGS;

enum { MOST = 128 };

static struct {
    const char *name;
    char text[400];
    bool heading;
} fact[MOST];
static int facts;

void info_heading(const char *name)
{
    if (facts < MOST) {
        fact[facts].name = name;
        fact[facts++].heading = true;
    }
}

void info_fact(const char *name, const char *format, ...)
{
    va_list arguments;
    if (facts == MOST)
        return;
    va_start(arguments, format);
    vsnprintf(fact[facts].text, sizeof fact[facts].text, format, arguments);
    va_end(arguments);
    fact[facts++].name = name;
}

static void print_json(void)
{
    for (int i = 0; i < facts; i++) {
        fputs(fact[i].heading       ? i ? "\n  },\n  " : "{\n  "
              : fact[i - 1].heading ? "\n    "
                                    : ",\n    ",
              stdout);
        weft_events_write_string(stdout, fact[i].name);
        fputs(fact[i].heading ? ": {" : ": ", stdout);
        if (!fact[i].heading)
            weft_events_write_string(stdout, fact[i].text);
    }
    puts("\n  }\n}");
}

void info_print(bool json)
{
    if (json) {
        print_json();
        return;
    }
    for (int i = 0; i < facts; i++)
        if (fact[i].heading)
            printf("%s\n", fact[i].name);
        else
            printf("  %-15s %s\n", fact[i].name, fact[i].text);
}
