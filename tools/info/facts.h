/* SPDX-License-Identifier: BSD-3-Clause */
/* What weft-info has found out, in sections, printed as aligned text or as JSON. */
#ifndef INFO_FACTS_H
#define INFO_FACTS_H

#include <stdbool.h>

/* A section's name; what is noted after it belongs there. */
void info_section(const char *name);
void info_fact(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
void info_print(bool json);

/* What this build was compiled with, and the flags, without those that name files. */
extern const char info_compiler[], info_flags[];

/* surroundings.c: the settings and where each came from; processor, caches, memory that is shared;
 * FFTW's instruction sets against the processor's; who provides fftw_execute and MPI. */
void info_settings(void);
void info_machine(void);
void info_devices(void);
void info_vectors(const char *fftw);
void info_providers(void);

#endif
