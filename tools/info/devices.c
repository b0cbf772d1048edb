/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out, for arrays on a GPU, the device library, the driver, the devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "kernels/device/memory.h"
#include "tools/bench/output.h"
#include "tools/info/facts.h"

#ifndef WEFT_HAVE_CUDA
#define WEFT_HAVE_CUDA 0
#endif
#ifndef WEFT_HAVE_HIP
#define WEFT_HAVE_HIP 0
#endif

static const struct {
    const char *name, *file, *built;
} kinds[] = {
    {"libweft-cuda", WEFT_LIBDIR "/libweft-cuda" WEFT_SUFFIX ".so.0",
     WEFT_HAVE_CUDA ? "yes" : "no: configure --with-cuda"},
    {"libweft-hip", WEFT_LIBDIR "/libweft-hip" WEFT_SUFFIX ".so.0",
     WEFT_HAVE_HIP ? "yes" : "no: configure --with-hip"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Reads the driver's version from NVIDIA's kernel module. */
static void report_driver(void)
{
    char line[256];
    const bool found = bench_line_of("/proc/driver/nvidia/version", "", line, sizeof line);
    info_fact("driver", "%.200s", found ? line : "no NVIDIA driver found");
}

static void report_device(const weft_device_library *library, int number)
{
    static char name[16][24]; /* info_fact does not copy the names of facts */
    if (number >= 16)
        return;
    snprintf(name[number], sizeof name[number], "device %d", number);
    const bool usable = library->usable(number);
    info_fact(name[number], "%s%s%s", library->describe(number),
              usable ? "" : "; it cannot be used: ", usable ? "" : library->why());
}

/* Loads the device library. Weft looks for it in the folder of libweft. This program does not link
 * to libweft, so it sets WEFT_DEVICE to that folder's file. */
static const weft_device_library *load(void)
{
    const char *set = weft_setting("WEFT_DEVICE");
    int kind = 0;
    while (kind < KINDS && access(kinds[kind].file, R_OK) != 0)
        kind++;
    const bool named = (!set || !*set) && kind < KINDS;
    if (named)
        setenv("WEFT_DEVICE", kinds[kind].file, 1);
    const weft_device_library *library = weft_device_load();
    if (named)
        unsetenv("WEFT_DEVICE"); /* the user has not set WEFT_DEVICE */
    return library;
}

void info_devices(void)
{
    info_heading("Devices");
    for (int kind = 0; kind < KINDS; kind++)
        info_fact(kinds[kind].name, "built with this Weft: %s", kinds[kind].built);
    report_driver();
    const weft_device_library *library = load();
    if (!library) {
        info_fact("library", "%s", weft_error_text());
        weft_error_clear();
        return;
    }
    const int devices = library->count();
    if (devices > 0)
        info_fact("library", "%s, %d device%s", library->name, devices, devices > 1 ? "s" : "");
    else
        info_fact("library", "%s, no devices: %s", library->name, library->why());
    for (int number = 0; number < devices; number++)
        report_device(library, number);
}
