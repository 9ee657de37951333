/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/hook/journal.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "cuarbiter/names.h"

#define MOST (1 << 20)
/* Limit for one line. Each line is written by one write(2), so that lines do not mix. */
#define LINE      4096
#define TEXT_MOST 256

/* Opens the journal. Other users may be able to write into the folder, if other logs are there too.
 * So this follows no link, and writes to no file that another user owns or can write to. */
static int open_file(int folder, const char *name)
{
    int fd = openat(folder, name,
                    O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
    struct stat st;

    if (fd >= 0 && (cua_fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
                    st.st_nlink != 1 || st.st_mode & 022)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool is_full(int fd)
{
    struct stat st;

    return fd >= 0 && !cua_fstat(fd, &st) && st.st_size >= MOST;
}

/* Renames a full journal and opens a new one. Holds a lock meanwhile: otherwise two processes could
 * do this at once, and the second would rename the new file. */
static int turn(int folder, int fd, const char *name, const char *older)
{
    if (!is_full(fd) || flock(folder, LOCK_EX | LOCK_NB))
        return fd;
    close(fd);
    fd = open_file(folder, name);
    if (is_full(fd) && renameat(folder, name, folder, older) == 0) {
        close(fd);
        fd = open_file(folder, name);
    }
    return fd;
}

bool cua_journal_write(const char *name, const char *older, const char *line, size_t size)
{
    int folder = open(CUA_DIR_LOG, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int fd = folder < 0 ? -1 : turn(folder, open_file(folder, name), name, older);
    bool written = fd >= 0 && write(fd, line, size) == (ssize_t)size;

    if (fd >= 0)
        close(fd);
    if (folder >= 0)
        close(folder);
    return written;
}

static void add(char *line, const char *key, const char *value)
{
    char cut[TEXT_MOST], escaped[6 * TEXT_MOST + 1];

    snprintf(cut, sizeof(cut), "%s", value ? value : "");
    cua_escape(escaped, sizeof(escaped), cut, CUA_ESCAPE_JSON);
    size_t at = strlen(line);
    if (!value || !value[0])
        snprintf(line + at, LINE - at, "\"%s\":null,", key);
    else if (at + strlen(key) + strlen(escaped) + 16 < LINE)
        snprintf(line + at, LINE - at, "\"%s\":\"%s\",", key, escaped);
}

void cua_journal(const struct cua_container *container, const char *why, int error,
                 const char *drivers)
{
    char line[LINE + 2] = "{", when[32] = "", text[TEXT_MOST];
    time_t now = time(NULL);

    strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S.000Z", gmtime(&now));
    snprintf(text, sizeof(text), "%s%s%s", why ? why : "", error ? ": " : "",
             error ? strerror(-error) : "");
    add(line, "time", when);
    add(line, "container", container->id[0] ? container->id : "?");
    add(line, "hook", why ? "left" : "added");
    add(line, "why", text);
    add(line, "namespace", container->namespace);
    add(line, "pod", container->pod);
    add(line, "name", container->name);
    add(line, "image", container->image);
    add(line, "drivers", drivers);
    strcpy(line + strlen(line) - 1, "}\n");
    cua_journal_write(CUA_JOURNAL, CUA_JOURNAL_OLD, line, strlen(line));
}
