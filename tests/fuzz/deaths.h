/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that crashes, hangs or is ended within a sequence names its seed. */
#ifndef FUZZ_DEATHS_H
#define FUZZ_DEATHS_H

void fuzz_watch_deaths(void);
/* A sequence begins, which takes so many seconds at the most; it ends. */
void fuzz_begin_seed(unsigned seed, unsigned limit);
void fuzz_end_seed(void);

#endif
