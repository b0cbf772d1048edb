/* SPDX-License-Identifier: BSD-3-Clause */
/* Decisions to be learnt and found again, for tests of wisdom. */
#ifndef LESSONS_H
#define LESSONS_H

enum { MANY = 20 };

/* The key must have this decision; with NULL, none. */
void expect(const char *key, const char *decision);

/* Learns MANY of them. */
void learn_many(void);
/* How many of those are known; what is known must be right. */
int count_many(void);

#endif
