/* SPDX-License-Identifier: BSD-3-Clause */
/* Wisdom: sent between ranks, written and read, forgotten; and changed at random places, with
 * correct checksums. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/seal.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Changes the text in place, so that it does not become longer. */
static void change(char *text, unsigned *state)
{
    const size_t length = strlen(text);
    if (length == 0)
        return;
    char *at = text + arrays_random(state, (unsigned)length);
    char *from = text + arrays_random(state, (unsigned)length);
    const size_t capacity = strlen(at), most = strlen(from) < capacity ? strlen(from) : capacity;
    const unsigned how = arrays_random(state, 5);
    if (how == 0)
        *at = (char)(1 + arrays_random(state, 255));
    else if (how == 1)
        *at = (char)('0' + arrays_random(state, 10));
    else if (how == 2)
        memmove(at, from, arrays_random(state, (unsigned)most + 1));
    else
        *at = how == 3 ? "-9:,*/ \n"[arrays_random(state, 8)] : '\0';
}

static void import_changed(unsigned *state)
{
    char *text = WEFT(export_wisdom_to_string)();
    if (!text) {
        fuzz_fail("no wisdom to export: %s", WEFT(last_error)());
        return;
    }
    for (unsigned turns = arrays_random(state, 6); turns > 0; turns--)
        change(text, state);
    if (arrays_random(state, 4))
        seal(text);
    if (!WEFT(import_wisdom_from_string)(text) && !WEFT(last_error)()[0])
        fuzz_fail("wisdom that is refused without a sentence");
    free(text);
}

/* Changes a digit of a line that carries Weft's wisdom (planner/wisdom/fftw.h), or removes the
 * line. (FFTW's own lines must not change: FFTW would end the program.) */
static void change_carried(char *text, unsigned *state)
{
    char *line = text + arrays_random(state, (unsigned)strlen(text));
    while (line > text && line[-1] != '\n')
        line--;
    const size_t length = strcspn(line, "\n");
    if (!memmem(line, length, "TIMEOUT", 7) || length < 40)
        return;
    char *digit = line + length - 2 - arrays_random(state, 30);
    if (fuzz_one_in(state, 8))
        memset(line, ' ', length);
    else if (strspn(digit, "0123456789abcdef") > 0 && digit[1] != 'x')
        *digit = "0123456789abcdef"[arrays_random(state, 16)];
}

static void import_changed_to_fftw(unsigned *state)
{
    char *text = FFTW(export_wisdom_to_string)();
    for (unsigned turns = arrays_random(state, 6); turns > 0; turns--)
        change_carried(text, state);
    if (fuzz_one_in(state, 2))
        FFTW(forget_wisdom)();
    if (!FFTW(import_wisdom_from_string)(text))
        fuzz_fail("FFTW does not read its own wisdom");
    free(text);
}

/* Gathers and broadcasts wisdom. */
static void pass_on(unsigned *state)
{
    MPI_Comm comm = fuzz_comms[arrays_random(state, FUZZ_COMMS)].comm;
    if (comm == MPI_COMM_NULL)
        return;
    if (fuzz_one_in(state, 2))
        FFTW(mpi_gather_wisdom)(comm);
    FFTW(mpi_broadcast_wisdom)(comm);
}

void fuzz_change_wisdom(unsigned *state)
{
    char printed[400];
    if (!fuzz_loud)
        capture();
    const unsigned how = arrays_random(state, 8);
    if (how < 3)
        import_changed(state);
    else if (how == 3)
        import_changed_to_fftw(state);
    else if (how < 6)
        pass_on(state);
    else if (how == 6)
        WEFT(forget_wisdom)();
    else
        FFTW(forget_wisdom)();
    if (captured(printed, sizeof printed) > 0 && !fuzz_settings_print())
        fuzz_fail("\"%s\" is printed", printed);
}
