/* SPDX-License-Identifier: BSD-3-Clause */
/* Methods: how an exchange is carried out, and the words for it that users and wisdom write. */
#ifndef WEFT_METHOD_H
#define WEFT_METHOD_H

#include <stdbool.h>
#include <stddef.h>
#include "backends/weft-backend.h"

/* The most parts that an exchange is cut into. */
enum { WEFT_MAX_PARTS = 64 };

typedef struct {
    const weft_backend *backend; /* NULL: found by the planner */
    int value;                   /* of the backend's parameter */
    int parts; /* the exchange is cut into, so that one moves while another is transformed; 0 or 1:
                  whole */
} weft_method;

/* "waitsome/b:32"; in four parts "waitsome/b:32*4"; "auto" without a backend. */
void weft_method_write(weft_method method, char *text, size_t room);
/* False and an error when the text is no method. */
bool weft_method_read(const char *text, weft_method *method);

#endif
