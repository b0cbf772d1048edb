/* SPDX-License-Identifier: BSD-3-Clause */
/* What is learnt is looked up as any caller does it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/lessons.h"
#include "planner/wisdom/wisdom.h"

void expect(const char *key, const char *decision)
{
    char *found = weft_wisdom_find(key);
    if (decision)
        ck_assert_msg(found && strcmp(found, decision) == 0, "%s: %s, not %s", key,
                      found ? found : "nothing", decision);
    else
        ck_assert_msg(!found, "%s: %s, not nothing", key, found);
    free(found);
}

void learn_many(void)
{
    char key[64], decision[64];
    for (int i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "c2c %dx%d ranks=2", i, i);
        snprintf(decision, sizeof decision, "exchanges=waitsome/b:%d seconds=%d", i, i * i);
        ck_assert(weft_wisdom_learn(key, decision));
    }
}

int count_many(void)
{
    char key[64], decision[64];
    int count = 0;
    for (int i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "c2c %dx%d ranks=2", i, i);
        snprintf(decision, sizeof decision, "exchanges=waitsome/b:%d seconds=%d", i, i * i);
        char *found = weft_wisdom_find(key);
        if (found) {
            ck_assert_str_eq(found, decision);
            count++;
        }
        free(found);
    }
    return count;
}
