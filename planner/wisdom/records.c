/* SPDX-License-Identifier: BSD-3-Clause */
/* A text is read once for the first lines of records, and once more for the rest of one. */
#include <stdlib.h>
#include <string.h>
#include "kernels/base/digest.h"
#include "kernels/base/text.h"
#include "planner/wisdom/records.h"

#define MARK "(TIMEOUT 0 #x3ef7 #x3ef7 "

enum {
    FORMAT = 1,
    PIECE = 10, /* bytes of a line */
    HEAD = 10,  /* bytes before the decision: the key's digest, rigor, generation */
    MOST = (HEAD + WEFT_DECISION_TEXT + PIECE - 1) / PIECE
};

/* A record as the bytes of its lines; 0 to the end of the last one. */
typedef struct {
    unsigned lines;
    unsigned char byte[MOST * PIECE];
} packed;

typedef struct {
    uint32_t identity;
    unsigned place, lines;
    unsigned char byte[PIECE];
} piece;

uint64_t weft_record_key(const char *key)
{
    const char *rigor = strstr(key, " rigor=");
    return weft_digest_bytes(key, rigor ? (size_t)(rigor - key) : strlen(key));
}

static uint32_t identity_of(const packed *all)
{
    return (uint32_t)weft_digest_bytes(all->byte, (size_t)all->lines * PIECE);
}

static void pack(const weft_record *record, packed *all)
{
    const size_t length = strlen(record->decision);
    *all = (packed){.lines = (unsigned)((HEAD + length + PIECE - 1) / PIECE)};
    for (int i = 0; i < 8; i++)
        all->byte[i] = (unsigned char)(record->key >> 8 * i);
    all->byte[8] = record->rigor;
    all->byte[9] = record->generation;
    memcpy(all->byte + HEAD, record->decision, length);
}

static bool unpack(const packed *all, weft_record *record)
{
    const size_t length =
        strnlen((const char *)all->byte + HEAD, (size_t)all->lines * PIECE - HEAD);
    *record = (weft_record){.rigor = all->byte[8], .generation = all->byte[9]};
    if (length >= sizeof record->decision || record->rigor > 3)
        return false;
    for (int i = 0; i < 8; i++)
        record->key |= (uint64_t)all->byte[i] << 8 * i;
    memcpy(record->decision, all->byte + HEAD, length);
    return true;
}

static uint32_t word(const unsigned char *byte)
{
    return (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 |
           (uint32_t)byte[3] << 24;
}

static void spell(uint32_t from, unsigned char *byte, int bytes)
{
    for (int i = 0; i < bytes; i++)
        byte[i] = (unsigned char)(from >> 8 * i);
}

void weft_record_write(const weft_record *record, char lines[WEFT_RECORD_LINES])
{
    packed all;
    weft_writer to = weft_write_to(lines, WEFT_RECORD_LINES);
    pack(record, &all);
    const unsigned identity = identity_of(&all);
    for (unsigned i = 0; i < all.lines; i++) {
        const unsigned char *byte = all.byte + (size_t)i * PIECE;
        const unsigned first = (unsigned)byte[0] | (unsigned)byte[1] << 8;
        weft_write(&to, "  " MARK "#x%x #x%08x #x%08x #x%08x #x%08x)\n", FORMAT, identity,
                   first << 16 | i << 8 | all.lines, word(byte + 2), word(byte + 6));
    }
}

/* "#x1234abcd", and the letter after it. */
static bool read_number(const char **at, unsigned *number, char after)
{
    char *end = NULL;
    if (strncmp(*at, "#x", 2) != 0)
        return false;
    *number = (unsigned)strtoul(*at + 2, &end, 16);
    const bool ok = end > *at + 2 && *end == after;
    *at = ok ? end + 1 : *at;
    return ok;
}

/* The next line of a record from here on; what follows it, NULL: there is none. */
static const char *next_piece(const char *text, piece *it)
{
    unsigned version, identity, number[3];
    while ((text = strstr(text, MARK))) {
        text += sizeof MARK - 1;
        if (!read_number(&text, &version, ' ') || version != FORMAT ||
            !read_number(&text, &identity, ' ') || !read_number(&text, number, ' ') ||
            !read_number(&text, number + 1, ' ') || !read_number(&text, number + 2, ')'))
            continue;
        *it =
            (piece){.identity = identity, .place = number[0] >> 8 & 255, .lines = number[0] & 255};
        spell(number[0] >> 16, it->byte, 2);
        spell(number[1], it->byte + 2, 4);
        spell(number[2], it->byte + 6, 4);
        if (it->place < it->lines && it->lines <= MOST)
            return text;
    }
    return NULL;
}

/* All lines of the record that a first line begins. Of two for one place, one of them damaged, the
 * first or the last. */
static bool collect_some(const char *text, const piece *first, bool last, weft_record *record)
{
    packed all = {.lines = first->lines};
    bool have[MOST] = {false};
    piece it;
    while ((text = next_piece(text, &it)))
        if (it.identity == first->identity && it.lines == first->lines &&
            (last || !have[it.place])) {
            memcpy(all.byte + (size_t)it.place * PIECE, it.byte, PIECE);
            have[it.place] = true;
        }
    return identity_of(&all) == first->identity && unpack(&all, record);
}

static bool collect(const char *text, const piece *first, weft_record *record)
{
    return collect_some(text, first, true, record) || collect_some(text, first, false, record);
}

/* The last words only make it the same everywhere. */
static bool better(const weft_record *a, const weft_record *b)
{
    if (a->rigor != b->rigor)
        return a->rigor > b->rigor;
    if (a->generation != b->generation)
        return a->generation > b->generation;
    return strcmp(a->decision, b->decision) < 0;
}

bool weft_record_find(const char *text, uint64_t key, int rigor, weft_record *record)
{
    bool found = false;
    piece first;
    for (const char *at = text; (at = next_piece(at, &first));) {
        weft_record other;
        if (first.place != 0 || word(first.byte) != (uint32_t)key || !collect(text, &first, &other))
            continue;
        if (other.key != key || other.rigor < rigor || (found && !better(&other, record)))
            continue;
        *record = other;
        found = true;
    }
    return found;
}

bool weft_records_remove(char *text)
{
    char *to = text;
    const char *from = text;
    while (*from)
        if (strncmp(from, MARK, sizeof MARK - 1) == 0)
            from += strcspn(from, ")"), from += *from == ')';
        else
            *to++ = *from++;
    *to = '\0';
    return to < from;
}
