/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ranks an exchange concerns: those that talk with one another, however indirectly, form a
 * group. */
#ifndef WEFT_GROUPS_H
#define WEFT_GROUPS_H

#include <stdbool.h>
#include "backends/exchange/layout.h"

/* leader[r] becomes the lowest rank of r's group; the number of groups. Idle ranks are groups of
 * their own. */
int weft_groups(const weft_layout *from, const weft_layout *to, int ranks, int *leader);
/* Whether all who talk when an array goes from one layout to the other also do in another exchange.
 * False and an error: no memory. */
bool weft_groups_within(const weft_layout *const layout[2], const weft_layout *const other[2],
                        int ranks, bool *within);

#endif
