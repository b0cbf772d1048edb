/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file is replaced, never changed: the new text goes to a file NAME.weft-new beside it, which
 * then takes its name. Writers wait for one another at a lock on the file itself; who got the lock
 * of a file that has been replaced meanwhile takes it again on the new one. So nothing is left
 * behind, and a NAME.weft-new of a writer that was killed is taken by the next. What is no regular
 * file, a device or a pipe, is written to, not replaced.
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
#include "planner/wisdom/wisdom.h"

enum { LONGEST = 64 << 20, PATIENCE = 1000 /* times 10 ms */ };

static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER; /* locks of files are the process's */

/* Why the last call failed: errno, in which 0 stands for a file of another kind. */
static const char *reason(void)
{
    return errno ? strerror(errno) : "it is no regular file";
}

/* All of a file; NULL with errno set. */
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
            text[i] = '\1'; /* not printable either, and not an end */
    return text;
}

weft_file_state weft_wisdom_load(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 && errno == ENOENT)
        return WEFT_FILE_ABSENT;
    char *text = file < 0 ? NULL : contents(file);
    if (!text)
        weft_error("the wisdom file %s cannot be read: %s", path, reason());
    if (file >= 0)
        close(file);
    if (!text)
        return WEFT_FILE_UNUSABLE;
    const bool recognised = weft_wisdom_recognised(text);
    const weft_wisdom_tally tally = weft_wisdom_add(text);
    free(text);
    if (!recognised) {
        weft_error("the file %s holds no wisdom of Weft; it is left alone", path);
        return WEFT_FILE_UNUSABLE;
    }
    if (tally.damaged + tally.other == 0)
        return WEFT_FILE_WHOLE;
    weft_error("of the wisdom file %s, %d lines are used, %d are damaged and %d of another version",
               path, tally.used, tally.damaged, tally.other);
    return WEFT_FILE_PARTLY;
}

static bool write_whole(int file, const char *text)
{
    size_t length = strlen(text);
    while (length > 0) {
        const ssize_t put = write(file, text, length);
        if (put < 0 && errno != EINTR)
            return false;
        text += put > 0 ? put : 0;
        length -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* What is written is on the disk before it takes the place of something; where nothing can be done
 * for that, it is left. */
static bool write_durably(int file, const char *text)
{
    return write_whole(file, text) &&
           (fsync(file) == 0 || errno == EINVAL || errno == ENOSYS || errno == EROFS);
}

/* Puts a text in place of a file, with its permissions. The caller has the lock, so nobody else
 * uses the name in between. False with errno set. */
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
    bool ok = stat(path, &about) == 0 && write_durably(file, text) &&
              fchmod(file, about.st_mode & 0777) == 0;
    ok = close(file) == 0 && ok;
    if (ok && rename(name, path) == 0)
        return true;
    const int why = errno;
    unlink(name);
    errno = why;
    return false;
}

/* Where systems have no locks for files, there are none. */
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

/* Opens a file, makes it if need be, and locks it. -1 with errno set. */
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
    weft_error("the file %s cannot be written: %s", path, why);
    return false;
}

/* With the file open and locked, calls `change`. */
static bool locked(const char *path, const char *key, const char *decision,
                   bool (*change)(const char *path, int file, const char *key,
                                  const char *decision))
{
    pthread_mutex_lock(&writing);
    bool ok = false;
    const int file = open_locked(path);
    char *whole = file < 0 ? NULL : realpath(path, NULL);
    if (file >= 0 && whole)
        ok = change(whole, file, key, decision);
    else
        refused(path, strerror(errno));
    free(whole);
    if (file >= 0)
        close(file); /* and so unlocks it */
    pthread_mutex_unlock(&writing);
    return ok;
}

/* Devices and pipes, and what /dev/stdout and its like lead to, which may be a log with other
 * things in it. */
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
    const bool ok = file >= 0 && write_whole(file, text);
    if (!ok)
        refused(path, strerror(errno));
    if (file >= 0)
        close(file);
    return ok;
}

static bool save_locked(const char *path, int file, const char *text, const char *none)
{
    (void)file, (void)none;
    return replace(path, text) || refused(path, strerror(errno));
}

bool weft_wisdom_save(const char *path)
{
    char *text = weft_wisdom_text();
    const bool ok = text && (is_written_to(path) ? write_to(path, text)
                                                 : locked(path, text, NULL, save_locked));
    free(text);
    return ok;
}

static bool append_locked(const char *path, int file, const char *key, const char *decision)
{
    char *old = contents(file), *text = NULL;
    bool ok = false;
    if (!old)
        refused(path, reason());
    else if (!weft_wisdom_recognised(old))
        refused(path, "it holds something else than wisdom of Weft");
    else if ((text = weft_wisdom_with(old, key, decision)))
        ok = replace(path, text) || refused(path, strerror(errno));
    free(text);
    free(old);
    return ok;
}

bool weft_wisdom_append(const char *path, const char *key, const char *decision)
{
    return locked(path, key, decision, append_locked);
}

static bool has_line(const char *text, const char *line)
{
    const size_t length = strlen(line);
    for (const char *at = text; (at = strstr(at, line)); at++)
        if ((at == text || at[-1] == '\n') && (at[length] == '\n' || at[length] == '\0'))
            return true;
    return false;
}

static bool add_line_locked(const char *path, int file, const char *line, const char *none)
{
    char *old = contents(file), *text = NULL;
    bool ok = false;
    (void)none;
    if (!old)
        return refused(path, reason());
    const size_t length = strlen(old);
    if (has_line(old, line))
        ok = true;
    else if (asprintf(&text, "%s%s%s\n", old, length && old[length - 1] != '\n' ? "\n" : "",
                      line) >= 0)
        ok = replace(path, text) || refused(path, strerror(errno));
    else
        refused(path, "no memory");
    free(text);
    free(old);
    return ok;
}

bool weft_file_add_line(const char *path, const char *line)
{
    return locked(path, line, NULL, add_line_locked);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *loaded; /* the file that has been read */
static bool warned;  /* about it */

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
            warned = state == WEFT_FILE_UNUSABLE; /* one sentence is enough */
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
