/* SPDX-License-Identifier: BSD-3-Clause */
/* Wisdom as text and in files: it is read as it was written, can be merged, and survives
 * simultaneous writers and every kind of damage. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kernels/base/error.h"
#include "tests/unit/harness.h"
#include "planner/wisdom/wisdom.h"

static void expect(const char *key, const char *decision)
{
    char *found = weft_wisdom_find(key);
    ck_assert_pstr_eq(found, decision);
    free(found);
}

static void expect_error(const char *words)
{
    ck_assert_msg(strstr(weft_error_text(), words), "%s", weft_error_text());
}

static char directory[64], path[96];

#define IN_A_FOLDER .setup = setup, .teardown = teardown

static void setup(void)
{
    strcpy(directory, "/tmp/weft-wisdom-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/wisdom", directory);
    weft_wisdom_forget();
    weft_error_clear();
}

static void teardown(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    ck_assert_int_eq(system(command), 0);
}

/* Replace functions of the C library, to see the calls on a new file before it replaces the old
 * one. */
int __real_fsync(int file);
int __real_rename(const char *from, const char *to);
int __wrap_fsync(int file);
int __wrap_rename(const char *from, const char *to);

static int syncs, renames, renames_before_a_sync;

int __wrap_fsync(int file)
{
    syncs++;
    return __real_fsync(file);
}

int __wrap_rename(const char *from, const char *to)
{
    renames++;
    renames_before_a_sync += syncs < renames;
    return __real_rename(from, to);
}

static void put_file(const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static char *get_file(void)
{
    static char text[1 << 18];
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static struct stat about;

/* Returns the type and the permissions of a file or link; 0: there is none. */
static mode_t mode_of(const char *name)
{
    return lstat(name, &about) == 0 ? about.st_mode : 0;
}

TEST(appending_replaces_the_line_of_a_key_and_keeps_permissions, IN_A_FOLDER)
{
    ck_assert(weft_wisdom_append(path, "a", "one"));
    const bool given = chmod(path, 0640) == 0 && chown(path, 7, 9) == 0; /* root may give it */
    ck_assert(weft_wisdom_append(path, "b", "two"));
    ck_assert(weft_wisdom_append(path, "a", "three"));
    ck_assert_int_ge(renames, 1);
    ck_assert_int_eq(renames_before_a_sync, 0);
    ck_assert_int_eq(weft_wisdom_load(path), WEFT_FILE_WHOLE);
    expect("a", "three");
    expect("b", "two");
    ck_assert_ptr_null(strstr(get_file(), "one"));
    ck_assert_int_eq(mode_of(path), S_IFREG | 0640);
    ck_assert(!given || (about.st_uid == 7 && about.st_gid == 9));
}

TEST(appending_through_a_link_keeps_the_link, IN_A_FOLDER)
{
    char link[96];
    snprintf(link, sizeof link, "%s/link", directory);
    ck_assert(weft_wisdom_append(path, "a", "one"));
    ck_assert_int_eq(symlink(path, link), 0);
    ck_assert(weft_wisdom_append(link, "b", "two"));
    ck_assert(S_ISLNK(mode_of(link)));
    ck_assert_int_eq(weft_wisdom_load(path), WEFT_FILE_WHOLE);
    expect("b", "two");
}

/* Two processes write every second entry each. */
TEST(writers_at_the_same_time_lose_nothing, IN_A_FOLDER)
{
    enum { ENTRIES = 400 };
    char key[64];
    int status;
    const pid_t child = fork();
    bool ok = true;
    for (int i = child == 0; i < ENTRIES; i += 2) {
        snprintf(key, sizeof key, "entry %d", i);
        ok = ok && weft_wisdom_append(path, key, key);
    }
    if (child == 0)
        _exit(ok ? 0 : 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(ok && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert_int_eq(weft_wisdom_load(path), WEFT_FILE_WHOLE);
    for (int i = 0; i < ENTRIES; i++) {
        snprintf(key, sizeof key, "entry %d", i);
        expect(key, key);
    }
}

TEST(lines_of_other_versions_are_kept, IN_A_FOLDER)
{
    static const char older[] = "weft-wisdom 0\nsomething else altogether\n";
    ck_assert(weft_wisdom_append(path, "a", "one"));
    char both[500];
    snprintf(both, sizeof both, "%.400s%s", get_file(), older);
    put_file(both);
    ck_assert_int_eq(weft_wisdom_load(path), WEFT_FILE_PARTLY);
    expect_error("1 lines of another version");
    expect("a", "one");
    ck_assert(weft_wisdom_append(path, "b", "two"));
    ck_assert_ptr_nonnull(strstr(get_file(), older));
    ck_assert_int_eq(weft_wisdom_load(path), WEFT_FILE_PARTLY);
    expect("b", "two");
}

TEST(damaged_lines_go_when_a_line_is_added_and_comments_stay, IN_A_FOLDER)
{
    ck_assert(weft_wisdom_append(path, "a", "one"));
    char text[500];
    snprintf(text, sizeof text, "# mine\n%.400sb => two ~ 00000000\nb => tw", get_file());
    put_file(text);
    ck_assert_int_eq(weft_wisdom_load(path), WEFT_FILE_PARTLY);
    expect("b", NULL);
    ck_assert(weft_wisdom_append(path, "c", "three"));
    ck_assert_int_eq(weft_wisdom_load(path), WEFT_FILE_WHOLE);
    ck_assert_ptr_nonnull(strstr(get_file(), "# mine\n"));
    expect("c", "three");
}

/* Wisdom written to a pipe can be read from it, and it stays a pipe. */
TEST(a_pipe_is_written_to, IN_A_FOLDER)
{
    char text[100] = "";
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    const int reader = open(path, O_RDONLY | O_NONBLOCK);
    ck_assert_int_ge(reader, 0);
    ck_assert_msg(weft_wisdom_save(path, NULL), "%s", weft_error_text());
    ck_assert_int_gt(read(reader, text, sizeof text - 1), 0);
    ck_assert_str_eq(text, "weft-wisdom 1\n");
    ck_assert(S_ISFIFO(mode_of(path)));
    ck_assert_int_eq(weft_wisdom_load(path), WEFT_FILE_UNUSABLE);
    expect_error("no regular file");
    weft_error_clear();
    ck_assert(!weft_wisdom_append(path, "a", "b"));
    expect_error("no regular file");
    close(reader);
}

/* A log file of the standard output keeps its contents; the wisdom is added at its end. */
TEST(the_log_behind_a_descriptor_is_kept, IN_A_FOLDER)
{
    char descriptor[64];
    put_file("a log\n");
    const int file = open(path, O_WRONLY);
    ck_assert_int_ge(file, 0);
    snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", file);
    ck_assert_msg(weft_wisdom_save(descriptor, NULL), "%s", weft_error_text());
    ck_assert_str_eq(get_file(), "a log\nweft-wisdom 1\n");
    close(file);
}

/* Its permissions follow the process's mask, which does not change; a file that a killed writer
 * left does not matter. */
TEST(a_new_file_has_the_usual_permissions_and_nothing_is_beside_it, .to = 2, IN_A_FOLDER)
{
    char stale[128];
    snprintf(stale, sizeof stale, "%s.weft-new", path);
    const int left = open(stale, O_CREAT | O_WRONLY, 0600);
    ck_assert(left >= 0 && close(left) == 0);
    const mode_t mask = umask(027);
    ck_assert(_i ? weft_wisdom_save(path, NULL) : weft_wisdom_append(path, "a", "one"));
    ck_assert_int_eq(umask(mask), 027);
    ck_assert_int_eq(mode_of(path), S_IFREG | 0640);
    ck_assert_int_eq(mode_of(stale), 0);
}

/* Drops every third line, and learns every second again. The file is read as it was written. */
TEST(thousands_are_found_by_their_keys, IN_A_FOLDER)
{
    enum { THOUSANDS = 5000 };
    char key[32], decision[32];
    ck_assert_int_eq(weft_wisdom_load(path), WEFT_FILE_ABSENT);
    ck_assert_str_eq(weft_error_text(), "");
    for (int round = 1; round <= 2; round++)
        for (int i = 0; i < THOUSANDS; i += round) {
            snprintf(key, sizeof key, "key %d", i);
            snprintf(decision, sizeof decision, "%d of %d", i, round);
            ck_assert(weft_wisdom_learn(key, decision, false));
        }
    for (int i = 0; i < THOUSANDS; i += 3) {
        snprintf(key, sizeof key, "key %d", i);
        weft_wisdom_drop(key, false);
        weft_wisdom_drop(key, false); /* which is not there */
    }
    ck_assert(weft_wisdom_begins("key 1 of many", 5) && !weft_wisdom_begins("lock", 1));
    char *text = weft_wisdom_text();
    ck_assert(!weft_wisdom_save(path, text)); /* it has no text */
    ck_assert_msg(weft_wisdom_save(path, ""), "%s", weft_error_text());
    ck_assert_str_eq(text, get_file());
    weft_wisdom_forget();
    ck_assert_int_eq(weft_wisdom_load(path), WEFT_FILE_WHOLE);
    free(text);
    for (int i = 0; i < THOUSANDS; i++) {
        snprintf(key, sizeof key, "key %d", i);
        snprintf(decision, sizeof decision, "%d of %d", i, i % 2 ? 1 : 2);
        expect(key, i % 3 ? decision : NULL);
    }
}

static const char *const bad_words[][2] = {
    {"", "x"},   {"a => b", "x"}, {"a\n", "x"}, {"a", "x\n"},
    {"#a", "x"}, {"a\x80", "x"},  {"a", "\t"},
};

TEST(words_that_cannot_be_read_again_are_refused, .to = NUMBER(bad_words), IN_A_FOLDER)
{
    ck_assert(!weft_wisdom_learn(bad_words[_i][0], bad_words[_i][1], false));
    expect_error("do not fit a line of wisdom");
}

TEST(the_longest_line_is_read_again_and_a_longer_one_is_refused, IN_A_FOLDER)
{
    char decision[WEFT_WISDOM_LINE];
    size_t most = sizeof decision;
    memset(decision, 'd', sizeof decision);
    do
        decision[--most] = '\0';
    while (!weft_wisdom_learn("key", decision, false));
    ck_assert(most > WEFT_WISDOM_LINE - 40 && most < WEFT_WISDOM_LINE - 1);
    char *text = weft_wisdom_text();
    weft_wisdom_forget();
    ck_assert_int_eq(weft_wisdom_add(text).used, 1);
    expect("key", decision);
    free(text);
}

/* The header is a line, too. */
TEST(a_text_cut_anywhere_keeps_its_whole_lines, IN_A_FOLDER)
{
    char key[32], decision[32];
    for (int i = 0; i < 20; i++) {
        snprintf(key, sizeof key, "c2c %dx%d ranks=2", i, i);
        snprintf(decision, sizeof decision, "exchanges=waitsome/b:%d", i * i);
        ck_assert(weft_wisdom_learn(key, decision, false));
    }
    char *text = weft_wisdom_text();
    const size_t length = strlen(text), header = strcspn(text, "\n") + 1;
    size_t whole = header; /* the length of the header and the whole lines before the cut */
    int lines = 0;
    for (size_t cut = 0; cut <= length; cut++) {
        char *part = strndup(text, cut);
        if (cut > header && text[cut] == '\n') { /* only the end of the line is missing */
            whole = cut + 1;
            lines++;
        }
        weft_wisdom_forget();
        const int used = weft_wisdom_add(part).used;
        ck_assert_msg(used == lines, "cut at %zu: %d used, not %d", cut, used, lines);
        char *kept = weft_wisdom_text();
        ck_assert_uint_eq(strlen(kept), whole);
        ck_assert_mem_eq(kept, text, whole);
        free(kept);
        free(part);
    }
    ck_assert_int_eq(lines, 20);
    free(text);
}
