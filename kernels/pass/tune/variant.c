/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variants: what a search has found, as a text that wisdom can keep and another process can repeat.
 */
#include "kernels/pass/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS = 7 };
static const char letters[LETTERS + 1] = "gsnafeq";

static bool *letter_meaning(weft_choice *choice, int letter)
{
    bool *const meaning[LETTERS] = {&choice->gather, &choice->scatter,       &choice->stream,
                                    &choice->apart,  &choice->follow_source, &choice->estimated,
                                    &choice->quick};
    return meaning[letter];
}

void weft_pass_variant_write(const weft_pass *pass, char *text, size_t size)
{
    size_t used = 0;
    for (int s = 0; s < pass->sweeps; s++) {
        const weft_sweep *sweep = &pass->sweep[s];
        weft_choice choice = sweep->choice;
        unsigned long axes = 0;
        char word[LETTERS + 1] = "";
        for (int a = 0; a < sweep->axes; a++)
            if (sweep->transformed[a])
                axes |= 1UL << a;
        for (int k = 0; k < LETTERS; k++)
            word[k] = *letter_meaning(&choice, k) ? letters[k] : '-';
        int length = snprintf(text + used, size - used, "%s%lx.%s:%.0f", s ? "/" : "", axes, word,
                              isinf(choice.tile) ? 0 : choice.tile);
        if (length < 0 || (size_t)length >= size - used) {
            text[0] = 0;
            return;
        }
        used += (size_t)length;
    }
}

/* Reads one sweep; NULL: malformed. */
static const char *read_sweep(const char *text, unsigned long *axes, weft_choice *choice)
{
    char *end;
    *axes = strtoul(text, &end, 16);
    if (end == text || *end++ != '.')
        return NULL;
    for (int k = 0; k < LETTERS; k++, end++) {
        if (*end != letters[k] && *end != '-')
            return NULL;
        *letter_meaning(choice, k) = *end == letters[k];
    }
    if (*end != ':' || end[1] < '0' || end[1] > '9')
        return NULL;
    choice->tile = (double)strtoull(end + 1, &end, 10);
    if (choice->tile <= 0)
        choice->tile = HUGE_VAL;
    return end;
}

bool weft_pass_variant_read(const char *text, int axes, weft_variant *variant)
{
    unsigned long seen = 0, all = axes < 32 ? (1UL << axes) - 1 : 0xFFFFFFFFUL;
    *variant = (weft_variant){0};
    for (;;) {
        int s = variant->sweeps;
        if (s > axes)
            return false;
        text = read_sweep(text, &variant->axes[s], &variant->choice[s]);
        if (!text || (variant->axes[s] & seen) || (variant->axes[s] & ~all))
            return false;
        seen |= variant->axes[s];
        variant->sweeps++;
        if (*text == 0)
            return true;
        if (*text++ != '/')
            return false;
    }
}
