/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/hook/journal.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "base/whole.h"
#include "cuarbiter/names.h"
#include "deploy/hook/switch.h"

#define MOST (1 << 20)
#define LOCK ".lock"
/* Limit for one line. Each line is written by one writev(2), so that lines do not mix. */
#define LINE      4096
#define TEXT_MOST 256
#define APPEND    (O_RDWR | O_APPEND | O_CREAT)
/* Each line begins with the time, in this format of strftime(3). */
#define TIME      "{\"time\":\"%Y-%m-%dT%H:%M:%S.000Z\","
#define TIME_SIZE (sizeof("{\"time\":\"0000-00-00T00:00:00.000Z\",") - 1)
/* is_repeated looks in the last TAIL bytes of the file, and ignores a line that is more than JUST
 * seconds old. */
#define TAIL 8192
#define JUST 10

/* Opens a file in the folder CUA_DIR_LOG; -1 on failure. Other users may be able to create files in
 * the folder, if other logs are there too. So this follows no link, and opens no file that another
 * user owns or can write to, and none with a second hard link. */
static int open_file(int folder, const char *name, int flags, mode_t mode)
{
    int fd = openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode);
    struct stat st;

    if (fd >= 0 && (cua_fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
                    st.st_nlink != 1 || st.st_mode & 022)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int open_folder(void)
{
    return open(CUA_DIR_LOG, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

char *cua_journal_read(const char *name, size_t *size)
{
    int folder = open_folder(), fd = folder < 0 ? -1 : open_file(folder, name, O_RDONLY, 0);

    if (folder >= 0)
        close(folder);
    return fd < 0 ? NULL : cua_whole(fd, 2 * (size_t)MOST, size);
}

static bool is_full(int fd)
{
    struct stat st;

    return fd >= 0 && !cua_fstat(fd, &st) && st.st_size >= MOST;
}

/* If the file `fd` is full, renames it to `older` and opens a new one. Returns the descriptor to
 * write to. Holds a lock meanwhile: otherwise two processes could do this at once, and the second
 * would rename the new file. If it does not get the lock, returns `fd`. The lock is on a file that
 * only its owner can open, because everybody who can open a file can lock it. */
static int turn(int folder, int fd, const char *name, const char *older)
{
    int lock = is_full(fd) ? open_file(folder, LOCK, O_RDONLY | O_CREAT, 0600) : -1;

    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0) {
        close(fd);
        fd = open_file(folder, name, APPEND, 0644);
        if (is_full(fd) && renameat(folder, name, folder, older) == 0) {
            close(fd);
            fd = open_file(folder, name, APPEND, 0644);
        }
    }
    if (lock >= 0)
        close(lock);
    return fd;
}

/* Writes one line at the end of a file, by one system call. Ends the line before it, if a full disk
 * has cut that. */
static bool write_line(int fd, const char *line, size_t size)
{
    char last = '\n';
    off_t end = lseek(fd, 0, SEEK_END);

    if (end > 0 && pread(fd, &last, 1, end - 1) != 1)
        last = '\n';
    struct iovec parts[] = {{(char[]){'\n'}, last != '\n'}, {(char *)line, size}};
    return writev(fd, parts, 2) == (ssize_t)(parts[0].iov_len + size);
}

bool cua_journal_write(const char *name, const char *older, const char *line, size_t size)
{
    int folder = open_folder();
    int fd = folder < 0 ? -1 : turn(folder, open_file(folder, name, APPEND, 0644), name, older);
    bool written = fd >= 0 && write_line(fd, line, size);

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

static void put_time(char *to, size_t size, time_t time)
{
    strftime(to, size, TIME, gmtime(&time));
}

/* Whether the journal's last line about the container is `line`, apart from the time, and was
 * written in the last JUST seconds. Two mechanisms, such as CDI and NRI, may both start the hook
 * for one start of a container. If both runs leave the container alone, for the same reason, the
 * journal gets only one line. */
static bool is_repeated(const char *line, time_t now)
{
    char tail[TAIL], since[TIME_SIZE + 1];
    int folder = open_folder(), fd = folder < 0 ? -1 : open_file(folder, CUA_JOURNAL, O_RDONLY, 0);
    off_t end = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    ssize_t size = end < 0 ? -1 : pread(fd, tail, TAIL, end > TAIL ? end - TAIL : 0);
    const char *rest = line + TIME_SIZE, *at = tail + TIME_SIZE, *last = NULL;
    /* the length of `"container":"ID",`, which follows the time in a line */
    size_t length = strlen(rest), named = (size_t)(strstr(rest, "\"hook\":") - rest);

    while (at < tail + size && (at = memmem(at, (size_t)(tail + size - at), rest, named)))
        last = at++;
    put_time(since, sizeof(since), now - JUST);
    bool repeated = last && (size_t)(tail + size - last) >= length && !memcmp(last, rest, length) &&
                    memcmp(last - TIME_SIZE, since, TIME_SIZE) >= 0 &&
                    memcmp(last - TIME_SIZE, line, TIME_SIZE) <= 0;
    if (fd >= 0)
        close(fd);
    if (folder >= 0)
        close(folder);
    return repeated;
}

void cua_journal(const struct cua_container *container, const char *did, const char *why, int error,
                 const char *drivers)
{
    char line[LINE + 2], text[TEXT_MOST], trouble[TEXT_MOST];
    time_t now = time(NULL);

    snprintf(text, sizeof(text), "%s%s%s", why ? why : "", error ? ": " : "",
             error ? strerror(-error) : "");
    put_time(line, sizeof(line), now);
    add(line, "container", container->id[0] ? container->id : "?");
    add(line, "hook", did);
    add(line, "why", text);
    add(line, "namespace", container->namespace);
    add(line, "pod", container->pod);
    add(line, "name", container->name);
    add(line, "image", container->image);
    add(line, "drivers", drivers);
    add(line, "policy",
        container->own_site ? NULL
                            : cua_switch_policy(container->policy, trouble, sizeof(trouble)));
    strcpy(line + strlen(line) - 1, "}\n");
    if (!why || !is_repeated(line, now))
        cua_journal_write(CUA_JOURNAL, CUA_JOURNAL_OLD, line, strlen(line));
}
