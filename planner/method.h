/* SPDX-License-Identifier: BSD-3-Clause */
/* Methods: how an exchange is carried out, and the text form in which users and wisdom write a
 * method. */
#ifndef WEFT_METHOD_H
#define WEFT_METHOD_H

#include <stdbool.h>
#include <stddef.h>
#include "backends/weft-backend.h"

/* The largest number of parts that an exchange can be cut into. */
enum { WEFT_MAX_PARTS = 64 };

typedef struct {
    const weft_backend *backend; /* NULL: the planner chooses */
    int value;                   /* value of the backend's parameter */
    int parts; /* number of parts of the exchange; one part moves while another is transformed; 0 or
                  1: the exchange is not cut */
} weft_method;

/* Writes the method as text: "waitsome/b:32"; in four parts "waitsome/b:32*4"; without a backend
 * "auto". */
void weft_method_write(weft_method method, char *text, size_t capacity);
/* False with an error when the text is not a method. */
bool weft_method_read(const char *text, weft_method *method);

#endif
