/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what Weft finds on this machine and in this environment. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fftw3.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/cache.h"
#include "kernels/base/memory.h"
#include "kernels/base/text.h"
#include "tools/bench/output.h"
#include "tools/info/facts.h"
#include "tools/info/plan.h"

extern char **environ;

static const struct {
    const char *name, *without;
} setting[] = {{"WEFT_BACKEND", "the planner chooses"},
               {"WEFT_WIRE", "messages carry the numbers as they are"},
               {"WEFT_GRID", "the planner chooses"},
               {"WEFT_TIMELIMIT", "no limit"},
               {"WEFT_MACHINE", "this machine"},
               {"WEFT_WISDOM", "no file"},
               {"WEFT_RECORD", "no file"},
               {"WEFT_REPORT", "0"},
               {"WEFT_TRACE", "no file"},
               {"WEFT_PLUGINS", "none"},
               {"WEFT_DEVICE", "libweft-cuda, for arrays on a GPU"},
               {"WEFT_ANSWER_LIMIT", "60"},
               {"WEFT_VERBOSE", "0"}};
enum { SETTINGS = sizeof setting / sizeof *setting };

/* Prints variables whose names begin like a setting but are unknown; they are probably misspelt. */
static void report_unknown(void)
{
    for (char **at = environ; *at; at++) {
        const size_t length = strcspn(*at, "=");
        bool known = strncmp(*at, "WEFT_", 5) != 0;
        for (int i = 0; i < SETTINGS; i++)
            known |= strlen(setting[i].name) == length && !strncmp(*at, setting[i].name, length);
        if (!known)
            info_fact("unknown", "%.*s is set in the environment, but Weft has no such setting",
                      (int)length, *at);
    }
}

void info_settings(void)
{
    info_heading("Settings");
    for (int i = 0; i < SETTINGS; i++) {
        const char *value = weft_setting(setting[i].name);
        const bool given = value && *value;
        info_fact(setting[i].name, "%s (%s)", given ? value : setting[i].without,
                  given ? "environment" : "default");
    }
    report_unknown();
}

/* Reads the word in brackets of a line such as "always [madvise] never"; without brackets, the
 * first line. */
static void first_line(const char *name, char *text, size_t capacity)
{
    if (!bench_line_of(name, "", text, capacity))
        snprintf(text, capacity, "unknown");
    char *open = strchr(text, '['), *close = strchr(text, ']');
    if (open && close > open) {
        *close = '\0';
        memmove(text, open + 1, (size_t)(close - open));
    }
}

static void print_memory(void)
{
    char left[32];
    const uint64_t bytes = weft_memory_available();
    info_bytes((double)bytes, left, sizeof left);
    info_fact("memory", "%s left, also for what ranks share",
              bytes < UINT64_MAX ? left : "unknown");
}

void info_machine(void)
{
    char line[256], other[256], level2[32], last[32];
    info_heading("Machine");
    info_bytes((double)weft_cache_level2(), level2, sizeof level2);
    info_bytes((double)weft_cache_last(), last, sizeof last);
    info_fact("cores", "%d", weft_cores());
    info_fact("caches", "level 2: %s, last level: %s", level2, last);
    first_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line);
    first_line("/sys/kernel/mm/transparent_hugepage/shmem_enabled", other, sizeof other);
    info_fact("huge pages", "%.40s; for shared memory: %.40s", line, other);
    print_memory();
}

/* Whether a line contains this word, with characters of `around` on both sides. */
static bool has(const char *line, const char *word, const char *around)
{
    const size_t length = strlen(word);
    for (const char *at = line; (at = strstr(at, word)); at += length)
        if ((at == line || strchr(around, at[-1])) && strchr(around, at[length]))
            return true;
    return false;
}

void info_vectors(const char *fftw)
{
    static const struct {
        const char *fftw, *feature, *option;
    } set[] = {{"sse2", "sse2", "--enable-sse2"},  {"avx", "avx", "--enable-avx"},
               {"avx2", "avx2", "--enable-avx2"},  {"avx512", "avx512f", "--enable-avx512"},
               {"neon", "asimd", "--enable-neon"}, {"altivec", "altivec", "--enable-altivec"},
               {"vsx", "vsx", "--enable-vsx"}};
    char features[8192], built[128], can[128], options[128];
    weft_writer in_fftw = weft_write_to(built, sizeof built), here = weft_write_to(can, sizeof can),
                missing = weft_write_to(options, sizeof options);
    if (!bench_line_of("/proc/cpuinfo", "flags", features, sizeof features))
        bench_line_of("/proc/cpuinfo", "Features", features, sizeof features); /* on ARM */
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        const bool in = has(fftw, set[i].fftw, "-_ "),
                   may = has(features, set[i].feature, " \t\n:");
        if (in)
            weft_write(&in_fftw, "%s%s", in_fftw.used ? " " : "", set[i].fftw);
        if (may)
            weft_write(&here, "%s%s", here.used ? " " : "", set[i].fftw);
        if (may && !in)
            weft_write(&missing, " %s", set[i].option);
    }
    info_heading("Vector instructions");
    info_fact("FFTW", "%s", in_fftw.used ? built : "none");
    info_fact("processor", "%s", here.used ? can : "unknown");
    info_fact("advice",
              missing.used ? "FFTW does not use all of them. An FFTW configured with%s may be "
                             "faster, or slower: compare with weft-bench"
                           : "FFTW uses all of them%s",
              options);
}

static void report_file(const char *name, void *function)
{
    Dl_info where;
    info_fact(name, "%s",
              dladdr(function, &where) && where.dli_fname ? where.dli_fname
                                                          : "linked into this program");
}

void info_providers(void)
{
    info_heading("Providers");
    report_file("fftw_execute", (void *)(size_t)fftw_execute);
    report_file("MPI_Init", (void *)(size_t)MPI_Init);
}
