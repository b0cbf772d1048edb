/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sweep in a few words: "fft 256x256 c2c, 256 tiles of 1x256x256, streamed".
 */
#include "kernels/pass/sweep.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char *text;
    size_t size, used;
} text_writer;

__attribute__((format(printf, 2, 3))) static void say(text_writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (writer->used < writer->size) {
        int length =
            vsnprintf(writer->text + writer->used, writer->size - writer->used, format, arguments);
        writer->used += length > 0 ? (size_t)length : 0;
    }
    va_end(arguments);
}

static const char *kind_name(const weft_sweep *sweep)
{
    for (int g = 0; g < sweep->groups; g++)
        if (sweep->group[g].kind == WEFT_R2C)
            return "r2c";
        else if (sweep->group[g].kind == WEFT_C2R)
            return "c2r";
        else if (sweep->group[g].kind >= WEFT_R2HC)
            return "r2r";
    return "c2c";
}

void weft_pass_describe(const weft_sweep *sweep, char *text, size_t size)
{
    text_writer writer = {text, size, strlen(text)};
    if (writer.used > 0)
        say(&writer, "; ");
    if (sweep->tiling.tiles == 0) {
        say(&writer, "nothing");
        return;
    }
    say(&writer, sweep->groups ? "fft " : "copy");
    const char *between = "";
    for (int a = 0; a < sweep->axes; a++)
        if (sweep->transformed[a]) {
            say(&writer, "%s%td", between, sweep->size[a]);
            between = "x";
        }
    if (sweep->groups)
        say(&writer, " %s", kind_name(sweep));
    say(&writer, ", %td tiles of ", sweep->tiling.tiles);
    for (int a = 0; a < sweep->axes; a++)
        say(&writer, "%s%td", a ? "x" : "", sweep->tiling.axis[a].segment[0].count);
    if (sweep->choice.gather)
        say(&writer, ", gathered");
    if (sweep->factors)
        say(&writer, ", times factors");
    if (sweep->choice.stream)
        say(&writer, ", streamed");
    else if (sweep->choice.scatter)
        say(&writer, ", scattered");
}
