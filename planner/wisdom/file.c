/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of wisdom. A file is replaced, never changed: a writer writes the new text to NAME.weft-new
 * beside the file, and then renames it. Writers lock the file itself. A writer that gets the lock
 * of a file that has been replaced meanwhile locks the new file instead. So no lock file is left
 * behind, and the next writer overwrites the NAME.weft-new of a writer that was killed. Devices and
 * pipes are written to, not replaced.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "planner/wisdom/wisdom.h"

enum { LONGEST = 64 << 20, PATIENCE = 1000 /* times 10 ms */ };

/* File locks exclude other processes only, and a process loses them when any of its threads closes
 * the file. So one thread at a time has a wisdom file open. */
static pthread_mutex_t in_use = PTHREAD_MUTEX_INITIALIZER;

/* Why the last call failed. contents() sets errno to 0 for a file that is not a regular file. */
static const char *reason(void)
{
    return errno ? strerror(errno) : "it is no regular file";
}

/* Reads the text of a file; the caller frees it. NULL with errno set. */
static char *contents(int file)
{
    struct stat about;
    if (fstat(file, &about) != 0)
        return NULL;
    if (!S_ISREG(about.st_mode) || about.st_size > LONGEST) {
        errno = S_ISDIR(about.st_mode) ? EISDIR : S_ISREG(about.st_mode) ? EFBIG : 0;
        return NULL;
    }
    const size_t size = (size_t)about.st_size;
    char *text = calloc(size + 1, 1);
    size_t length = 0;
    for (ssize_t got = 1; text && got > 0 && length < size; length += (size_t)got)
        if ((got = read(file, text + length, size - length)) < 0) {
            free(text);
            return NULL;
        }
    for (size_t i = 0; text && i < length; i++)
        if (text[i] == '\0')
            text[i] = '\1'; /* also not printable, but does not end the text */
    return text;
}

char *weft_wisdom_read(const char *path)
{
    pthread_mutex_lock(&in_use);
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = file < 0 ? NULL : contents(file);
    const int why = errno;
    if (file >= 0)
        close(file);
    pthread_mutex_unlock(&in_use);
    errno = why;
    return text;
}

weft_file_state weft_wisdom_load(const char *path)
{
    char *text = weft_wisdom_read(path);
    if (!text && errno == ENOENT)
        return WEFT_FILE_ABSENT;
    if (!text) {
        weft_error("the wisdom file %s cannot be read: %s", path, reason());
        return WEFT_FILE_UNUSABLE;
    }
    const bool recognised = weft_wisdom_recognised(text);
    const weft_wisdom_tally tally = weft_wisdom_add(text);
    free(text);
    if (!recognised) {
        weft_error("the file %s contains no wisdom of Weft; Weft does not change it", path);
        return WEFT_FILE_UNUSABLE;
    }
    if (tally.damaged + tally.other == 0)
        return WEFT_FILE_WHOLE;
    weft_error(
        "the wisdom file %s has %d usable lines, %d damaged lines and %d lines of another version",
        path, tally.used, tally.damaged, tally.other);
    return WEFT_FILE_PARTLY;
}

/* Writes the text to the disk, before the file replaces another one. File systems without fsync
 * are accepted. */
static bool write_durably(int file, const char *text)
{
    return weft_file_write(file, text) &&
           (fsync(file) == 0 || errno == EINVAL || errno == ENOSYS || errno == EROFS);
}

/* Replaces a file by one with this text and the same permissions, and the same owner and group as
 * far as that is allowed. The caller has locked the file, so no other process uses the name of the
 * new file meanwhile. False with errno set. */
static bool replace(const char *path, const char *text)
{
    char name[PATH_MAX];
    struct stat about;
    if ((size_t)snprintf(name, sizeof name, "%s.weft-new", path) >= sizeof name) {
        errno = ENAMETOOLONG;
        return false;
    }
    unlink(name);
    const int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    bool ok = stat(path, &about) == 0 && write_durably(file, text);
    if (ok && fchown(file, about.st_uid, about.st_gid) != 0 &&
        fchown(file, (uid_t)-1, about.st_gid) != 0)
        errno = 0; /* the file is this user's then */
    ok = ok && fchmod(file, about.st_mode & 0777) == 0;
    ok = close(file) == 0 && ok;
    if (ok && rename(name, path) == 0)
        return true;
    const int why = errno;
    unlink(name);
    errno = why;
    return false;
}

/* Locks a file, and waits up to 10 s for other writers. A file system without locks is used
 * without them. */
static bool lock_file(int file)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const struct timespec a_while = {.tv_nsec = 10 * 1000 * 1000};
    for (int i = 0; fcntl(file, F_SETLK, &all) != 0; i++) {
        if (errno == ENOLCK || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)
            return true;
        if ((errno != EAGAIN && errno != EACCES && errno != EINTR) || i == PATIENCE)
            return false;
        nanosleep(&a_while, NULL);
    }
    return true;
}

/* Opens and locks a file; creates a missing one. -1 with errno set. */
static int open_locked(const char *path)
{
    for (;;) {
        struct stat opened, named;
        const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
        if (file < 0)
            return -1;
        if (!lock_file(file) || fstat(file, &opened) != 0) {
            const int why = errno;
            close(file);
            errno = why;
            return -1;
        }
        if (stat(path, &named) == 0 && opened.st_ino == named.st_ino &&
            opened.st_dev == named.st_dev)
            return file;
        close(file);
    }
}

static bool refused(const char *path, const char *why)
{
    return weft_error("the file %s cannot be written: %s", path, why);
}

static bool has_line(const char *text, const char *line)
{
    const size_t length = strlen(line);
    for (const char *at = text; (at = strstr(at, line)); at++)
        if ((at == text || at[-1] == '\n') && (at[length] == '\n' || at[length] == '\0'))
            return true;
    return false;
}

/* Makes the new text of a file from the old one: with the decision for a key, with the line `key`
 * if there is no decision, or the whole store if there is no key. Returns NULL, with an error,
 * where it cannot, and the old text where nothing changes. */
static char *new_text(const char *path, char *old, const char *key, const char *decision)
{
    char *text = old;
    const size_t length = strlen(old);
    if (!key)
        return weft_wisdom_text();
    if (decision && weft_wisdom_recognised(old))
        return weft_wisdom_with(old, key, decision);
    if (decision) {
        refused(path, "it contains something other than Weft's wisdom");
        return NULL;
    }
    if (!has_line(old, key) &&
        asprintf(&text, "%s%s%s\n", old, length && old[length - 1] != '\n' ? "\n" : "", key) < 0) {
        refused(path, "no memory");
        return NULL;
    }
    return text;
}

/* Replaces the text of a file by new_text. If `unchanged` is not NULL, the file must still have
 * that text. */
static bool change(const char *path, const char *key, const char *decision, const char *unchanged)
{
    pthread_mutex_lock(&in_use);
    const int file = open_locked(path);
    char *whole = file < 0 ? NULL : realpath(path, NULL);
    char *old = whole ? contents(file) : NULL, *text = NULL;
    if (!old)
        refused(path, reason());
    else if (unchanged && strcmp(old, unchanged) != 0)
        refused(path, "another program has changed it meanwhile");
    else
        text = new_text(whole, old, key, decision);
    const bool ok = text && (text == old || replace(whole, text) || refused(path, reason()));
    if (text != old)
        free(text);
    free(old);
    free(whole);
    if (file >= 0)
        close(file); /* this unlocks it, too */
    pthread_mutex_unlock(&in_use);
    return ok;
}

bool weft_wisdom_append(const char *path, const char *key, const char *decision)
{
    return change(path, key, decision, NULL);
}

/* Whether a path is written to instead of replaced. Devices and pipes cannot be replaced;
 * /dev/stdout and similar paths may lead to a log that other programs also write. */
static bool is_written_to(const char *path)
{
    struct stat about;
    const bool special = strncmp(path, "/proc/", 6) == 0 ||
                         (strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0);
    return special ||
           (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode));
}

static bool write_to(const char *path, const char *text)
{
    const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    const bool ok = file >= 0 && weft_file_write(file, text);
    if (!ok)
        refused(path, strerror(errno));
    if (file >= 0)
        close(file);
    return ok;
}

bool weft_wisdom_save(const char *path, const char *unchanged)
{
    if (!is_written_to(path))
        return change(path, NULL, NULL, unchanged);
    char *text = weft_wisdom_text();
    const bool ok = text && write_to(path, text);
    free(text);
    return ok;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the next two */
static char *loaded;                                     /* the name of the last file read */
static bool warned; /* whether a warning about that file was printed */

static void warn(void)
{
    fprintf(stderr, "weft: warning: %s\n", weft_error_text());
    weft_error_clear();
}

void weft_wisdom_use(const char *path)
{
    pthread_mutex_lock(&lock);
    if (!loaded || strcmp(loaded, path) != 0) {
        free(loaded);
        loaded = strdup(path);
        warned = false;
        const weft_file_state state = weft_wisdom_load(path);
        if (state == WEFT_FILE_PARTLY || state == WEFT_FILE_UNUSABLE) {
            warned = state == WEFT_FILE_UNUSABLE; /* one warning for a file is enough */
            warn();
        }
    }
    pthread_mutex_unlock(&lock);
}

void weft_wisdom_keep(const char *path, const char *key, const char *decision)
{
    if (weft_wisdom_append(path, key, decision))
        return;
    pthread_mutex_lock(&lock);
    const bool first = !warned;
    warned = true;
    pthread_mutex_unlock(&lock);
    if (first)
        warn();
    weft_error_clear();
}
