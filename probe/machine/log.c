/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "machine/cachedir.h"
#include "cuarbiter/names.h"
#include "base/escape.h"
#include "base/oldstat.h"
#include "machine/put.h"
#include "machine/site.h"

#define CUA_LINE     1024
#define CUA_REMEMBER 64

static const char *const levels[] = {"error", "warn", "info", "debug"};

static struct {
    _Atomic int ready; /* 0 not yet, 1 being written, 2 done */
    enum cua_level level;
    bool json;
} out = {.level = CUA_LOG_WARN};
static char *log_file;    /* NULL: standard error */
static char *runtime_dir; /* XDG_RUNTIME_DIR; NULL: not set */

/* Hashes of the warnings that this process has given. Lossy when full: then one comes twice. */
static _Atomic unsigned warned[CUA_REMEMBER];

static bool is_unix(int fd)
{
    struct sockaddr_storage name = {0};
    socklen_t size = sizeof(name);

    return syscall(SYS_getsockname, fd, &name, &size) == 0 && name.ss_family == AF_UNIX;
}

/*
 * A program that closed its standard error may have something of its own there by now, a database
 * or a client, and a line in it is damage. What goes away with exec did not come by exec; a shell's
 * redirection cannot be read from; and nobody is given an eventfd or the like for messages.
 */
static bool is_stderr(int fd)
{
    struct stat st;
    int flags = fcntl(fd, F_GETFD);

    if (flags < 0 || flags & FD_CLOEXEC || cua_fstat(fd, &st) != 0)
        return false;
    switch (st.st_mode & S_IFMT) {
    case S_IFCHR: /* /dev/null is nobody who reads */
        return st.st_rdev != makedev(1, 3);
    case S_IFIFO:
        return true;
    case S_IFREG:
        return (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY;
    case S_IFSOCK:
        return is_unix(fd);
    default:
        return false;
    }
}

/* A line is not worth the program: where writing it would wait (a full pipe, a stopped terminal) it
 * is dropped. */
static bool put(int fd, const char *line, size_t length)
{
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    struct timespec now = {0};

    return syscall(SYS_ppoll, &room, 1, &now, NULL, 0) == 1 && room.revents == POLLOUT &&
           cua_put(fd, line, length);
}

static bool put_to_stderr(const char *line, size_t length)
{
    return is_stderr(STDERR_FILENO) && put(STDERR_FILENO, line, length);
}

static void complain(const char *name, const char *value, const char *what)
{
    char line[CUA_LINE], shown[200];

    cua_escape(shown, sizeof(shown), value, CUA_ESCAPE_TEXT);
    int n = snprintf(line, sizeof(line), "cuarbiter[%d]: warn: bad-value: %s=%s is %s\n",
                     (int)getpid(), name, shown, what);
    if (n > 0)
        put_to_stderr(line, (size_t)n);
}

void cua_log_setup(const struct cua_settings *settings, const struct cua_site *site)
{
    struct cua_site own = {.text = NULL};
    const char *value;
    int expected = 0;
    int saved = errno;

    if (!atomic_compare_exchange_strong(&out.ready, &expected, 1))
        return;
    if (!site)
        cua_site_read(&own);
    site = site ? site : &own;
    value = cua_site_value(site, settings, CUA_ENV_LOG, NULL);
    if (value) {
        size_t i = 0;
        while (i < sizeof(levels) / sizeof(*levels) && strcmp(levels[i], value) != 0)
            i++;
        if (i < sizeof(levels) / sizeof(*levels))
            out.level = (enum cua_level)i;
        else
            complain(CUA_ENV_LOG, value, "none of error, warn, info, debug: warn is used");
    }
    value = cua_site_value(site, settings, CUA_ENV_LOG_FORMAT, NULL);
    if (value && strcmp(value, "json") == 0)
        out.json = true;
    else if (value && strcmp(value, "text") != 0)
        complain(CUA_ENV_LOG_FORMAT, value, "neither text nor json: text is used");
    value = cua_site_value(site, settings, CUA_ENV_LOG_FILE, NULL);
    if (value && *value)
        log_file = strdup(value);
    cua_site_release(&own);
    value = cua_settings_env(settings, "XDG_RUNTIME_DIR");
    if (value)
        runtime_dir = strdup(value);
    atomic_store(&out.ready, 2);
    errno = saved;
}

bool cua_log_wanted(enum cua_level level)
{
    return level <= (atomic_load(&out.ready) == 2 ? out.level : CUA_LOG_WARN);
}

static unsigned hash(const char *s)
{
    unsigned h = 5381;
    while (*s)
        h = h * 33 + (unsigned char)*s++;
    return h ? h : 1;
}

/* A warning that is being given: its place in the table, and a file in the cache folder. */
struct claim {
    _Atomic unsigned *place;
    unsigned hash;
    int folder; /* -1: there is none */
    char name[NAME_MAX];
};

/* Once a process by the table, once a container by the file. False: it was given before. */
static bool claim_warning(struct claim *claim, const char *code, const char *sentence)
{
    char epoch[64];

    claim->hash = hash(code) ^ hash(sentence);
    claim->place = &warned[claim->hash % CUA_REMEMBER];
    claim->folder = -1;
    if (atomic_exchange(claim->place, claim->hash) == claim->hash)
        return false;
    cua_cachedir_epoch(epoch, sizeof(epoch));
    if (epoch[0])
        claim->folder = cua_cachedir_open(atomic_load(&out.ready) == 2 ? runtime_dir : NULL);
    if (claim->folder < 0)
        return true;
    snprintf(claim->name, sizeof(claim->name), "warned-%s-%08x", epoch, claim->hash);
    int fd = openat(claim->folder, claim->name,
                    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool before = fd < 0 && errno == EEXIST;
    if (fd >= 0)
        close(fd);
    if (before)
        close(claim->folder);
    else
        cua_cachedir_tidy(claim->folder);
    return !before;
}

/* A line that was not written is none that was given: the next one may reach somebody. */
static void settle(struct claim *claim, bool written)
{
    if (!written) {
        atomic_store(claim->place, 0);
        if (claim->folder >= 0)
            unlinkat(claim->folder, claim->name, 0);
    }
    if (claim->folder >= 0)
        close(claim->folder);
}

static int format_line(char *line, size_t size, enum cua_level level, const char *code,
                       const char *sentence)
{
    char escaped[CUA_LINE + CUA_LINE / 2];
    struct timespec now = {0};

    cua_escape(escaped, sizeof(escaped), sentence, out.json ? CUA_ESCAPE_JSON : CUA_ESCAPE_TEXT);
    if (!out.json)
        return snprintf(line, size, "cuarbiter[%d]: %s: %s: %s\n", (int)getpid(), levels[level],
                        code, escaped);
    clock_gettime(CLOCK_REALTIME, &now);
    return snprintf(line, size,
                    "{\"time\":%lld.%03ld,\"pid\":%d,\"level\":\"%s\",\"code\":\"%s\","
                    "\"message\":\"%s\"}\n",
                    (long long)now.tv_sec, now.tv_nsec / 1000000, (int)getpid(), levels[level],
                    code, escaped);
}

/* The descriptor is not kept: programs close and reuse descriptors behind our back. */
static int open_file(void)
{
    if (atomic_load(&out.ready) != 2 || !log_file)
        return -1;
    return open(log_file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
}

static bool write_line(enum cua_level level, const char *code, const char *sentence)
{
    char line[2 * CUA_LINE];
    int n = format_line(line, sizeof(line), level, code, sentence);

    if (n >= (int)sizeof(line)) {
        n = sizeof(line) - 1;
        line[n - 1] = '\n';
    }
    int fd = open_file();
    if (fd < 0)
        return put_to_stderr(line, (size_t)n);
    bool written = put(fd, line, (size_t)n);
    close(fd);
    return written;
}

void cua_log(enum cua_level level, const char *code, const char *format, ...)
{
    char sentence[CUA_LINE - 256];
    struct claim claim;
    int saved = errno;
    va_list args;

    if (!cua_log_wanted(level))
        return;
    va_start(args, format);
    vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    /* Who wants to know more wants to know it each time. */
    if (level != CUA_LOG_WARN || cua_log_wanted(CUA_LOG_INFO))
        write_line(level, code, sentence);
    else if (claim_warning(&claim, code, sentence))
        settle(&claim, write_line(level, code, sentence));
    errno = saved;
}
