/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that crashes, hangs or is killed in a sequence prints its seed. */
#ifndef FUZZ_DEATHS_H
#define FUZZ_DEATHS_H

void fuzz_watch_deaths(void);
/* Called at the begin of a sequence, which may take so many seconds, and at its end. */
void fuzz_begin_seed(unsigned seed, unsigned limit);
void fuzz_end_seed(void);

#endif
