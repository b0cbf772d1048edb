/* SPDX-License-Identifier: BSD-3-Clause */
/* The facts that weft-info has found out, in sections; printed as aligned text or as JSON. */
#ifndef INFO_FACTS_H
#define INFO_FACTS_H

#include <stdbool.h>

/* Begins a section, to which the facts after this call belong. `name` must stay valid. */
void info_heading(const char *name);
void info_fact(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
void info_print(bool json);

/* The compiler of this build and its flags, without flags that name files. */
extern const char info_compiler[], info_flags[];

/* surroundings.c: the settings and where each of them comes from; the processor, its caches and the
 * shared memory; FFTW's instruction sets compared with the processor's; which files provide
 * fftw_execute and MPI. info_devices is in devices.c. */
void info_settings(void);
void info_machine(void);
void info_devices(void);
void info_vectors(const char *fftw);
void info_providers(void);

#endif
