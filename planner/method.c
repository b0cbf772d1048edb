/* SPDX-License-Identifier: BSD-3-Clause */
/* Methods as text: the backend, a colon and its parameter, an asterisk and the number of parts. */
#include <stdlib.h>
#include <string.h>
#include "backends/table.h"
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "planner/method.h"

void weft_method_write(weft_method method, char *text, size_t capacity)
{
    weft_writer to = weft_write_to(text, capacity);
    weft_write(&to, "%s", method.backend ? method.backend->name : "auto");
    if (method.backend && method.backend->parameter)
        weft_write(&to, ":%d", method.value);
    if (method.parts > 1)
        weft_write(&to, "*%d", method.parts);
}

bool weft_method_read(const char *text, weft_method *method)
{
    char name[128];
    const size_t length = strcspn(text, "*");
    *method = (weft_method){0};
    if (length >= sizeof name)
        return weft_error("the name of a backend is too long: %.100s...", text);
    memcpy(name, text, length);
    name[length] = '\0';
    method->backend = weft_backend_parse(name, &method->value);
    if (!method->backend || !text[length])
        return method->backend != NULL;
    char *end;
    const long parts = strtol(text + length + 1, &end, 10);
    if (*end || text[length + 1] < '1' || text[length + 1] > '9' || parts > WEFT_MAX_PARTS)
        return weft_error("\"%.100s\" should end with the number of parts, 1 to %d", text,
                          WEFT_MAX_PARTS);
    method->parts = (int)parts;
    return true;
}
